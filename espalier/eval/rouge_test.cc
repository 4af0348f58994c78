#include "espalier/eval/rouge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "espalier/base/text/json.h"

namespace espalier::eval {
namespace {

using testing::DoubleNear;
using testing::HasSubstr;
using RougeSentences = std::vector<std::string>;

RougeText rouge_text(const RougeSentences& sentences, const std::string& stemmer = "",
                     const RougeSentences& stop = {}) {
  auto words = RougeWords::make(stemmer, stop);
  EXPECT_TRUE(words.ok());
  return words->text(sentences);
}

double rouge_recall(const RougeOverlap& overlap) { return rouge_score({{overlap}}, {}).recall; }

// The examples of Lin (2004), sections 3.1, 3.2 and 4.1.
TEST(Rouge, HasTheFiguresOfTheExamplesInItsPaper) {
  const RougeText s1 = rouge_text({"police killed the gunman"}), s2 = rouge_text({"police kill the gunman"}),
                  s3 = rouge_text({"the gunman kill police"}), s4 = rouge_text({"the gunman police killed"});
  EXPECT_EQ(ngram_overlap(s2, s1, 2).common, ngram_overlap(s3, s1, 2).common);
  EXPECT_DOUBLE_EQ(rouge_recall(ngram_overlap(s2, s1, 2)), 1.0 / 3);
  EXPECT_DOUBLE_EQ(rouge_recall(subsequence_overlap(s2, s1)), 0.75);
  EXPECT_DOUBLE_EQ(rouge_recall(subsequence_overlap(s3, s1)), 0.5);
  EXPECT_DOUBLE_EQ(rouge_recall(subsequence_overlap(s4, s1)), 0.5);
  const auto skip = [&](const RougeText& s) { return rouge_recall(skip_overlap(s, s1, 100, false)); };
  EXPECT_DOUBLE_EQ(skip(s2), 0.5);
  EXPECT_NEAR(skip(s3), 0.167, 5e-4);
  EXPECT_NEAR(skip(s4), 0.333, 5e-4);
  // The union of longest common subsequences: w1 w2 w3 w5 of five words.
  const RougeText reference = rouge_text({"w1 w2 w3 w4 w5"});
  EXPECT_DOUBLE_EQ(
      rouge_recall(subsequence_overlap(rouge_text({"w1 w2 w6 w7 w8", "w1 w3 w8 w9 w5"}), reference)), 0.8);
  // Section 4.2: without single words, the reversed sentence scores 0.
  const RougeText s5 = rouge_text({"gunman the killed police"});
  EXPECT_DOUBLE_EQ(skip(s5), 0);
  EXPECT_GT(rouge_recall(skip_overlap(s5, s1, 4, true)), 0);
}

TEST(Rouge, SkipsOfZeroWordsAreNeighbours) {
  const RougeText a = rouge_text({"a b c d", "e f"}), b = rouge_text({"b c e f a b d e"});
  const RougeOverlap pairs = skip_overlap(a, b, 0, false), bigrams = ngram_overlap(a, b, 2);
  EXPECT_EQ(pairs.common, bigrams.common);
  EXPECT_EQ(pairs.reference, bigrams.reference);
}

TEST(Rouge, WordsAreLettersAndDigitsInLowerCaseWithoutStopWords) {
  EXPECT_EQ(rouge_text({"The U.S.-led Été, 1,000!"}), rouge_text({"the u s led été 1 000"}));
  EXPECT_EQ(rouge_text({"the cat and THE hat"}, "", {"The", "and"}), rouge_text({"cat hat"}));
  EXPECT_EQ(rouge_text({"summaries summarised"}, "porter"), rouge_text({"summari summaris"}));
  EXPECT_NE(rouge_text({"summaries"}), rouge_text({"summari"}));
  EXPECT_EQ(rouge_text({"was"}, "porter"), rouge_text({"was"})) << "short words are not stemmed";
  EXPECT_THAT(RougeWords::make("klingon").error().message, HasSubstr("no stemmer for 'klingon'"));
}

TEST(Rouge, JackknifingLeavesOutEachReferenceInTurn) {
  const std::vector<RougeOverlap> overlaps = {{1, 10, 5}, {4, 8, 5}, {3, 6, 5}};
  const double expected = (7.0 / 14 + 4.0 / 16 + 5.0 / 18) / 3;
  EXPECT_NEAR(rouge_score(overlaps, {}).recall, expected, 1e-12);
  EXPECT_NEAR(rouge_score(overlaps, {.jackknife = false}).recall, 8.0 / 24, 1e-12);
  // Best: by F1 the second reference wins (8/13 against 6/11).
  EXPECT_NEAR(rouge_score(overlaps, {.jackknife = true, .best = true}).recall, (0.5 + 0.5 + 0.5) / 3, 1e-12);
  EXPECT_NEAR(rouge_score(overlaps, {.jackknife = false, .best = true}).precision, 0.8, 1e-12);
  EXPECT_EQ(rouge_score({}, {}).recall, 0);
}

// ---- A second implementation, on strings, by definition and without haste ---------------------------------

using SlowWords = std::vector<std::string>;

SlowWords slow_words(const RougeSentences& text) {
  SlowWords out;
  for (const std::string& sentence : text) {
    std::istringstream in(sentence);
    for (std::string word; in >> word;) out.push_back(word);
  }
  return out;
}

using SlowCounts = std::map<std::string, int>;
RougeOverlap slow_overlap(const SlowCounts& summary, const SlowCounts& reference) {
  RougeOverlap out;
  for (const auto& [key, count] : reference) {
    out.reference += static_cast<uint64_t>(count);
    const auto other = summary.find(key);
    if (other != summary.end()) out.common += static_cast<uint64_t>(std::min(count, other->second));
  }
  for (const auto& [key, count] : summary) out.summary += static_cast<uint64_t>(count);
  return out;
}

SlowCounts slow_ngrams(const SlowWords& words, size_t n) {
  SlowCounts out;
  for (size_t i = 0; i + n <= words.size(); ++i) {
    std::string key;
    for (size_t k = 0; k < n; ++k) key += words[i + k] + "|";
    ++out[key];
  }
  return out;
}

SlowCounts slow_pairs(const SlowWords& words) {
  SlowCounts out;
  for (size_t i = 0; i < words.size(); ++i) {
    ++out[words[i]];
    for (size_t between = 0; between <= 4; ++between)
      if (i + between + 1 < words.size()) ++out[words[i] + "|" + words[i + between + 1]];
  }
  return out;
}

/// All longest common subsequences of a with b, as sets of positions in a, by trying every subset.
std::set<std::set<size_t>> longest_common(const SlowWords& a, const SlowWords& b) {
  std::set<std::set<size_t>> best{{}};
  for (size_t subset = 0; subset < (size_t{1} << a.size()); ++subset) {
    size_t at = 0;
    std::set<size_t> places;
    bool common = true;
    for (size_t i = 0; i < a.size() && common; ++i) {
      if ((subset >> i & 1) == 0) continue;
      while (at < b.size() && b[at] != a[i]) ++at;
      common = at < b.size();
      ++at;
      places.insert(i);
    }
    if (!common || places.size() < best.begin()->size()) continue;
    if (places.size() > best.begin()->size()) best.clear();
    best.insert(places);
  }
  return best;
}

std::vector<RougeSentences> random_texts(Random& random, size_t texts, size_t vocabulary) {
  std::vector<RougeSentences> out(texts);
  for (RougeSentences& text : out)
    for (uint64_t s = 1 + random.below(3); s > 0; --s) {
      std::string sentence;
      for (uint64_t w = random.below(9); w > 0; --w)
        sentence += fmt::format("w{} ", random.below(vocabulary));
      text.push_back(sentence);
    }
  return out;
}

TEST(Rouge, AgreesWithASecondImplementationOnRandomTexts) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    Random random(seed);
    const auto texts = random_texts(random, 4, 2 + random.below(8));
    const SlowWords summary = slow_words(texts[0]);
    std::vector<RougeText> references;
    std::vector<RougeOverlap> unigrams, bigrams, pairs;
    for (size_t r = 1; r < texts.size(); ++r) {
      const SlowWords words = slow_words(texts[r]);
      references.push_back(rouge_text(texts[r]));
      unigrams.push_back(slow_overlap(slow_ngrams(summary, 1), slow_ngrams(words, 1)));
      bigrams.push_back(slow_overlap(slow_ngrams(summary, 2), slow_ngrams(words, 2)));
      pairs.push_back(slow_overlap(slow_pairs(summary), slow_pairs(words)));
    }
    const RougeResult found = rouge(rouge_text(texts[0]), references);
    const auto mean = [](const std::vector<RougeOverlap>& all, auto part) {
      double sum = 0;
      for (size_t left_out = 0; left_out < all.size(); ++left_out) {
        double common = 0, whole = 0;
        for (size_t i = 0; i < all.size(); ++i) {
          common += i == left_out ? 0 : static_cast<double>(all[i].common);
          whole += i == left_out ? 0 : static_cast<double>(all[i].*part);
        }
        sum += whole == 0 ? 0 : common / whole;
      }
      return sum / static_cast<double>(all.size());
    };
    const std::vector<RougeOverlap>* expected[] = {&unigrams, &bigrams, nullptr, &pairs};
    for (size_t k = 0; k < kRougeKinds; ++k) {
      if (expected[k] == nullptr) continue;
      EXPECT_NEAR(found[k].recall, mean(*expected[k], &RougeOverlap::reference), 1e-12) << seed;
      EXPECT_NEAR(found[k].precision, mean(*expected[k], &RougeOverlap::summary), 1e-12) << seed;
    }
  }
}

TEST(Rouge, SubsequencesAgreeWithAllSubsets) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    Random random(seed);
    const auto texts = random_texts(random, 2, 2 + random.below(12));
    // Any of the longest common subsequences counts, so there is a range of right answers.
    size_t least = 0, most = 0;
    bool clipped = false;
    SlowCounts left = slow_ngrams(slow_words(texts[0]), 1), wanted = slow_ngrams(slow_words(texts[1]), 1);
    for (const auto& [word, count] : wanted) clipped = clipped || count > left[word];
    for (const std::string& sentence : texts[1]) {
      const SlowWords reference = slow_words({sentence});
      std::vector<std::set<std::set<size_t>>> choices;
      for (const std::string& other : texts[0])
        choices.push_back(longest_common(reference, slow_words({other})));
      size_t low = reference.size(), high = 0;
      const std::function<void(size_t, std::set<size_t>)> combine = [&](size_t i, std::set<size_t> so_far) {
        if (i == choices.size()) {
          low = std::min(low, so_far.size());
          high = std::max(high, so_far.size());
          return;
        }
        for (const auto& choice : choices[i]) {
          std::set<size_t> next = so_far;
          next.insert(choice.begin(), choice.end());
          combine(i + 1, std::move(next));
        }
      };
      combine(0, {});
      least += low;
      most += high;
    }
    const RougeOverlap found = subsequence_overlap(rouge_text(texts[0]), rouge_text(texts[1]));
    EXPECT_LE(found.common, most) << seed;
    EXPECT_TRUE(clipped || found.common >= least) << seed;
    EXPECT_LE(found.common, ngram_overlap(rouge_text(texts[0]), rouge_text(texts[1]), 1).common) << seed;
  }
}

TEST(Rouge, MeansHaveIntervalsThatHoldThem) {
  RougeScores scores, other;
  for (int i = 0; i < 40; ++i) {
    RougeResult one{};
    one[1].recall = i % 4 * 0.1;
    (i % 2 == 0 ? scores : other).add(one, 10);
  }
  scores.merge(other);
  EXPECT_EQ(scores.summaries(), 40u);
  EXPECT_DOUBLE_EQ(scores.mean_words(), 10);
  EXPECT_NEAR(scores.mean(RougeKind::k2).recall, 0.15, 1e-12);
  const auto interval = scores.recall_interval(RougeKind::k2);
  // The standard error is 0.1118 / sqrt(40) = 0.0177.
  EXPECT_THAT(interval.low, DoubleNear(0.15 - 1.96 * 0.0177, 0.006));
  EXPECT_THAT(interval.high, DoubleNear(0.15 + 1.96 * 0.0177, 0.006));
  EXPECT_NEAR(scores.to_json().at("rouge_2").at("recall").get<double>(), 15, 1e-9);
  EXPECT_THAT(scores.table(), HasSubstr("ROUGE-SU4"));
  EXPECT_THAT(scores.table(), HasSubstr("40 clusters, summaries of 10.0 words"));
  RougeScores one;
  one.add(RougeResult{}, 10);
  EXPECT_THAT(one.table(), HasSubstr("1 cluster, summaries of 10.0 words"));
  EXPECT_EQ(RougeScores().recall_interval(RougeKind::k1).high, 0);
}

}  // namespace
}  // namespace espalier::eval

#include "espalier/data/word_clustering.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "espalier/base/random.h"

namespace espalier::data {
namespace {

using testing::HasSubstr;

/// Sentences of three kinds of words in a fixed order: determiners, nouns, verbs.
WordBigrams made_up(size_t sentences, uint64_t seed) {
  Random random(seed);
  WordBigrams text;
  std::vector<std::string> words;
  for (size_t s = 0; s < sentences; ++s) {
    words.clear();
    for (const char kind : {'d', 'n', 'v', 'd', 'n'})
      words.push_back(std::string(1, kind) + std::to_string(random.below(8)));
    text.add({words.begin(), words.end()});
  }
  return text;
}

TEST(WordClustering, WordsBetweenTheSameNeighboursShareAClass) {
  const WordBigrams text = made_up(400, 1);
  const auto classes = cluster_words(text, {.classes = 3, .least_count = 1}, Workers(1), {});
  ASSERT_TRUE(classes.ok());
  ASSERT_EQ(classes->size(), 24u);
  std::map<char, std::set<uint32_t>> by_kind;
  for (const ClassedWord& word : *classes) by_kind[word.word[0]].insert(word.its_class);
  for (const auto& [kind, found] : by_kind) EXPECT_EQ(found.size(), 1u) << kind;
  EXPECT_NE(by_kind['d'], by_kind['n']);
  EXPECT_NE(by_kind['n'], by_kind['v']);
}

/// The criterion from its definition: Σ n(c,d) log n(c,d) − 2 Σ n(c) log n(c) over classes of neighbouring
/// words, the log likelihood of the text without what does not depend on the classes. The edge of sentences
/// and rare words have classes of their own.
double class_likelihood(const std::vector<std::vector<std::string>>& text,
                        const std::vector<ClassedWord>& classes) {
  constexpr uint32_t kEdge = 1000, kRare = 1001;
  const auto class_of = [&](const std::string& word) {
    const auto found =
        std::find_if(classes.begin(), classes.end(), [&](const auto& c) { return c.word == word; });
    return found == classes.end() ? kRare : found->its_class;
  };
  std::map<std::pair<uint32_t, uint32_t>, double> pairs;
  std::map<uint32_t, double> totals;
  for (const auto& sentence : text) {
    uint32_t before = kEdge;
    for (size_t i = 0; i <= sentence.size(); ++i) {
      const uint32_t here = i < sentence.size() ? class_of(sentence[i]) : kEdge;
      pairs[{before, here}] += 1;
      totals[here] += 1;
      before = here;
    }
  }
  double sum = 0;
  for (const auto& [pair, n] : pairs) sum += n * std::log(n);
  for (const auto& [one, n] : totals) sum -= 2 * n * std::log(n);
  return sum;
}

TEST(WordClustering, NoSingleMoveRaisesTheLikelihood) {
  Random random(7);
  WordBigrams counts;
  std::vector<std::vector<std::string>> text(60);
  for (std::vector<std::string>& words : text) {
    for (size_t i = 0, n = 1 + random.below(8); i < n; ++i)
      words.push_back(std::string(1, static_cast<char>('a' + random.below(4) * random.below(6))));
    counts.add({words.begin(), words.end()});
  }
  const auto found = cluster_words(counts, {.classes = 4, .least_count = 2, .rounds = 100}, Workers(1), {});
  ASSERT_TRUE(found.ok());
  const double best = class_likelihood(text, *found);
  for (size_t w = 0; w < found->size(); ++w)
    for (uint32_t c = 0; c < 4; ++c) {
      std::vector<ClassedWord> other = *found;
      other[w].its_class = c;
      EXPECT_LE(class_likelihood(text, other), best + 1e-6);
    }
}

TEST(WordClustering, TheSameClassesAtAnyNumberOfThreads) {
  const WordBigrams text = made_up(300, 3);
  const auto one = cluster_words(text, {.classes = 5}, Workers(1), {});
  const auto three = cluster_words(text, {.classes = 5}, Workers(3), {});
  ASSERT_EQ(one->size(), three->size());
  for (size_t w = 0; w < one->size(); ++w) {
    EXPECT_EQ((*one)[w].word, (*three)[w].word);
    EXPECT_EQ((*one)[w].its_class, (*three)[w].its_class);
  }
}

TEST(WordClustering, RareWordsGetNoClassAndNothingIsAnError) {
  WordBigrams text;
  EXPECT_THAT(cluster_words(text, {}, Workers(1), {}).error().message,
              HasSubstr("nothing to put into classes"));
  text.add({"a", "a", "b"});
  const auto found = cluster_words(text, {.classes = 4}, Workers(1), {});
  ASSERT_TRUE(found.ok());
  ASSERT_EQ(found->size(), 1u);
  EXPECT_EQ(found->front().word, "a");
  EXPECT_EQ(found->front().count, 2u);
}

}  // namespace
}  // namespace espalier::data

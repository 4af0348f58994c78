#include "espalier/eval/rouge.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "espalier/base/hash.h"
#include "espalier/base/text/counted.h"
#include "espalier/base/text/json.h"
#include "espalier/base/text/text.h"

namespace espalier::eval {
namespace {

constexpr size_t kLongestUnstemmed = 3;

bool is_word_character(char32_t c) {
  switch (char_class(c)) {
    case CharClass::kUpper:
    case CharClass::kTitle:
    case CharClass::kLower:
    case CharClass::kLetterOther:
    case CharClass::kMark:
    case CharClass::kDigit:
    case CharClass::kNumberOther:
      return true;
    default:
      return false;
  }
}

std::vector<uint64_t> running_text(const RougeText& text) {
  std::vector<uint64_t> out;
  for (const auto& sentence : text) out.insert(out.end(), sentence.begin(), sentence.end());
  return out;
}

/// The size of the intersection of two multisets.
RougeOverlap multiset_overlap(std::vector<uint64_t> summary, std::vector<uint64_t> reference) {
  std::sort(summary.begin(), summary.end());
  std::sort(reference.begin(), reference.end());
  RougeOverlap out{0, reference.size(), summary.size()};
  for (auto s = summary.begin(), r = reference.begin(); s != summary.end() && r != reference.end();) {
    if (*s == *r) {
      ++out.common;
      ++s;
      ++r;
    } else {
      *s < *r ? ++s : ++r;
    }
  }
  return out;
}

std::vector<uint64_t> ngrams(const std::vector<uint64_t>& words, size_t n) {
  std::vector<uint64_t> out;
  for (size_t i = 0; i + n <= words.size(); ++i) {
    uint64_t hash = words[i];
    for (size_t k = 1; k < n; ++k) hash = hash_combine(hash, words[i + k]);
    out.push_back(hash);
  }
  return out;
}

std::vector<uint64_t> skip_pairs(const std::vector<uint64_t>& words, size_t skip, bool unigrams) {
  std::vector<uint64_t> out;
  if (unigrams) out = words;
  for (size_t i = 0; i < words.size(); ++i)
    for (size_t j = i + 1; j < words.size() && j - i - 1 <= skip; ++j)
      out.push_back(hash_combine(words[i], words[j]));
  return out;
}

/// Marks the words of `reference` on one longest common subsequence with `sentence`.
void mark_subsequence(const std::vector<uint64_t>& reference, const std::vector<uint64_t>& sentence,
                      std::vector<uint32_t>& length, std::vector<bool>& marked) {
  const size_t rows = reference.size(), columns = sentence.size(), stride = columns + 1;
  length.assign((rows + 1) * stride, 0);
  for (size_t i = 1; i <= rows; ++i)
    for (size_t j = 1; j <= columns; ++j)
      length[i * stride + j] = reference[i - 1] == sentence[j - 1]
                                   ? length[(i - 1) * stride + j - 1] + 1
                                   : std::max(length[(i - 1) * stride + j], length[i * stride + j - 1]);
  for (size_t i = rows, j = columns; i > 0 && j > 0;) {
    if (reference[i - 1] == sentence[j - 1]) {
      marked[--i] = true;
      --j;
    } else if (length[(i - 1) * stride + j] > length[i * stride + j - 1]) {
      --i;
    } else {
      --j;
    }
  }
}

double ratio(uint64_t part, uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

RougeScore score_of(const RougeOverlap& overlap) {
  RougeScore out{ratio(overlap.common, overlap.reference), ratio(overlap.common, overlap.summary), 0};
  if (out.recall + out.precision > 0) out.f1 = 2 * out.recall * out.precision / (out.recall + out.precision);
  return out;
}

/// The score against all overlaps but one; `without` is none of them if it is past the end.
RougeScore score_without(std::span<const RougeOverlap> overlaps, size_t without, bool best) {
  RougeOverlap sum;
  RougeScore highest;
  for (size_t i = 0; i < overlaps.size(); ++i) {
    if (i == without) continue;
    sum.common += overlaps[i].common;
    sum.reference += overlaps[i].reference;
    sum.summary += overlaps[i].summary;
    if (const RougeScore one = score_of(overlaps[i]); one.f1 > highest.f1) highest = one;
  }
  return best ? highest : score_of(sum);
}

}  // namespace

Result<RougeWords> RougeWords::make(const std::string& stemmer, std::span<const std::string> stopwords) {
  RougeWords out;
  ESPALIER_ASSIGN(out.stemmer_, data::Stemmer::make(stemmer));
  std::string lower;
  for (const std::string& word : stopwords) {
    to_lower(word, lower);
    out.stopwords_.insert(lower);
  }
  return out;
}

void RougeWords::append(std::string_view text, std::vector<uint64_t>& words) {
  to_lower(text, lower_);
  size_t letters = 0;
  const auto end_word = [&] {
    if (word_.empty()) return;
    if (stopwords_.empty() || !stopwords_.contains(word_))
      words.push_back(hash_bytes(letters > kLongestUnstemmed ? stemmer_.stem(word_) : word_));
    word_.clear();
    letters = 0;
  };
  size_t at = 0;
  for (const CodePoint c : CodePoints(lower_)) {
    if (is_word_character(c.value)) {
      word_.append(lower_, at, c.size);
      ++letters;
    } else {
      end_word();
    }
    at += c.size;
  }
  end_word();
}

RougeText RougeWords::text(std::span<const std::string> sentences) {
  RougeText out;
  for (const std::string& sentence : sentences) append(sentence, out.emplace_back());
  return out;
}

RougeOverlap ngram_overlap(const RougeText& summary, const RougeText& reference, size_t n) {
  return multiset_overlap(ngrams(running_text(summary), n), ngrams(running_text(reference), n));
}

RougeOverlap skip_overlap(const RougeText& summary, const RougeText& reference, size_t skip, bool unigrams) {
  return multiset_overlap(skip_pairs(running_text(summary), skip, unigrams),
                          skip_pairs(running_text(reference), skip, unigrams));
}

RougeOverlap subsequence_overlap(const RougeText& summary, const RougeText& reference) {
  RougeOverlap out;
  std::unordered_map<uint64_t, size_t> left;  // of the summary's words
  for (const auto& sentence : summary)
    for (const uint64_t word : sentence) {
      ++left[word];
      ++out.summary;
    }
  std::vector<uint32_t> length;
  std::vector<bool> marked;
  for (const auto& sentence : reference) {
    out.reference += sentence.size();
    marked.assign(sentence.size(), false);
    for (const auto& other : summary) mark_subsequence(sentence, other, length, marked);
    for (size_t i = 0; i < sentence.size(); ++i) {
      if (!marked[i]) continue;
      if (size_t& count = left[sentence[i]]; count > 0) {
        --count;
        ++out.common;
      }
    }
  }
  return out;
}

RougeScore rouge_score(std::span<const RougeOverlap> overlaps, const RougeOptions& options) {
  if (overlaps.size() < 2 || !options.jackknife)
    return score_without(overlaps, overlaps.size(), options.best);
  RougeScore mean;
  for (size_t i = 0; i < overlaps.size(); ++i) {
    const RougeScore one = score_without(overlaps, i, options.best);
    mean.recall += one.recall;
    mean.precision += one.precision;
    mean.f1 += one.f1;
  }
  const auto n = static_cast<double>(overlaps.size());
  return {mean.recall / n, mean.precision / n, mean.f1 / n};
}

RougeResult rouge(const RougeText& summary, std::span<const RougeText> references,
                  const RougeOptions& options) {
  constexpr size_t kSkip = 4;
  std::array<std::vector<RougeOverlap>, kRougeKinds> overlaps;
  for (const RougeText& reference : references) {
    overlaps[0].push_back(ngram_overlap(summary, reference, 1));
    overlaps[1].push_back(ngram_overlap(summary, reference, 2));
    overlaps[2].push_back(subsequence_overlap(summary, reference));
    overlaps[3].push_back(skip_overlap(summary, reference, kSkip, true));
  }
  RougeResult out;
  for (size_t k = 0; k < kRougeKinds; ++k) out[k] = rouge_score(overlaps[k], options);
  return out;
}

void RougeScores::merge(const RougeScores& other) {
  results_.insert(results_.end(), other.results_.begin(), other.results_.end());
  words_ += other.words_;
}

double RougeScores::mean_words() const { return ratio(words_, results_.size()); }

RougeScore RougeScores::mean(RougeKind kind) const {
  RougeScore sum;
  for (const RougeResult& result : results_) {
    const RougeScore& one = result[static_cast<size_t>(kind)];
    sum.recall += one.recall;
    sum.precision += one.precision;
    sum.f1 += one.f1;
  }
  const auto n = static_cast<double>(std::max<size_t>(1, results_.size()));
  return {sum.recall / n, sum.precision / n, sum.f1 / n};
}

RougeScores::Interval RougeScores::recall_interval(RougeKind kind, const Random& random,
                                                   size_t samples) const {
  if (results_.empty()) return {};
  std::vector<double> means(samples);
  for (size_t s = 0; s < samples; ++s) {
    Random draws = random.split(s);
    double sum = 0;
    for (size_t i = 0; i < results_.size(); ++i)
      sum += results_[draws.below(results_.size())][static_cast<size_t>(kind)].recall;
    means[s] = sum / static_cast<double>(results_.size());
  }
  std::sort(means.begin(), means.end());
  const auto at = [&](double share) {
    return means[static_cast<size_t>(share * static_cast<double>(samples - 1) + 0.5)];
  };
  return {at(0.025), at(0.975)};
}

Json RougeScores::to_json() const {
  Json out = {{"summaries", summaries()}, {"words_per_summary", mean_words()}};
  for (size_t k = 0; k < kRougeKinds; ++k) {
    const auto kind = static_cast<RougeKind>(k);
    const RougeScore score = mean(kind);
    const Interval interval = recall_interval(kind);
    out[std::string(kRougeNames[k])] = {{"recall", 100 * score.recall},
                                        {"precision", 100 * score.precision},
                                        {"f1", 100 * score.f1},
                                        {"recall_low", 100 * interval.low},
                                        {"recall_high", 100 * interval.high}};
  }
  return out;
}

std::string RougeScores::table() const {
  constexpr std::array<std::string_view, kRougeKinds> kTitles = {"ROUGE-1", "ROUGE-2", "ROUGE-L",
                                                                 "ROUGE-SU4"};
  std::string out =
      fmt::format("{}, summaries of {:.1f} words\n", counted(summaries(), "cluster"), mean_words());
  out += "             recall     95 % interval  precision      F1\n";
  for (size_t k = 0; k < kRougeKinds; ++k) {
    const auto kind = static_cast<RougeKind>(k);
    const RougeScore score = mean(kind);
    const Interval interval = recall_interval(kind);
    out += fmt::format("{:<10} {:>8.2f}  {:>7.2f} to {:>6.2f}   {:>8.2f} {:>7.2f}\n", kTitles[k],
                       100 * score.recall, 100 * interval.low, 100 * interval.high, 100 * score.precision,
                       100 * score.f1);
  }
  return out;
}

}  // namespace espalier::eval

// ROUGE (Lin 2004): how much of human reference summaries a summary contains, counted in words (ROUGE-1),
// pairs of neighbours (ROUGE-2), the longest common subsequence (ROUGE-L) and pairs with up to four words
// between them plus single words (ROUGE-SU4).
//
// RougeWords turns text into words, rouge() compares one summary with its references, RougeScores averages
// over summaries. Counts follow ROUGE-1.5.5: n-grams and pairs run on from sentence to sentence; ROUGE-L
// takes, for each sentence of a reference, the union of its longest common subsequences with every sentence
// of the summary, and counts no word more often than the summary has it. Words are runs of letters and digits
// in lower case. Stems are those of Snowball ("porter" is what ROUGE-1.5.5 has, but for its list of
// exceptions).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "espalier/base/random.h"
#include "espalier/base/result.h"
#include "espalier/base/text/json.h"
#include "espalier/data/stemmer.h"

namespace espalier::eval {

/// Sentences of words; a word is its hash.
using RougeText = std::vector<std::vector<uint64_t>>;

/// Turns text into words. Not thread-safe, because stemmers are not.
class RougeWords {
 public:
  /// `stemmer`: a language (data/stemmer.h) or nothing. Words among `stopwords`, compared in lower case
  /// before stemming, are left out.
  static Result<RougeWords> make(const std::string& stemmer, std::span<const std::string> stopwords = {});

  /// Appends the words of a text. As in ROUGE-1.5.5, words of up to three letters are not stemmed.
  void append(std::string_view text, std::vector<uint64_t>& words);
  RougeText text(std::span<const std::string> sentences);

 private:
  data::Stemmer stemmer_;
  std::unordered_set<std::string> stopwords_;
  std::string lower_, word_;
};

enum class RougeKind : uint8_t { k1, k2, kL, kSU4 };
inline constexpr size_t kRougeKinds = 4;
inline constexpr std::array<std::string_view, kRougeKinds> kRougeNames = {"rouge_1", "rouge_2", "rouge_l",
                                                                          "rouge_su4"};

/// Fractions of 1.
struct RougeScore {
  double recall = 0, precision = 0, f1 = 0;
};
using RougeResult = std::array<RougeScore, kRougeKinds>;  ///< by RougeKind

/// What a summary has in common with one reference.
struct RougeOverlap {
  uint64_t common = 0, reference = 0, summary = 0;
};
RougeOverlap ngram_overlap(const RougeText& summary, const RougeText& reference, size_t n);
/// Pairs with at most `skip` words between them, and single words if `unigrams`.
RougeOverlap skip_overlap(const RougeText& summary, const RougeText& reference, size_t skip, bool unigrams);
RougeOverlap subsequence_overlap(const RougeText& summary, const RougeText& reference);

struct RougeOptions {
  /// Several references: the mean over all sets that leave out one of them, so that people, who cannot be
  /// compared with themselves, can be scored in the same way (Lin 2004, section 2.1).
  bool jackknife = true;
  /// A set of references counts as its best one, by F1; otherwise counts of all are summed, as ROUGE-1.5.5
  /// does by default.
  bool best = false;
};
/// The score of one measure, from the overlaps with each reference; all 0 if there are none.
RougeScore rouge_score(std::span<const RougeOverlap> overlaps, const RougeOptions& options);
/// All measures. O(words of the summary × words of the references) for ROUGE-L, about linear for the rest.
RougeResult rouge(const RougeText& summary, std::span<const RougeText> references,
                  const RougeOptions& options = {});

/// The scores of many summaries.
class RougeScores {
 public:
  void add(const RougeResult& result, size_t words) {
    results_.push_back(result);
    words_ += words;
  }
  void merge(const RougeScores& other);
  size_t summaries() const { return results_.size(); }
  /// Words per summary, as ROUGE counts them.
  double mean_words() const;
  const std::vector<RougeResult>& results() const { return results_; }
  RougeScore mean(RougeKind kind) const;

  /// The range in which 95 % of the means over resampled sets of summaries are (percentile bootstrap).
  struct Interval {
    double low = 0, high = 0;
  };
  Interval recall_interval(RougeKind kind, const Random& random = Random(1), size_t samples = 1000) const;

  /// In percent.
  Json to_json() const;
  std::string table() const;

 private:
  std::vector<RougeResult> results_;
  size_t words_ = 0;
};

}  // namespace espalier::eval

// How well a tagger did: accuracy, chunk F1 as the CoNLL shared tasks count it, confusions, calibration. Make
// a TaggingScores, add() each sequence, then ask for scores or a report.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "espalier/base/text/json.h"
#include "espalier/eval/calibration.h"
#include "espalier/eval/chunks.h"

namespace espalier::eval {

/// What one sequence adds to the scores: enough to compute them for any selection of sequences
/// (significance.h).
struct SequenceStatistics {
  uint32_t tokens = 0;   ///< those whose gold label is known
  uint32_t correct = 0;  ///< of these
  Counts chunks;
};

/// The counts of a label, or of a chunk type.
struct LabelScore : Counts {
  std::string label;
};

/// A label taken for another.
struct Confusion {
  std::string gold;
  std::string predicted;
  uint64_t count = 0;
  bool operator==(const Confusion&) const = default;
};

/// Gathers scores sequence by sequence. Space grows with the number of labels and of distinct confusions, not
/// with the data. Shards filled on different threads can be merged in any order; the results are the same to
/// the bit. One object must not be used by several threads at once.
///
/// Tokens whose gold label is `_` (not known) are not counted: not as tokens, and neither side has a chunk
/// there. A sequence in which all gold labels are unknown does not count.
///
/// Labels are chunk labels if the gold labels are O or have the form [BIESLU]-TYPE (and, if all gold labels
/// are O, the predicted ones as well). Then precision, recall and F1 are those of chunks, and labels are
/// reported by type. Otherwise each token is one decision, and precision, recall and F1 equal the accuracy.
/// A few gold labels of another form, at most one for every kChunksPerStray that have it, are taken for
/// mistakes: they are counted as conlleval counts them, and stray_labels() names them.
class TaggingScores {
 public:
  /// Adds a sequence and returns what it added. `confidence`, where given, is the probability of each
  /// predicted label. Precondition: as many predicted labels (and confidences, where there are any) as gold
  /// ones.
  SequenceStatistics add(std::span<const std::string_view> gold, std::span<const std::string_view> predicted,
                         std::span<const float> confidence = {});
  void merge(const TaggingScores& other);

  uint64_t sequences() const { return sequences_; }
  uint64_t tokens() const { return tokens_; }
  /// Whether the labels are those of a chunk scheme (see above).
  bool chunked() const;
  /// If they are: the gold labels that are not, by name, with how many tokens have them.
  std::vector<std::pair<std::string, uint64_t>> stray_labels() const;

  /// All in percent.
  double accuracy() const;
  double sequence_accuracy() const;
  double precision() const { return overall().precision(); }
  double recall() const { return overall().recall(); }
  double f1() const { return overall().f1(); }

  /// Counts of chunks; of tokens where labels are plain.
  Counts overall() const;
  /// By chunk type, or by label where these are plain, in order of their names.
  std::vector<LabelScore> by_label() const;

  /// The largest cells off the diagonal of the matrix gold × predicted, largest first; ties go to the name
  /// that sorts first.
  std::vector<Confusion> confusions(size_t most) const;

  const Reliability& calibration() const { return calibration_; }

  /// The output of the CoNLL-2000 evaluation script, in its layout; for plain labels, the output of its raw
  /// mode without an "outside" label.
  std::string conlleval_report() const;
  /// What that report leaves out: sequence accuracy, the most frequent confusions, calibration.
  std::string table() const;
  /// All scores. Labels are copied unchanged: dump with a lenient error handler if they may not be UTF-8.
  Json to_json() const;

 private:
  static constexpr uint64_t kChunksPerStray = 20;
  LabelTable table_;
  std::vector<Counts> labels_;                         // By label number.
  std::vector<Counts> types_;                          // By type number.
  std::unordered_map<uint64_t, uint64_t> confusions_;  // By gold · 2^32 + predicted; errors only.
  Reliability calibration_;
  uint64_t sequences_ = 0;
  uint64_t correct_sequences_ = 0;
  uint64_t tokens_ = 0;
  uint64_t correct_tokens_ = 0;
};

}  // namespace espalier::eval

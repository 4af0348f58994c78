// Applying an ensemble: votes in, labels and confidences out, one sequence at a time or all of a stream as
// text.
//
// Applier labels one sequence; apply_to_streams runs it over open experts and formats what comes out. Tested
// in learn_from_experts_test.cc. O(tokens × experts) per sequence, plus a Viterbi over labels where the
// labels have a scheme or an automaton.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "espalier/base/progress.h"
#include "espalier/data/formats/writer.h"
#include "espalier/ensemble/experts/open_experts.h"
#include "espalier/ensemble/model.h"
#include "espalier/ensemble/votes/combine.h"

namespace espalier::ensemble {

/// The combined labels of one sequence; of aligned outputs, without gaps.
struct Answer {
  std::vector<std::string_view> labels;  ///< "_" if all experts abstain; views of the label set
  std::vector<double> confidence;        ///< per label: the probability that it is right
  double whole = 0;                      ///< probability that all of them are right
};

/// Applies an ensemble on one thread. The model must outlive it. Not movable: its parts refer to each other.
class Applier {
 public:
  /// `legal`: only label sequences that the scheme of the gold labels allows.
  Applier(const EnsembleModel& model, bool legal);
  Applier(const Applier&) = delete;
  Applier& operator=(const Applier&) = delete;

  /// The label set that votes refer to: the model's, and what experts add to it.
  data::LabelSet& labels() { return labels_; }
  /// Whether experts have used labels that the model does not know.
  bool has_new_labels() const { return labels_.size() > model_.labels.size(); }
  /// `number` is the sequence's, from 0: it keys the random draws of the method rand. `left_out`: nobody is
  /// asked, every label is unknown. `out` is valid until labels are added.
  Status answer(const TokenVotes& votes, size_t number, bool left_out, Answer& out);

 private:
  const EnsembleModel& model_;
  data::LabelSet labels_;
  WeightTable short_table_;
  Substructures substructures_;
  Combiner combiner_;
  Combined combined_;
  std::vector<double> confidence_;
};

/// Writes labels as a column of the rows they belong to, or, if there are no rows, as labels only.
class AnswerWriter {
 public:
  /// `format`: empty for that of the input.
  static Result<AnswerWriter> make(const OpenExperts& experts, const std::string& format, bool aligned,
                                   bool confidence);
  void append(const data::Sequence& sequence, const Answer& answer, std::string& out) const;

 private:
  LabelLayout layout_ = LabelLayout::kWithTokens;
  std::optional<data::Writer> rows_;
  bool confidence_ = false;
};

struct AppliedCounts {
  size_t sequences = 0, tokens = 0;
};
/// Labels all that the experts have read. Fails with "interrupted …" if the monitor asks to stop.
/// Precondition: `experts` adds to applier.labels(), with as many experts as the model combines.
Result<AppliedCounts> apply_to_streams(Applier& applier, OpenExperts& experts, const AnswerWriter& writer,
                                       const std::function<Status(std::string_view)>& write,
                                       const Monitor& monitor);

}  // namespace espalier::ensemble

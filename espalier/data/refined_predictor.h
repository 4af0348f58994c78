// Models that learn in a finer label scheme than that of their data. Inside, labels are those of a refined
// LabelSet; RefinedPredictor is what users see: labels, probabilities, n-best lists, explanations and forced
// labels in the scheme of the data. The other functions are for the models it wraps.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "espalier/base/result.h"
#include "espalier/data/label_scheme.h"
#include "espalier/data/label_set.h"
#include "espalier/data/wrapped_predictor.h"

namespace espalier::data {

/// A label set from the names and places that a model file has; no places: one that is not refined. Error
/// messages call the model `name`.
Result<LabelSet> restore_labels(const std::vector<std::string>& names, const std::string& places,
                                const std::string& name);

/// The gold labels of a sequence among `labels`, refined or not; kNoLabel where there is none.
void gold_labels(const Sequence& sequence, const LabelSet& labels, Scheme scheme, std::vector<Label>& out);

/// The probability of a label's text: the sum over all labels with it. `p` has one entry per label.
float probability_of(const LabelSet& labels, std::span<const float> p, Label label);
/// The most probable label of the most probable text.
Label most_probable(const LabelSet& labels, std::span<const float> p);

/// A predictor of refined labels as one of plain labels. What the wrapped model takes as forced labels and as
/// the label of strongest() are plain numbers already. The probability of a labelling is that of its most
/// probable readings; n-best lists have every labelling once. Costs a pass over the answer. As thread-safe as
/// what it wraps.
class RefinedPredictor final : public WrappedPredictor {
 public:
  /// The model must outlive this.
  explicit RefinedPredictor(const Predictor& model);
  explicit RefinedPredictor(std::unique_ptr<const Predictor> model);

  const LabelSet& labels() const override { return plain_; }
  const LabelSet& labels_of_column(size_t) const override { return plain_; }
  Status predict(const Sequence& sequence, std::span<const Label> forced, const PredictOptions& options,
                 Scratch& scratch, Prediction& out) const override;
  Explained explain_forced(const Sequence& sequence, std::span<const Label> forced,
                           Scratch& scratch) const override;
  StrongestWeights strongest(size_t how_many, std::optional<Label> only) const override;
  /// Of the readings of two labels, the pair with the largest weight.
  std::vector<WeightedTransition> weighted_transitions() const override;

 private:
  void make_plain(Prediction& out) const;
  std::unique_ptr<const Predictor> owned_;
  const Predictor& model_;
  LabelSet plain_;
};

}  // namespace espalier::data

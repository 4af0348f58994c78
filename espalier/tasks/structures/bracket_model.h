// Trained bracket classifiers, ready to use.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "espalier/base/section_file.h"
#include "espalier/chain/model/model.h"
#include "espalier/data/predictor.h"
#include "espalier/tasks/structures/brackets.h"

namespace espalier::tasks {

/// What save_bracket_model writes. The two classifiers are stored as the rows of a chain without transitions
/// whose "labels" are the two decisions: one format of weights for all.
struct BracketSource {
  std::string type;  ///< of the phrases: NP
  size_t longest = 40;
  const BracketWeights& weights;
  const linear::FeatureSpace& features;
  int weight_bits = 32;
};
void save_bracket_model(const BracketSource& source, SectionWriter& out);

/// The model behind data::Predictor: activations of both classifiers, then the best phrases that do not
/// overlap, as B-X, I-X and O. It gives one labelling without probabilities and takes no forced labels:
/// asking for them is an error that says so. Holds views of the section file, which must outlive it.
class BracketPredictor final : public data::Predictor {
 public:
  static Result<std::unique_ptr<BracketPredictor>> load(const SectionFile& file,
                                                        data::FeatureExtractor extractor);

  const data::LabelSet& labels() const override { return labels_; }
  std::unique_ptr<Scratch> make_scratch() const override { return classifiers_->make_scratch(); }
  Status predict(const data::Sequence& sequence, std::span<const data::Label> forced,
                 const data::PredictOptions& options, Scratch& scratch, data::Prediction& out) const override;
  /// What speaks for a phrase to begin at each token and to end there. The runner-up is what the token would
  /// be if the nearer of the two decisions fell the other way.
  Result<std::vector<Explanation>> explain(const data::Sequence& sequence, Scratch& scratch) const override;
  Result<std::vector<WeightedFeature>> strongest(size_t how_many,
                                                 std::optional<data::Label> only) const override;
  std::vector<WeightedTransition> weighted_transitions() const override { return {}; }
  Size size() const override { return classifiers_->size(); }
  std::string details() const override;

 private:
  BracketPredictor() = default;
  /// The phrases of a sequence; activations stay in the scratch.
  std::vector<constrain::Phrase> find(const data::Sequence& sequence, Scratch& scratch,
                                      std::vector<float>& opens, std::vector<float>& closes) const;

  std::unique_ptr<chain::ChainPredictor> classifiers_;
  data::LabelSet labels_;  ///< B-X, I-X, O
  std::string type_;
  size_t longest_ = 1;
};

/// Phrases as labels 0 (B), 1 (I) and 2 (O).
std::vector<data::Label> bracket_labels(std::span<const constrain::Phrase> phrases, size_t length);

}  // namespace espalier::tasks

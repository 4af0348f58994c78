// Trained bracket classifiers: save_bracket_model() writes them, load_bracket_model() opens them as a
// BracketPredictor. Tagging costs two scores per token and a dynamic program over phrases. Probabilities,
// n-best lists and forced labels are not supported. Tested in apps/tests/tasks_test.sh.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "espalier/base/files/section_file.h"
#include "espalier/chain/model/model.h"
#include "espalier/data/predictor.h"
#include "espalier/tasks/structures/brackets.h"

namespace espalier::tasks {

/// What save_bracket_model writes. The two classifiers are stored as a chain without transitions whose two
/// "labels" are the two decisions, so the format of weights is the same.
struct BracketSource {
  std::string type;  ///< type of the phrases, such as NP
  size_t longest = 40;
  const BracketWeights& weights;
  const linear::FeatureSpace& features;
  int weight_bits = 32;
};
void save_bracket_model(const BracketSource& source, SectionWriter& out);

/// The model as a data::Predictor: scores both classifiers at every token, then finds the best phrases that
/// do not overlap and returns them as B-X, I-X and O. It returns one labelling without probabilities and does
/// not support forced labels; asking for more is an error. Holds views of the section file, which must
/// outlive it.
class BracketPredictor final : public data::Predictor {
 public:
  static Result<std::unique_ptr<BracketPredictor>> load(const SectionFile& file,
                                                        data::FeatureExtractor extractor);

  const data::LabelSet& labels() const override { return labels_; }
  std::unique_ptr<Scratch> make_scratch() const override { return classifiers_->make_scratch(); }
  Status predict(const data::Sequence& sequence, std::span<const data::Label> forced,
                 const data::PredictOptions& options, Scratch& scratch, data::Prediction& out) const override;
  /// The evidence for a phrase to begin and to end at each token. The runner-up is the label of the token if
  /// the closer of the two decisions were reversed.
  Explained explain_forced(const data::Sequence& sequence, std::span<const data::Label> forced,
                           Scratch& scratch) const override;
  StrongestWeights strongest(size_t how_many, std::optional<data::Label> only) const override;
  Size size() const override { return classifiers_->size(); }
  std::string details() const override;

 private:
  BracketPredictor() = default;
  /// Finds the phrases of a sequence; the activations stay in the scratch.
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

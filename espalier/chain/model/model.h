// A trained first-order chain. save_model writes it, ChainPredictor::load opens it; `tag` calls predict().
// Immutable; safe for any number of threads, each with its own scratch.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "espalier/base/files/section_file.h"
#include "espalier/chain/kernels.h"
#include "espalier/chain/span_marginals.h"
#include "espalier/chain/ways_back.h"
#include "espalier/chain/weights.h"
#include "espalier/data/features/features.h"
#include "espalier/data/label_scheme.h"
#include "espalier/data/predictor.h"
#include "espalier/linear/classifiers/kernel_model.h"
#include "espalier/linear/encoding/dataset.h"
#include "espalier/linear/packed_rows.h"

namespace espalier::chain {

/// How scores are turned into probabilities.
enum class Normalisation {
  kSequence,  ///< over whole labellings (CRF, and margin learners through their temperature)
  kPosition,  ///< at each position given the label before (MEMM)
};

/// What save_model writes in addition to the weights.
struct ModelSource {
  const data::LabelSet& labels;
  const ChainWeights& weights;
  const linear::FeatureSpace& state;
  const linear::FeatureSpace& edge;
  Normalisation normalisation = Normalisation::kSequence;
  double temperature = 1;  ///< scores are divided by this before they become probabilities
  data::Scheme scheme = data::Scheme::kNone;
  int weight_bits = 32;
  /// Where tokens are scored by a kernel machine instead of rows of weights; `weights` then gives labels
  /// only.
  const linear::KernelModel* kernel = nullptr;
  /// `weights`, `state` and `edge` stay as long as the writer, which then takes views of them where it can.
  bool stays = false;
};

/// Adds the sections of a chain model. Weights that are exactly 0, features without weights, and their names
/// are left out.
void save_model(const ModelSource& source, SectionWriter& out);

/// The model behind data::Predictor. Holds views of the section file, which must outlive it.
class ChainPredictor final : public data::Predictor {
 public:
  static Result<std::unique_ptr<ChainPredictor>> load(const SectionFile& file,
                                                      data::FeatureExtractor extractor);

  const data::LabelSet& labels() const override { return labels_; }
  std::unique_ptr<Scratch> make_scratch() const override;
  Status predict(const data::Sequence& sequence, std::span<const data::Label> forced,
                 const data::PredictOptions& options, Scratch& scratch, data::Prediction& out) const override;
  Explained explain_forced(const data::Sequence& sequence, std::span<const data::Label> forced,
                           Scratch& scratch) const override;
  /// The same for any labelling that has these forced labels, found under constraints for example: margins
  /// are below zero where the model alone would have chosen otherwise. Precondition: one label per token.
  Result<std::vector<Explanation>> explain_labels(const data::Sequence& sequence,
                                                  std::span<const data::Label> labels,
                                                  std::span<const data::Label> forced,
                                                  data::Predictor::Scratch& scratch) const;

  /// The two halves of predict(), for other decoders: scores() computes the scores of a sequence, which the
  /// scratch holds until its next use and the caller may change (also what `view` points to); decode() turns
  /// them into a prediction.
  SequenceScores& scores(const data::Sequence& sequence, std::span<const data::Label> forced,
                         data::Predictor::Scratch& scratch) const;
  Status decode(const data::PredictOptions& options, data::Predictor::Scratch& scratch,
                data::Prediction& out) const;

  /// Where labellings come from, by their probabilities: what the model believes, without what is next to
  /// impossible. The scratch holds it until its next use.
  const WaysBack& ways_back(const data::Sequence& sequence, data::Predictor::Scratch& scratch) const;

  StrongestWeights strongest(size_t how_many, std::optional<data::Label> only) const override;
  std::vector<WeightedTransition> weighted_transitions() const override;
  Size size() const override;

  data::Scheme scheme() const { return scheme_; }
  double temperature() const { return temperature_; }
  bool transitions() const { return transitions_; }
  float transition(data::Label from, data::Label to) const { return trans_[from * stride_ + to]; }
  /// Whether tokens are scored by a kernel machine; there are then no weight rows.
  bool kernelised() const { return kernel_.has_value(); }
  const linear::PackedRows& state_rows() const { return state_; }
  const linear::PackedRows& edge_rows() const { return edge_; }
  /// Where each row of state_rows() begins, in the order of the names.
  std::vector<uint32_t> state_row_starts() const;
  /// The entries of the hash table, to turn a model back into weights (warm start).
  const linear::FeatureMap& state_map() const { return state_map_; }
  const linear::FeatureMap& edge_map() const { return edge_map_; }
  const data::FeatureExtractor& extractor() const { return extractor_; }

 private:
  struct Buffers;
  explicit ChainPredictor(data::FeatureExtractor extractor) : extractor_(std::move(extractor)) {}

  /// Whether the state features themselves are wanted in the scratch, or their sums alone.
  enum class Each { kSum, kFeature };
  /// Computes the scores of a sequence; labels that are not the forced one get −∞.
  void score(const data::Sequence& sequence, std::span<const data::Label> forced, Each each,
             Buffers& b) const;
  void score_nodes(const data::Sequence& sequence, Each each, Buffers& b) const;
  /// Scores of one token, whose features are [first, last) of the sequence's, by the kernel machine.
  void kernel_scores(uint32_t first, uint32_t last, Buffers& b, float* node) const;
  /// Turns scores into each position's log probabilities given the label before.
  void normalise_positions(SequenceScores& scores) const;
  /// The probabilities of labels under b.scores; leaves the scores divided by the temperature in b.warm,
  /// whose transitions are `trans`. Returns log Z.
  double find_marginals(Buffers& b, AlignedVector<float>& trans) const;
  void add_confidence(const data::PredictOptions& options, Buffers& b, data::Prediction& out) const;
  void add_spans(Buffers& b, data::Prediction& out) const;
  Status best_labellings(const data::PredictOptions& options, Buffers& b, data::Prediction& out) const;

  data::FeatureExtractor extractor_;
  data::LabelSet labels_;
  size_t stride_ = 0;
  bool transitions_ = true;
  Normalisation normalisation_ = Normalisation::kSequence;
  double temperature_ = 1;
  data::Scheme scheme_ = data::Scheme::kNone;
  std::optional<SpanRules> span_rules_;  ///< where there is a scheme
  linear::FeatureMap state_map_, edge_map_;
  linear::PackedRows state_, edge_;
  std::optional<linear::KernelModel>
      kernel_;  ///< the state map then holds feature numbers instead of offsets
  AlignedVector<float> trans_;
  AlignedVector<float> trans_into_;  ///< with rows and columns changed over; empty with hundreds of labels
  std::optional<std::string_view>
      names_;                        ///< of the rows of state_, a line each; none where they were stripped
  std::string file_name_;            ///< for errors
  TransitionPotentials potentials_;  ///< of trans / temperature
};

}  // namespace espalier::chain

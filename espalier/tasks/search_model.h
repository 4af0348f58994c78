// A trained search over sequences, ready to use.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "espalier/base/section_file.h"
#include "espalier/data/predictor.h"
#include "espalier/search/policy/stored_policy.h"
#include "espalier/tasks/chunks/chunk_features.h"
#include "espalier/tasks/search_training.h"
#include "espalier/tasks/spaces/history_names.h"
#include "espalier/tasks/spaces/sequence_shape.h"

namespace espalier::tasks {

/// What save_search_model writes.
struct SearchModelSource {
  const SequenceShape& shape;
  const ChunkFeatureOptions* chunks = nullptr;  ///< where chunks are decided
  const search::Mixture& policy;
  const linear::FeatureSpace& features;
  DecodeOptions decode;
  int weight_bits = 32;
  std::string classifier = {};  ///< what was learned and how, in words
  HistoryNames history = {};    ///< of the classifier with the largest share
};
Status save_search_model(const SearchModelSource& source, SectionWriter& out);

/// The beam of a model that was trained without one, where a beam is asked for and its width is not said.
inline constexpr size_t kUsualBeam = 10;

/// The model behind data::Predictor. Scores are not probabilities: asking for confidence or marginals is an
/// error that says so; n-best are the goals of a breadth-first beam. Holds views of the section file, which
/// must outlive it.
class SearchPredictor final : public data::Predictor {
 public:
  static Result<std::unique_ptr<SearchPredictor>> load(const SectionFile& file,
                                                       data::FeatureExtractor extractor);

  const data::LabelSet& labels() const override { return shape_.column_labels.back(); }
  size_t label_columns() const override { return shape_.columns(); }
  const data::LabelSet& labels_of_column(size_t column) const override {
    return shape_.column_labels[column];
  }
  bool is_search() const override { return true; }
  std::unique_ptr<data::Predictor::Scratch> make_scratch() const override;
  Status predict(const data::Sequence& sequence, std::span<const data::Label> forced,
                 const data::PredictOptions& options, data::Predictor::Scratch& scratch,
                 data::Prediction& out) const override;
  Result<std::vector<Explanation>> explain(const data::Sequence& sequence,
                                           data::Predictor::Scratch& scratch) const override;
  Result<std::vector<WeightedFeature>> strongest(size_t how_many,
                                                 std::optional<data::Label> only) const override;
  std::vector<WeightedTransition> weighted_transitions() const override { return {}; }
  std::string about_weights() const override;
  std::string no_transitions() const override;
  Size size() const override;
  std::string details() const override;

  const SequenceShape& shape() const { return shape_; }

  /// predict() where only what `legal` leaves is done (null: everything); `moves` as moves_under gives them.
  Status predict_legal(const data::Sequence& sequence, std::span<const data::Label> forced,
                       const data::PredictOptions& options, const constrain::Completion* legal,
                       std::span<const constrain::Move> moves, data::Predictor::Scratch& scratch,
                       data::Prediction& out) const;

  /// explain() of what predict_legal() finds.
  Result<std::vector<Explanation>> explain_legal(const data::Sequence& sequence, const constrain::Completion* legal,
                                                 std::span<const constrain::Move> moves,
                                                 data::Predictor::Scratch& scratch) const;

  /// The two halves of predict(): features are found and summed up, then the search goes its way, here with
  /// free labels. The second may follow the first any number of times.
  Status prepare(const data::Sequence& sequence, data::Predictor::Scratch& scratch) const;
  Status predict_prepared(const data::Sequence& sequence, const data::PredictOptions& options,
                          data::Predictor::Scratch& scratch, data::Prediction& out) const;

 private:
  struct Buffers;
  explicit SearchPredictor(data::FeatureExtractor extractor) : extractor_(std::move(extractor)) {}
  Status predict_prepared(const data::Sequence& sequence, std::span<const data::Label> forced,
                          const data::PredictOptions& options, const constrain::Completion* legal,
                          std::span<const constrain::Move> moves, Buffers& b, data::Prediction& out) const;
  JointInput joint_input(const data::Sequence& sequence, const Buffers& b) const;
  /// Calls `visit` with the search space of a sequence that was prepared: the one place that knows which
  /// space a model of each kind searches. `forced` is empty or binding; `legal` and `moves` as in
  /// predict_legal.
  template <typename Visit>
  auto visit_space(const data::Sequence& sequence, std::span<const data::Label> forced,
                   const constrain::Completion* legal, std::span<const constrain::Move> moves,
                   const Buffers& b, Visit&& visit) const;
  /// How to decode, from the model and what is asked for; an error where that cannot be had.
  Result<DecodeOptions> decoding(const data::PredictOptions& options) const;
  Result<Decoded> decode(const data::Sequence& sequence, std::span<const data::Label> forced,
                         const data::PredictOptions& options, const constrain::Completion* legal,
                         std::span<const constrain::Move> moves, Buffers& b) const;
  data::Label label_of_type(uint32_t type) const;
  template <typename Space>
  void explain_path(const data::Sequence& sequence, const Space& space, std::span<const search::Action> path,
                    Buffers& b, std::vector<Explanation>& out) const;
  std::string block_name(const data::Sequence& sequence, Buffers& b, uint32_t block, size_t slot) const;

  data::FeatureExtractor extractor_;
  SequenceShape shape_;
  std::optional<ChunkFeatures> chunks_;
  std::vector<std::unique_ptr<search::StoredPolicy>> policies_;
  std::vector<double> shares_;
  size_t shown_ = 0;  ///< the policy that explain() and strongest() are about: the one with the largest share
  DecodeOptions decode_;
  std::string classifier_;
  std::string_view names_;  ///< of the static features of the policy shown
  std::span<const uint64_t> history_hashes_;
  std::string_view history_names_;  ///< beside these
};

/// The classifier of a mixture with the largest share, of equals the last: that was learned from the states
/// that are most like those met in use.
size_t largest_share(std::span<const double> shares);

}  // namespace espalier::tasks

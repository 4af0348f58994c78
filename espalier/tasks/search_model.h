// A trained search over sequences: save_search_model() writes it, load_search_model() opens it as a
// SearchPredictor. Tagging costs one greedy path per sequence, or a beam of them if asked for. Probabilities
// are not supported. explain() and strongest() are in search_reasons.cc. Tested in
// espalier/model/training/train_search_test.cc and apps/tests/search_test.sh.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "espalier/base/files/section_file.h"
#include "espalier/data/predictor.h"
#include "espalier/search/policy/stored_policy.h"
#include "espalier/tasks/chunks/chunk_features.h"
#include "espalier/tasks/search_decoding.h"
#include "espalier/tasks/spaces/decision_plan.h"
#include "espalier/tasks/spaces/history_names.h"

namespace espalier::tasks {

/// What save_search_model writes.
struct SearchModelSource {
  const DecisionPlan& plan;
  const ChunkFeatureOptions* chunks = nullptr;  ///< if chunks are decided
  const search::Mixture& policy;
  const linear::FeatureSpace& features;
  DecodeOptions decode;
  int weight_bits = 32;
  std::string classifier = {};  ///< a description of what was learned and how
  HistoryNames history = {};    ///< names for the classifier with the largest share
};
Status save_search_model(const SearchModelSource& source, SectionWriter& out);

/// The beam width if a beam is asked for without a width and the model was trained without one.
inline constexpr size_t kUsualBeam = 10;

/// A search model as a data::Predictor. Scores are not probabilities, so asking for confidence or marginals
/// is an error. N-best lists are the goals of a breadth-first beam. Holds views of the section file, which
/// must outlive it.
class SearchPredictor final : public data::Predictor {
 public:
  static Result<std::unique_ptr<SearchPredictor>> load(const SectionFile& file,
                                                       data::FeatureExtractor extractor);

  const data::LabelSet& labels() const override { return plan_.column_labels.back(); }
  size_t label_columns() const override { return plan_.columns(); }
  const data::LabelSet& labels_of_column(size_t column) const override { return plan_.column_labels[column]; }
  bool is_search() const override { return true; }
  std::unique_ptr<Scratch> make_scratch() const override;
  Status predict(const data::Sequence& sequence, std::span<const data::Label> forced,
                 const data::PredictOptions& options, Scratch& scratch, data::Prediction& out) const override;
  Explained explain_forced(const data::Sequence& sequence, std::span<const data::Label> forced,
                           Scratch& scratch) const override;
  StrongestWeights strongest(size_t how_many, std::optional<data::Label> only) const override;
  std::string about_weights() const override;
  std::string no_transitions() const override;
  Size size() const override;
  std::string details() const override;

  const DecisionPlan& plan() const { return plan_; }

  /// What is needed to train the model further.
  struct Further {
    search::OldRows rows;
    std::string_view names;  ///< of static features, in the order of their rows; empty: none
    HistoryNames history;
  };
  /// Nothing if the model is a mixture of several classifiers or a kernel machine.
  std::optional<Further> further() const;
  /// How the classifier was learned, in words.
  const std::string& classifier() const { return classifier_; }

  /// predict() restricted to what `legal` allows (null: everything); `moves` are those of moves_under.
  Status predict_legal(const data::Sequence& sequence, std::span<const data::Label> forced,
                       const data::PredictOptions& options, const constrain::Completion* legal,
                       std::span<const constrain::Move> moves, data::Predictor::Scratch& scratch,
                       data::Prediction& out) const;

  /// explain() for the result of predict_legal().
  Result<std::vector<Explanation>> explain_legal(const data::Sequence& sequence,
                                                 std::span<const data::Label> forced,
                                                 const constrain::Completion* legal,
                                                 std::span<const constrain::Move> moves,
                                                 data::Predictor::Scratch& scratch) const;

  /// The two halves of predict(): prepare() finds the features and sums their scores, then predict_prepared()
  /// searches, here without forced labels. The second may be called any number of times after the first.
  /// kFeature: so that the features can be visited afterwards, one by one.
  enum class Each { kSum, kFeature };
  Status prepare(const data::Sequence& sequence, data::Predictor::Scratch& scratch,
                 Each each = Each::kSum) const;
  Status predict_prepared(const data::Sequence& sequence, const data::PredictOptions& options,
                          data::Predictor::Scratch& scratch, data::Prediction& out) const;

 private:
  struct Buffers;
  /// prepare() with kept sums; false if that cannot be.
  bool prepare_grouped(const data::Sequence& sequence, Buffers& b) const;
  explicit SearchPredictor(data::FeatureExtractor extractor) : extractor_(std::move(extractor)) {}
  Status predict_prepared(const data::Sequence& sequence, std::span<const data::Label> forced,
                          const data::PredictOptions& options, const constrain::Completion* legal,
                          std::span<const constrain::Move> moves, Buffers& b, data::Prediction& out) const;
  JointInput joint_input(const data::Sequence& sequence, const Buffers& b) const;
  /// Calls `visit` with the search space of a prepared sequence. This is the one place that knows which space
  /// each kind of model searches. `forced` is empty or binding; `legal` and `moves` are as in predict_legal.
  template <typename Visit>
  auto visit_space(const data::Sequence& sequence, std::span<const data::Label> forced,
                   const constrain::Completion* legal, std::span<const constrain::Move> moves,
                   const Buffers& b, Visit&& visit) const;
  /// How to decode, given the model and the request; an error if the request is not supported.
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
  DecisionPlan plan_;
  std::optional<ChunkFeatures> chunks_;
  std::vector<std::unique_ptr<search::StoredPolicy>> policies_;
  std::vector<double> shares_;
  size_t shown_ = 0;  ///< the policy that explain() and strongest() describe: the one with the largest share
  DecodeOptions decode_;
  std::string classifier_;
  std::string_view names_;  ///< names of the static features of that policy
  std::span<const uint64_t> history_hashes_;
  std::string_view history_names_;  ///< names of its history features
};

/// The classifier with the largest share of a mixture. Ties go to the last, which was learned from states
/// most like those met in use.
size_t largest_share(std::span<const double> shares);

}  // namespace espalier::tasks

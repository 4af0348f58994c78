// A trained summariser as a data::Predictor: save_summary_model() writes it, SummaryPredictor::load opens it.
// A sequence is a cluster (cluster.h), its labels say which tokens are in the summary.
//
// A greedy summary of w words from n pieces takes O(w·n) features. Models of words need trees: those of the
// input, or an annotator's. Forced labels, confidence and marginals are not supported. Tested in
// espalier/model/training/summary_training_test.cc and apps/tests/summary_test.sh.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "espalier/base/files/section_file.h"
#include "espalier/data/predictor.h"
#include "espalier/search/policy/stored_policy.h"
#include "espalier/tasks/search_decoding.h"
#include "espalier/tasks/summary/summary_space.h"

namespace espalier::tasks {

struct SummarySettings {
  SummaryUnit unit = SummaryUnit::kSentence;
  size_t limit = 100;
  std::string stemmer;
  DecodeOptions decode;
  std::string classifier;  ///< how it was learned, in words
};

/// Adds tags and trees to the sentences that have none.
using AnnotateCluster = std::function<Status(Cluster& cluster)>;

void save_summary_model(const SummarySettings& settings, const WordCounts& background,
                        const search::Mixture& policy, SectionWriter& out);

/// Holds views of the section file, which must outlive it.
class SummaryPredictor final : public data::Predictor {
 public:
  static Result<std::unique_ptr<SummaryPredictor>> load(const SectionFile& file);
  void set_annotator(AnnotateCluster annotate) { annotate_ = std::move(annotate); }

  const data::LabelSet& labels() const override { return labels_; }
  std::unique_ptr<Scratch> make_scratch() const override;
  bool is_search() const override { return true; }
  Status predict(const data::Sequence& sequence, std::span<const data::Label> forced,
                 const data::PredictOptions& options, Scratch& scratch, data::Prediction& out) const override;
  /// Per token of the summary: the step that added it, against the best other piece at that step.
  Explained explain_forced(const data::Sequence& sequence, std::span<const data::Label> forced,
                           Scratch& scratch) const override;
  StrongestWeights strongest(size_t how_many, std::optional<data::Label> only) const override;
  std::string no_transitions() const override {
    return "a summariser chooses pieces, not sequences of labels";
  }
  Size size() const override;
  std::string details() const override;

 private:
  struct Buffers;
  SummaryPredictor();
  Result<std::unique_ptr<SummaryInstance>> instance_of(const data::Sequence& sequence) const;
  Result<DecodeOptions> decoding(const data::PredictOptions& options) const;

  SummarySettings settings_;
  WordCounts background_;
  std::vector<std::unique_ptr<search::StoredPolicy>> policies_;
  std::vector<double> shares_;
  AnnotateCluster annotate_;
  data::LabelSet labels_;
};

}  // namespace espalier::tasks

// A pipeline as a predictor: a sequence in the layout of the first model in, the labels of all models out.
//
// Like a model of several label columns: labels() are those of the last model, Labelling::others those of the
// models before it. Costs one copy of the cells per stage. Tested in pipeline_test.cc.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "espalier/api/tagger.h"
#include "espalier/data/predictor.h"

namespace espalier::api {

class PipelinePredictor final : public data::Predictor {
 public:
  /// `last`: how the last model decodes. The pipeline must outlive this.
  PipelinePredictor(const Pipeline::State& pipeline, DecodeChoice last)
      : pipeline_(pipeline), last_(std::move(last)) {}

  const Pipeline::State& pipeline() const { return pipeline_; }
  const data::LabelSet& labels() const override { return last_.predictor->labels(); }
  size_t label_columns() const override { return pipeline_.stages.size(); }
  const data::LabelSet& labels_of_column(size_t column) const override { return model(column).labels(); }
  std::unique_ptr<Scratch> make_scratch() const override;
  bool is_search() const override { return last_.predictor->is_search(); }
  Status predict(const data::Sequence& sequence, std::span<const data::Label> forced,
                 const data::PredictOptions& options, Scratch& scratch, data::Prediction& out) const override;
  /// Of the last model: one entry per row.
  Result<std::vector<Explanation>> explain_forced(const data::Sequence& sequence,
                                                  std::span<const data::Label> forced,
                                                  Scratch& scratch) const override;

  Result<std::vector<WeightedFeature>> strongest(size_t how_many,
                                                 std::optional<data::Label> only) const override {
    return last_.predictor->strongest(how_many, only);
  }
  std::vector<WeightedTransition> weighted_transitions() const override {
    return last_.predictor->weighted_transitions();
  }
  Size size() const override { return last_.predictor->size(); }
  std::string about_constraints() const override { return last_.predictor->about_constraints(); }

 private:
  struct Stages;
  const Tagger::State& tagger(size_t stage) const { return *pipeline_.stages[stage].tagger.state(); }
  const model::Model& model(size_t stage) const { return tagger(stage).model; }
  /// Runs the models before the last and returns the sequence that the last one reads.
  Result<const data::Sequence*> run_before_last(const data::Sequence& sequence, Stages& scratch) const;
  void lay_out(size_t stage, const data::Sequence& input, Stages& scratch) const;

  const Pipeline::State& pipeline_;
  DecodeChoice last_;
};

}  // namespace espalier::api

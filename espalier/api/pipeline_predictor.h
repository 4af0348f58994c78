// A pipeline as a predictor: a sequence in the layout of the first model in, the labels of all models out.
//
// Like a model of several label columns: labels() are those of the last model, Labelling::others those of the
// models before it. Costs one copy of the cells per stage. Tested in pipeline_test.cc.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "espalier/api/tagger.h"
#include "espalier/data/wrapped_predictor.h"

namespace espalier::api {

class PipelinePredictor final : public data::WrappedPredictor {
 public:
  /// `last`: how the last model decodes. The pipeline must outlive this.
  PipelinePredictor(const Pipeline::State& pipeline, DecodeChoice last)
      : WrappedPredictor(*last.predictor), pipeline_(pipeline), last_(std::move(last)) {}

  const Pipeline::State& pipeline() const { return pipeline_; }
  size_t label_columns() const override { return pipeline_.stages.size(); }
  const data::LabelSet& labels_of_column(size_t column) const override { return model(column).labels(); }
  std::unique_ptr<Scratch> make_scratch() const override;
  Status predict(const data::Sequence& sequence, std::span<const data::Label> forced,
                 const data::PredictOptions& options, Scratch& scratch, data::Prediction& out) const override;
  /// Of the last model: one entry per row.
  Explained explain_forced(const data::Sequence& sequence, std::span<const data::Label> forced,
                           Scratch& scratch) const override;

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

#include "espalier/api/pipeline_predictor.h"

#include "espalier/data/forced_explanation.h"

#include <deque>

namespace espalier::api {

struct PipelinePredictor::Stages final : data::Predictor::Scratch {
  std::deque<BorrowedScratch> stages;  ///< the models' own, so that short texts do not pay for new ones
  std::vector<std::vector<data::Label>> labels;  ///< of the models before the last
  data::Prediction prediction;
  data::Sequence sequence;  ///< of the stage that runs
};

std::unique_ptr<data::Predictor::Scratch> PipelinePredictor::make_scratch() const {
  auto out = std::make_unique<Stages>();
  for (size_t stage = 0; stage + 1 < pipeline_.stages.size(); ++stage)
    out->stages.emplace_back(tagger(stage), model(stage).predictor());
  out->stages.emplace_back(tagger(pipeline_.stages.size() - 1), *last_.predictor);
  out->labels.resize(pipeline_.stages.size() - 1);
  return out;
}

void PipelinePredictor::lay_out(size_t stage, const data::Sequence& input, Stages& scratch) const {
  const std::vector<size_t>& cells = pipeline_.cells[stage];
  const size_t inputs = pipeline_.input_cells.size();
  data::Sequence& to = scratch.sequence;
  to.clear(cells.size());
  for (size_t row = 0; row < input.length(); ++row) {
    to.begin_row("", input.line(row));
    for (const size_t from : cells) {
      if (from == Pipeline::State::kEmpty) {
        to.add_cell(std::string_view());
      } else if (from < inputs) {
        to.add_cell(input.cell(row, pipeline_.input_cells[from]));
      } else {
        const size_t before = from - inputs;
        to.add_cell(std::string_view(labels_of_column(before).name(scratch.labels[before][row])));
      }
    }
  }
}

Result<const data::Sequence*> PipelinePredictor::run_before_last(const data::Sequence& sequence,
                                                                 Stages& scratch) const {
  for (size_t stage = 0; stage + 1 < pipeline_.stages.size(); ++stage) {
    if (stage > 0) lay_out(stage, sequence, scratch);
    ESPALIER_TRY(model(stage).file().unchanged());
    ESPALIER_TRY(model(stage).predictor().predict(stage > 0 ? scratch.sequence : sequence, {}, {},
                                                  *scratch.stages[stage], scratch.prediction));
    ESPALIER_TRY(model(stage).file().unchanged());
    scratch.labels[stage] = scratch.prediction.labels();
  }
  if (pipeline_.stages.size() == 1) return &sequence;
  lay_out(pipeline_.stages.size() - 1, sequence, scratch);
  return static_cast<const data::Sequence*>(&scratch.sequence);
}

Status PipelinePredictor::predict(const data::Sequence& sequence, std::span<const data::Label> forced,
                                  const data::PredictOptions& options, Scratch& scratch,
                                  data::Prediction& out) const {
  auto& stages = static_cast<Stages&>(scratch);
  ESPALIER_ASSIGN(const data::Sequence* const at, run_before_last(sequence, stages));
  const SectionFile& file = model(pipeline_.stages.size() - 1).file();
  ESPALIER_TRY(file.unchanged());
  ESPALIER_TRY(last_.predictor->predict(*at, forced, options, *stages.stages.back(), out));
  ESPALIER_TRY(file.unchanged());
  for (data::Labelling& labelling : out.best) labelling.others = stages.labels;
  return {};
}

Result<std::vector<data::Predictor::Explanation>> PipelinePredictor::explain_forced(
    const data::Sequence& sequence, std::span<const data::Label> forced, Scratch& scratch) const {
  auto& stages = static_cast<Stages&>(scratch);
  ESPALIER_ASSIGN(const data::Sequence* const at, run_before_last(sequence, stages));
  const SectionFile& file = model(pipeline_.stages.size() - 1).file();
  ESPALIER_TRY(file.unchanged());
  auto found = data::explain_with_forced(*last_.predictor, *at, forced, *stages.stages.back());
  ESPALIER_TRY(file.unchanged());
  return found;
}

}  // namespace espalier::api

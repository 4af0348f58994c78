// Pipeline: which columns each model reads, and tagging of sequences in memory. Tested in pipeline_test.cc.
#include "espalier/public/pipeline.h"

#include <algorithm>
#include <filesystem>

#include "espalier/api/pipeline_predictor.h"
#include "espalier/api/sequence_builder.h"
#include "espalier/base/text/counted.h"
#include "espalier/data/formats/label_column.h"
#include "espalier/model/tag_format.h"

namespace espalier {
namespace {

/// Whether features use the word of a row and nothing else, so that the other cells do not matter.
bool looks_at_words_only(const model::ModelHeader& about) {
  const auto& columns = about.features.feature_columns;
  return columns.size() == 1 && columns.front() == data::InputMap::word_cell(about.reading.format);
}

/// Where a column of the training data is in the row of a pipeline: the label is not counted.
size_t position(size_t column, size_t label) { return column < label ? column : column - 1; }

/// What a row has so far, in words: "the word and the labels of tagger".
std::string row_text(size_t inputs, const std::vector<PipelineStage>& stages, size_t before) {
  std::string text = inputs == 1 ? "the word" : fmt::format("{} cells of the input", inputs);
  for (size_t i = 0; i < before; ++i)
    text += fmt::format("{} {}", i == 0 ? " and the labels of" : ",", stages[i].name);
  return text;
}

/// Why a model cannot be part of a pipeline whatever the others are.
Status check_stage(const PipelineStage& stage) {
  const auto& about = stage.tagger.state()->model.about();
  if (about.reading.columns == 0)
    return fail("the model '{}' uses attributes, not columns; it cannot be part of a pipeline", stage.name);
  if (stage.tagger.info().labels.size() > 1)
    return fail("the model '{}' predicts several columns; it cannot be part of a pipeline", stage.name);
  if (about.reading.format != data::Format::kColumns && !looks_at_words_only(about))
    return fail(
        "the model '{}' was trained on {} and uses more than the word; in a pipeline it must have been "
        "trained on columns",
        stage.name, data::format_name(about.reading.format));
  return {};
}

/// Which cells of the row so far a stage gets; `present`: how many there are.
Result<std::vector<size_t>> cells_of(const std::vector<PipelineStage>& stages, size_t stage, size_t inputs) {
  const auto& about = stages[stage].tagger.state()->model.about();
  std::vector<size_t> cells(about.reading.columns, Pipeline::State::kEmpty);
  const std::vector<size_t>& features = about.features.feature_columns;
  if (looks_at_words_only(about)) {
    cells[features.front()] = 0;
    return cells;
  }
  ESPALIER_ASSIGN(const size_t label, data::resolve_label_column(about.reading, about.reading.columns));
  const size_t present = inputs + stage;
  for (const size_t column : features) {
    cells[column] = position(column, label);
    if (cells[column] >= present)
      return fail(
          "the model '{}' uses column {} of its data, but a row has {} there: {}; a model whose labels are "
          "that column must "
          "come before it",
          stages[stage].name, column + 1, counted(present, "cell"), row_text(inputs, stages, stage));
  }
  return cells;
}

/// The columns of the first model's data that the input has: those up to the last that features use.
Result<std::vector<size_t>> input_cells_of(const Tagger& first) {
  const auto& about = first.state()->model.about();
  const std::vector<size_t>& features = about.features.feature_columns;
  if (looks_at_words_only(about)) return features;
  ESPALIER_ASSIGN(const size_t label, data::resolve_label_column(about.reading, about.reading.columns));
  std::vector<size_t> cells;
  for (size_t c = 0; c <= *std::max_element(features.begin(), features.end()); ++c)
    if (c != label) cells.push_back(c);
  return cells;
}

Result<Pipeline::State> planned(std::vector<PipelineStage> stages) {
  if (stages.empty()) return fail("a pipeline needs a model");
  Pipeline::State state;
  for (size_t i = 0; i < stages.size(); ++i) {
    for (size_t j = 0; j < i; ++j)
      if (stages[j].name == stages[i].name) return fail("there are two models '{}'", stages[i].name);
    ESPALIER_TRY(check_stage(stages[i]));
    if (i == 0) {
      ESPALIER_ASSIGN(state.input_cells, input_cells_of(stages[i].tagger));
    }
    ESPALIER_ASSIGN(std::vector<size_t> cells, cells_of(stages, i, state.input_cells.size()));
    state.cells.push_back(std::move(cells));
  }
  state.stages = std::move(stages);
  return state;
}

}  // namespace

Result<Pipeline> Pipeline::make(std::vector<PipelineStage> stages) {
  auto state = planned(std::move(stages));
  if (!state.ok()) return fail("pipeline: {}", state.error().message);
  return Pipeline(std::make_shared<const State>(std::move(state).value()));
}

Result<Pipeline> Pipeline::open(const std::vector<std::string>& paths) {
  std::vector<PipelineStage> stages;
  for (const std::string& path : paths) {
    ESPALIER_ASSIGN(Tagger tagger, Tagger::open(path));
    stages.push_back({std::filesystem::path(path).stem().string(), std::move(tagger)});
  }
  return make(std::move(stages));
}

const std::vector<PipelineStage>& Pipeline::stages() const { return state_->stages; }
size_t Pipeline::columns() const { return state_->input_cells.size(); }
bool Pipeline::words_only() const {
  return looks_at_words_only(state_->stages.front().tagger.state()->model.about());
}

namespace {

Result<Tagged> tag_through(const Pipeline& pipeline, const Result<data::Sequence>& sequence,
                           const TagOptions& options) {
  if (!sequence.ok()) return sequence.error();
  const Tagger::State& last = *pipeline.last().state();
  ESPALIER_ASSIGN(const api::DecodeChoice choice, api::decode_choice(last, options.decode));
  ESPALIER_ASSIGN(const data::PredictOptions predict, api::predict_options(options, choice, /*single=*/true));
  ESPALIER_ASSIGN(const auto forced,
                  api::forced_labels(options.forced, sequence->length(), last.model.labels()));
  const api::PipelinePredictor predictor(*pipeline.state(), choice);
  data::Prediction prediction;
  ESPALIER_TRY(predictor.predict(*sequence, forced, predict, *predictor.make_scratch(), prediction));
  return api::to_tagged(prediction, predictor);
}

/// A built sequence in the layout of the first model's data.
Result<data::Sequence> pipeline_input(const Pipeline& pipeline, const SequenceBuilder& builder) {
  ESPALIER_ASSIGN(const data::Sequence* const built, builder.state().finish());
  if (built->empty()) return fail("the sequence has no tokens");
  if (built->columns() == 0) return fail("a pipeline reads rows of cells, not attributes");
  const size_t cells = built->columns() - 1;  // the last is the label, or in place of it
  if (cells != pipeline.columns())
    return fail("the pipeline reads rows of {}, not of {}", counted(pipeline.columns(), "cell"), cells);
  const std::vector<size_t>& inputs = pipeline.state()->input_cells;
  const size_t columns = pipeline.state()->cells.front().size();
  data::Sequence out;
  out.clear(columns);
  for (size_t row = 0; row < built->length(); ++row) {
    out.begin_row("", row + 1);
    size_t next = 0;
    for (size_t c = 0; c < columns; ++c)
      out.add_cell(next < inputs.size() && inputs[next] == c ? built->cell(row, next++) : std::string_view());
  }
  return out;
}

}  // namespace

Result<Tagged> Pipeline::tag(const SequenceBuilder& sequence, const TagOptions& options) const {
  return tag_through(*this, pipeline_input(*this, sequence), options);
}

Result<Tagged> Pipeline::tag_rows(const std::vector<std::vector<std::string>>& rows,
                                  const TagOptions& options) const {
  SequenceBuilder builder;
  for (const auto& row : rows) {
    builder.begin_token();
    for (const std::string& cell : row) builder.add_cell(cell);
  }
  return tag(builder, options);
}

Result<Tagged> Pipeline::tag_words(const std::vector<std::string>& words, const TagOptions& options) const {
  SequenceBuilder builder;
  for (const std::string& word : words) {
    builder.begin_token();
    builder.add_cell(word);
  }
  return tag(builder, options);
}

Result<std::vector<TaggedSentence>> Pipeline::tag_text(std::string_view utf8, TextSplit split,
                                                       const TagOptions& options) const {
  ESPALIER_ASSIGN(std::vector<TextSentence> sentences, split_text(utf8, split));
  std::vector<TaggedSentence> out;
  SequenceBuilder builder;
  for (TextSentence& sentence : sentences) {
    builder.clear();
    for (const TextToken& token : sentence.tokens) {
      builder.begin_token();
      builder.add_cell(token.text);
    }
    ESPALIER_ASSIGN(Tagged tagged, tag(builder, options));
    out.push_back({std::move(sentence), std::move(tagged)});
  }
  return out;
}

Result<std::vector<Explanation>> Pipeline::explain(const SequenceBuilder& sequence,
                                                   const DecodeOptions& options,
                                                   const std::vector<std::string>& forced) const {
  ESPALIER_ASSIGN(const data::Sequence input, pipeline_input(*this, sequence));
  ESPALIER_ASSIGN(const api::DecodeChoice choice, api::decode_choice(*last().state(), options));
  const api::PipelinePredictor predictor(*state_, choice);
  ESPALIER_ASSIGN(const auto labels,
                  api::forced_labels(forced, input.length(), last().state()->model.labels()));
  ESPALIER_ASSIGN(const auto found, predictor.explain_forced(input, labels, *predictor.make_scratch()));
  return api::to_explanations(found, *choice.predictor);
}

}  // namespace espalier

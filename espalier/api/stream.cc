// tag_stream: text in, labelled text out; and tag_batch for sequences in memory. Tested in stream_test.cc and
// tagger_test.cc.
#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>

#include "espalier/api/corpus.h"
#include "espalier/api/public_monitor.h"
#include "espalier/api/tagger.h"
#include "espalier/api/text_io.h"
#include "espalier/api/training.h"
#include "espalier/base/parallel.h"
#include "espalier/data/formats/lines.h"
#include "espalier/model/evaluation.h"
#include "espalier/model/pipeline.h"
#include "espalier/model/registry.h"
#include "espalier/model/tag_format.h"
#include "espalier/model/task_data.h"

namespace espalier {
namespace {

/// The forced column from 0; the model's data has `columns`.
Result<int> forced_column(int column, const data::ReadOptions& reading) {
  const int columns = static_cast<int>(reading.columns);
  if (columns == 0)
    return fail("forced labels: rows of the format {} have no columns", data::format_name(reading.format));
  const int index = column > 0 ? column - 1 : columns + column;
  if (index < 0 || index >= columns)
    return fail("forced column {}: the model's data has {} columns, label included", column, columns);
  return index;
}

/// The layout of input and output, decided before anything is read.
struct Plan {
  data::ReadOptions reading;
  std::optional<tasks::JsonTask> task;
  data::Format out = data::Format::kColumns;
  bool json = false;  ///< one JSON object for everything
};

Result<Plan> plan_of(const Tagger::State& tagger, const StreamOptions& options) {
  const auto& about = tagger.model.about();
  Plan plan;
  plan.reading = about.reading_for_use();
  ESPALIER_ASSIGN(const model::Task* const task, model::find_task(about.task));
  plan.task = task->json;
  if (!options.encoding.empty()) {
    ESPALIER_TRY(data::parse_encoding(options.encoding));
    plan.reading.encoding = options.encoding;
  }
  if (!options.input_format.empty()) {
    ESPALIER_ASSIGN(plan.reading.format, data::parse_format(options.input_format));
  }
  plan.json = options.output_format == "json";
  if (plan.task && !options.output_format.empty() && options.output_format != "jsonl" && !plan.json)
    return fail("output format {}: task {} writes its predictions into its own JSON lines",
                options.output_format, about.task);
  plan.out = plan.reading.format;
  if (plan.json) {
    plan.out = data::Format::kJsonLines;
  } else if (!options.output_format.empty()) {
    ESPALIER_ASSIGN(plan.out, data::parse_format(options.output_format));
  }
  const TagOptions& tag = options.tag;
  if (tag.nbest > 1 && !plan.json) {
    if (plan.out == data::Format::kJsonLines || plan.out == data::Format::kLetters)
      return fail("n-best lists are not supported in the format {}; use json", data::format_name(plan.out));
    if (tag.decode.why) return fail("reasons are not supported with n-best lists except as json");
    if (tag.confidence.value_or(false) || tag.marginals)
      return fail("probabilities are not supported with n-best lists except as json");
  }
  return plan;
}

/// Everything that follows from the options and the model; constraints are compiled only with_rules.
struct Prepared {
  Plan plan;
  api::DecodeChoice choice;
  model::PipelineOptions pipeline;
  std::optional<model::TagFormatter> formatter;
};

Result<Prepared> prepare(const Tagger::State& state, const StreamOptions& options, bool with_rules) {
  if (!options.tag.forced.empty())
    return fail("forced labels of a stream come from a column; set forced_column");
  Prepared out;
  ESPALIER_ASSIGN(out.plan, plan_of(state, options));
  ESPALIER_ASSIGN(out.choice, with_rules ? api::decode_choice(state, options.tag.decode)
                                         : api::unconstrained_choice(state, options.tag.decode));
  ESPALIER_ASSIGN(out.pipeline.predict, api::predict_options(options.tag, out.choice, /*single=*/false));
  if (options.forced_column != 0) {
    ESPALIER_ASSIGN(out.pipeline.forced_column, forced_column(options.forced_column, out.plan.reading));
  }
  const model::TagLayout layout{out.plan.json, options.tag.nbest > 1, options.tag.confidence.value_or(false),
                                options.tag.marginals, options.tag.decode.why};
  ESPALIER_ASSIGN(out.formatter,
                  model::TagFormatter::make(state.model, out.plan.reading, out.plan.out, layout));
  return out;
}

}  // namespace

Status check_options(const Tagger& tagger, const StreamOptions& options) {
  ESPALIER_TRY(prepare(*tagger.state(), options, /*with_rules=*/false));
  return {};
}

Result<StreamReport> tag_stream(const Tagger& tagger, const Source& source, const Sink& sink,
                                const StreamOptions& options) {
  const Tagger::State& state = *tagger.state();
  ESPALIER_ASSIGN(Prepared prepared, prepare(state, options, /*with_rules=*/true));
  const Plan& plan = prepared.plan;
  const api::DecodeChoice& choice = prepared.choice;
  // Before the output is opened: a missing input must not replace an existing output file.
  ESPALIER_ASSIGN(const auto reader, api::open_source(source, plan.reading, plan.task));
  ESPALIER_ASSIGN(api::OpenSink out, api::OpenSink::open(sink));
  if (plan.json) ESPALIER_TRY(out.write("{\"sequences\":["));

  StreamReport report;
  model::ConstraintTally rules;
  model::SearchTally searches;
  const auto work = [&](const data::Sequence& sequence, const data::Prediction& prediction,
                        std::string& text) { prepared.formatter->append(sequence, prediction, text); };
  const auto done = [&](const data::Sequence& sequence, const data::Prediction& prediction,
                        std::string_view text) -> Status {
    rules.add(prediction);
    searches.add(prediction);
    if (plan.json) ESPALIER_TRY(out.write(report.sequences == 0 ? "\n" : ",\n"));
    ++report.sequences;
    report.tokens += sequence.length();
    return out.write(text);
  };
  const api::PublicMonitor monitor(options.on_progress, options.stop);
  const auto start = std::chrono::steady_clock::now();
  prepared.pipeline.block_ended = [&] { return out.flush(); };  // a reader may be waiting for it
  const Status status = model::run_pipeline(*reader, *choice.predictor, prepared.pipeline,
                                            Workers(options.tag.threads), monitor.monitor(), work, done);
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  ESPALIER_TRY(status);
  report.rules = {rules.exact(), rules.approximate, rules.infeasible, rules.out_of_time, rules.example};
  report.searches = {searches.ended[0], searches.ended[1], searches.ended[2]};
  report.interrupted = monitor.stopped();
  report.how_rules_are_decoded = choice.predictor->about_constraints();
  if (report.interrupted) return report;  // not committed: an existing file is left unchanged
  if (plan.json)
    ESPALIER_TRY(out.write(fmt::format(
        "\n],\n{}\"tokens\":{},\"seconds\":{:.6f},\"tokens_per_second\":{:.1f}}}\n",
        searches.sequences() == 0 ? "" : fmt::format("\"searches\":{},", searches.to_json().dump()),
        report.tokens, report.seconds,
        report.seconds > 0 ? static_cast<double>(report.tokens) / report.seconds : 0)));
  ESPALIER_TRY(out.commit());
  return report;
}

namespace {

/// The sources of a batch, with the sequences of a corpus in the layout of the model's data.
Result<api::Sources> batch_sources(const Tagger::State& state, const Data& data) {
  ESPALIER_ASSIGN(api::Sources sources, api::sources_of(data));
  if (data.corpus() == nullptr) return sources;
  const auto& about = state.model.about();
  const auto& given = data.corpus()->state()->sequences;
  const bool fits = std::all_of(given.begin(), given.end(), [&](const data::Sequence& sequence) {
    return sequence.columns() == about.reading.columns || sequence.columns() + 1 == about.reading.columns;
  });
  if (fits) return sources;
  auto laid_out = std::make_shared<std::vector<data::Sequence>>();
  for (size_t i = 0; i < given.size(); ++i) {
    auto sequence = api::sequence_for_model(given[i], about.reading, about.features.feature_columns);
    if (!sequence.ok()) return fail("sequence {}: {}", i + 1, sequence.error().message);
    laid_out->push_back(std::move(sequence).value());
  }
  sources.sources = {data::Source(std::move(laid_out), data.corpus()->state()->name)};
  return sources;
}

/// Predicts a batch in parallel; `take` gets the predictions in the order of the input.
Status run_batch(const Tagger::State& state, const Data& data, const TagOptions& options,
                 const std::function<void(const data::Prediction&)>& take) {
  if (!options.forced.empty()) return fail("forced labels are for single sequences");
  ESPALIER_ASSIGN(const api::DecodeChoice choice, api::decode_choice(state, options.decode));
  model::PipelineOptions pipeline;
  ESPALIER_ASSIGN(pipeline.predict, api::predict_options(options, choice, /*single=*/false));
  const auto work = [](const data::Sequence&, const data::Prediction&, std::string&) {};
  const auto done = [&](const data::Sequence&, const data::Prediction& prediction,
                        std::string_view) -> Status {
    take(prediction);
    return {};
  };
  const Workers workers(options.threads);
  const auto& about = state.model.about();
  ESPALIER_ASSIGN(const api::Sources sources, batch_sources(state, data));
  for (const data::Source& source : sources.sources) {
    ESPALIER_ASSIGN(const auto reader, model::open_task_reader(source, about.task, about.reading_for_use()));
    ESPALIER_TRY(model::run_pipeline(*reader, *choice.predictor, pipeline, workers, {}, work, done));
  }
  return {};
}

}  // namespace

Result<std::vector<Tagged>> Tagger::tag_batch(const Data& data, const TagOptions& options) const {
  std::vector<Tagged> all;
  ESPALIER_TRY(run_batch(*state_, data, options, [&](const data::Prediction& prediction) {
    all.push_back(api::to_tagged(prediction, state_->model));
  }));
  return all;
}

Result<LabelNumbers> Tagger::label_batch(const Data& data, const TagOptions& options) const {
  if (options.nbest > 1 || options.marginals || options.confidence.value_or(false))
    return fail("label_batch returns labels only: no n-best lists, no probabilities");
  LabelNumbers out;
  ESPALIER_TRY(run_batch(*state_, data, options, [&](const data::Prediction& prediction) {
    const auto& labels = prediction.best.front().labels;
    out.labels.insert(out.labels.end(), labels.begin(), labels.end());
    out.ends.push_back(out.labels.size());
  }));
  return out;
}

}  // namespace espalier

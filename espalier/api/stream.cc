// tag_stream: text in, labelled text out, by a model or a pipeline; and tag_batch for sequences in memory.
// Tested in stream_test.cc, tagger_test.cc and pipeline_test.cc.
#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>

#include "espalier/api/corpus.h"
#include "espalier/api/model_input.h"
#include "espalier/api/pipeline_predictor.h"
#include "espalier/api/public_monitor.h"
#include "espalier/api/tagger.h"
#include "espalier/api/text_io.h"
#include "espalier/api/text_suspicion.h"
#include "espalier/api/training.h"
#include "espalier/base/parallel.h"
#include "espalier/base/text/json.h"
#include "espalier/data/formats/label_column.h"
#include "espalier/model/evaluation.h"
#include "espalier/model/pipeline.h"
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

/// A parser takes its forced column as one more constraint.
Result<StreamOptions> with_forced_arcs(const Tagger::State& state, StreamOptions options) {
  if (options.forced_column == 0 || !state.model.bare().builds_trees()) return options;
  ESPALIER_ASSIGN(const int column, forced_column(options.forced_column, state.model.about().reading));
  options.forced_column = 0;
  std::string text = fmt::format("force column {}", column + 1), name = "forced column";
  std::map<std::string, std::string> lists;
  if (std::optional<Constraints>& given = options.tag.decode.constraints; given) {
    const model::ConstraintFile& file = given->state()->file;
    text = file.text + "\n" + text;
    name = file.name;
    lists.insert(file.files.begin(), file.files.end());
  }
  ESPALIER_ASSIGN(options.tag.decode.constraints,
                  Constraints::parse(std::move(text), std::move(lists), name));
  return options;
}

/// The layout of input and output of one source, decided before anything is
/// read.
struct Plan {
  api::ModelInput input;
  data::Format out = data::Format::kColumns;
  bool json = false;  ///< one JSON object for everything
};

Result<Plan> plan_of(const Tagger::State& tagger, const StreamOptions& options, const std::string& path) {
  Plan plan;
  ESPALIER_ASSIGN(plan.input, api::model_input(tagger, path,
                                               {options.input_format, options.encoding, options.separator,
                                                options.comment, options.text, /*labels_required=*/false}));
  plan.json = options.output_format == "json";
  if (plan.input.task && !options.output_format.empty() && options.output_format != "jsonl" && !plan.json)
    return fail("output format {}: task {} writes its predictions into its own JSON lines",
                options.output_format, tagger.model.about().task);
  plan.out = plan.input.reading.format;
  if (plan.json) {
    plan.out = data::Format::kJsonLines;
  } else if (!options.output_format.empty()) {
    ESPALIER_ASSIGN(plan.out, data::parse_format(options.output_format));
  }
  const TagOptions& tag = options.tag;
  if (tag.nbest > 1 && !plan.json) {
    if (plan.out == data::Format::kJsonLines || plan.out == data::Format::kLetters ||
        plan.out == data::Format::kScores)
      return fail("n-best lists are not supported in the format {}; use json", data::format_name(plan.out));
    if (tag.decode.why) return fail("reasons are not supported with n-best lists except as json");
    if (tag.confidence.value_or(false) || tag.marginals)
      return fail("probabilities are not supported with n-best lists except as json");
  }
  return plan;
}

/// Everything that follows from the options, the model and the name of a source.
struct Prepared {
  Plan plan;
  model::PipelineOptions pipeline;
  std::optional<model::TagFormatter> formatter;
};

/// What a stream runs: a model, or the models of a pipeline.
struct Streamed {
  const Tagger::State& first;                      ///< whose data the input looks like
  const model::Model& last;                        ///< whose labels are found
  const api::DecodeChoice& choice;                 ///< how the last one decodes
  const api::PipelinePredictor* stages = nullptr;  ///< null: the model is alone

  const data::Predictor& predictor() const { return stages != nullptr ? *stages : *choice.predictor; }
};

/// Where CoNLL-U has the labels of each model of a pipeline: those of a model that was trained on CoNLL-U in
/// its column there, unless a model before it has that one already.
Result<std::vector<model::TagFormatter::Stage>> conllu_places(const Pipeline::State& pipeline) {
  std::vector<model::TagFormatter::Stage> out;
  for (const PipelineStage& stage : pipeline.stages) {
    const data::ReadOptions& trained = stage.tagger.state()->model.about().reading;
    std::optional<size_t> column;
    if (trained.format == data::Format::kConllu) {
      ESPALIER_ASSIGN(column, data::resolve_label_column(trained, data::kConlluColumns));
    }
    for (const auto& before : out)
      if (before.conllu_column == column) column.reset();
    out.push_back({stage.name, column});
  }
  return out;
}

Result<model::TagFormatter> formatter_of(const Streamed& streamed, const Plan& plan,
                                         const model::TagLayout& layout) {
  const data::ReadOptions& reading = plan.input.reading;
  if (streamed.stages != nullptr) {
    ESPALIER_ASSIGN(const auto places, conllu_places(streamed.stages->pipeline()));
    return model::TagFormatter::make_for_pipeline(streamed.last, *streamed.stages, places, reading, plan.out,
                                                  layout);
  }
  return model::TagFormatter::make(streamed.last, reading, plan.out, layout);
}

Result<Prepared> prepare(const Streamed& streamed, const StreamOptions& options, const std::string& path) {
  const Tagger::State& state = streamed.first;
  if (streamed.stages != nullptr && options.forced_column != 0)
    return fail("forced columns are not supported in pipelines");
  if (!options.tag.forced.empty())
    return fail("forced labels of a stream come from a column; set forced_column");
  Prepared out;
  ESPALIER_ASSIGN(out.plan, plan_of(state, options, path));
  ESPALIER_ASSIGN(out.pipeline.predict, api::predict_options(options.tag, streamed.choice, /*single=*/false));
  out.pipeline.file = &state.model.file();
  if (options.forced_column != 0) {
    ESPALIER_ASSIGN(out.pipeline.forced_column, forced_column(options.forced_column, out.plan.input.reading));
  }
  const model::TagLayout layout{out.plan.json, options.tag.nbest > 1, options.tag.confidence.value_or(false),
                                options.tag.marginals, options.tag.decode.why};
  ESPALIER_ASSIGN(out.formatter, formatter_of(streamed, out.plan, layout));
  return out;
}

/// Tags the sources of one call, one after the other.
class StreamRun {
 public:
  StreamRun(const Streamed& streamed, const StreamOptions& options, const api::PublicMonitor& monitor,
            api::OpenSink& out)
      : streamed_(streamed),
        options_(options),
        out_(out),
        monitor_(monitor),
        workers_(options.tag.threads),
        json_(options.output_format == "json") {}

  /// Everything but opening and committing the output.
  Status run(const std::vector<Source>& sources, std::vector<Prepared>& prepared,
             std::unique_ptr<data::Reader> first) {
    if (json_) ESPALIER_TRY(out_.write("{\"sequences\":["));
    const auto start = std::chrono::steady_clock::now();
    Status status;
    for (size_t i = 0; i < sources.size() && status.ok() && !monitor_.stopped(); ++i)
      status = tag(sources[i], prepared[i], std::move(first));
    report_.like_text = suspicion_.like_text();
    report_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    report_.interrupted = monitor_.stopped();
    report_.rules = {rules_.exact(),     rules_.approximate, rules_.infeasible,
                     rules_.out_of_time, rules_.example,     rules_.none_in_time};
    report_.searches = {searches_.ended[0], searches_.ended[1], searches_.ended[2]};
    report_.how_rules_are_decoded = streamed_.predictor().about_constraints();
    if (status.ok() && !report_.interrupted) status = refuse_text();
    if (!json_) return status;
    if (!status.ok()) errors_.push_back(status.error().message);
    // A reader of standard output gets a valid object also after an error.
    const Status ended = end_json();
    return status.ok() ? ended : status;
  }

  StreamReport& report() { return report_; }

 private:
  Status tag(const Source& source, Prepared& prepared, std::unique_ptr<data::Reader> reader) {
    const api::ModelInput& input = prepared.plan.input;
    if (!reader) {
      ESPALIER_ASSIGN(reader, api::open_source(source, input.reading, input.task));
    }
    // Forced labels are checked one by one, and parsers may have heads alone in the place of the label.
    if (!input.task && options_.forced_column == 0 && !streamed_.first.model.bare().builds_trees())
      reader =
          api::check_first_labels(std::move(reader), input.reading.format, streamed_.first.model.labels());
    prepared.pipeline.map = input.map ? &*input.map : nullptr;
    prepared.pipeline.block_ended = [&] { return out_.flush(); };  // a reader may be waiting for it
    if (options_.on_bad_sequence)
      prepared.pipeline.on_bad_sequence = [&](const Error& error) {
        constexpr size_t kMostErrors = 100;
        if (json_ && errors_.size() < kMostErrors) errors_.push_back(error.message);
        ++report_.bad_sequences;
        options_.on_bad_sequence(error);
      };
    const auto work = [&](const data::Sequence& sequence, const data::Prediction& prediction,
                          std::string& text) { prepared.formatter->append(sequence, prediction, text); };
    const auto done = [&](const data::Sequence& sequence, const data::Prediction& prediction,
                          std::string_view text) -> Status {
      rules_.add(prediction);
      searches_.add(prediction);
      if (json_) ESPALIER_TRY(out_.write(report_.sequences == 0 ? "\n" : ",\n"));
      ++report_.sequences;
      report_.tokens += sequence.length();
      suspicion_.look_at(streamed_.first, input, sequence);
      return out_.write(text);
    };
    return model::run_pipeline(*reader, streamed_.predictor(), prepared.pipeline, workers_,
                               monitor_.monitor(), work, done);
  }

  /// Asked for a format, no one has to guess; a sequence that was left out had rows.
  Status refuse_text() const {
    const bool told =
        !options_.input_format.empty() || !options_.separator.empty() || options_.forced_column != 0;
    if (told || report_.bad_sequences > 0) return {};
    return suspicion_.verdict(report_.sequences);
  }

  Status end_json() {
    std::string more;
    if (searches_.sequences() > 0) more += fmt::format("\"searches\":{},", json_text(searches_.to_json()));
    if (!errors_.empty()) more += fmt::format("\"errors\":{},", json_text(Json(errors_)));
    if (report_.bad_sequences > 0) more += fmt::format("\"bad_sequences\":{},", report_.bad_sequences);
    if (report_.interrupted) more += "\"interrupted\":true,";
    ESPALIER_TRY(out_.write(fmt::format(
        "\n],\n{}\"tokens\":{},\"seconds\":{:.6f},\"tokens_per_second\":{:.1f}}}\n", more, report_.tokens,
        report_.seconds, report_.seconds > 0 ? static_cast<double>(report_.tokens) / report_.seconds : 0)));
    return out_.flush();
  }

  const Streamed& streamed_;
  const StreamOptions& options_;
  api::OpenSink& out_;
  const api::PublicMonitor& monitor_;
  const Workers workers_;
  bool json_;
  api::TextSuspicion suspicion_;
  StreamReport report_;
  model::ConstraintTally rules_;
  model::SearchTally searches_;
  std::vector<std::string> errors_;
};

}  // namespace

namespace {

Result<StreamReport> run_stream(const Streamed& streamed, const std::vector<Source>& sources,
                                const Sink& sink, const StreamOptions& options) {
  if (sources.empty()) return fail("no source to tag");
  const api::PublicMonitor monitor(options.on_progress, options.stop);
  std::vector<Prepared> prepared;
  for (const Source& source : sources) {
    ESPALIER_ASSIGN(Prepared one, prepare(streamed, options, source.state()->path));
    prepared.push_back(std::move(one));
  }
  // Before the output is opened: a missing input must not replace an existing output file.
  const api::ModelInput& input = prepared.front().plan.input;
  ESPALIER_ASSIGN(auto first, api::open_source(sources.front(), input.reading, input.task));
  ESPALIER_ASSIGN(api::OpenSink out, api::OpenSink::open(sink));
  StreamRun run(streamed, options, monitor, out);
  ESPALIER_TRY(run.run(sources, prepared, std::move(first)));
  // If interrupted, it is not committed: an existing file is left unchanged.
  if (!run.report().interrupted) ESPALIER_TRY(out.commit());
  return std::move(run.report());
}

}  // namespace

Status check_options(const Tagger& tagger, const StreamOptions& asked) {
  const Tagger::State& state = *tagger.state();
  ESPALIER_ASSIGN(const StreamOptions options, with_forced_arcs(state, asked));
  ESPALIER_ASSIGN(const api::DecodeChoice choice, api::unconstrained_choice(state, options.tag.decode));
  ESPALIER_TRY(prepare({state, state.model, choice}, options, {}));
  return {};
}

Result<StreamReport> tag_stream(const Tagger& tagger, const Source& source, const Sink& sink,
                                const StreamOptions& options) {
  return tag_stream(tagger, std::vector<Source>{source}, sink, options);
}

Result<StreamReport> tag_stream(const Tagger& tagger, const std::vector<Source>& sources, const Sink& sink,
                                const StreamOptions& asked) {
  const Tagger::State& state = *tagger.state();
  ESPALIER_ASSIGN(const StreamOptions options, with_forced_arcs(state, asked));
  ESPALIER_ASSIGN(const api::DecodeChoice choice, api::decode_choice(state, options.tag.decode));
  return run_stream({state, state.model, choice}, sources, sink, options);
}

Status check_options(const Pipeline& pipeline, const StreamOptions& options) {
  const Tagger::State& last = *pipeline.last().state();
  ESPALIER_ASSIGN(const api::DecodeChoice choice, api::unconstrained_choice(last, options.tag.decode));
  const api::PipelinePredictor predictor(*pipeline.state(), choice);
  ESPALIER_TRY(
      prepare({*pipeline.stages().front().tagger.state(), last.model, choice, &predictor}, options, {}));
  return {};
}

Result<StreamReport> tag_stream(const Pipeline& pipeline, const std::vector<Source>& sources,
                                const Sink& sink, const StreamOptions& options) {
  const Tagger::State& last = *pipeline.last().state();
  ESPALIER_ASSIGN(const api::DecodeChoice choice, api::decode_choice(last, options.tag.decode));
  const api::PipelinePredictor predictor(*pipeline.state(), choice);
  return run_stream({*pipeline.stages().front().tagger.state(), last.model, choice, &predictor}, sources,
                    sink, options);
}

namespace {

/// Predicts a batch in parallel; `take` gets the predictions in the order of the input.
Status run_batch(const Tagger::State& state, const Data& data, const TagOptions& options,
                 const std::function<void(const data::Prediction&)>& take) {
  if (!options.forced.empty()) return fail("forced labels are for single sequences");
  ESPALIER_ASSIGN(const api::DecodeChoice choice, api::decode_choice(state, options.decode));
  model::PipelineOptions pipeline;
  ESPALIER_ASSIGN(pipeline.predict, api::predict_options(options, choice, /*single=*/false));
  pipeline.file = &state.model.file();
  const auto work = [](const data::Sequence&, const data::Prediction&, std::string&) {};
  const auto done = [&](const data::Sequence&, const data::Prediction& prediction,
                        std::string_view) -> Status {
    take(prediction);
    return {};
  };
  const Workers workers(options.threads);
  ESPALIER_ASSIGN(const std::vector<api::ModelSource> sources,
                  api::laid_out_sources(state, data, /*labels_required=*/false));
  for (const auto& [source, input] : sources) {
    ESPALIER_ASSIGN(const auto reader,
                    model::open_task_reader(source, state.model.about().task, input.reading));
    pipeline.map = input.map ? &*input.map : nullptr;
    ESPALIER_TRY(model::run_pipeline(*reader, *choice.predictor, pipeline, workers, {}, work, done));
  }
  return {};
}

}  // namespace

Result<std::vector<Tagged>> Tagger::tag_batch(const Data& data, const TagOptions& options) const {
  std::vector<Tagged> all;
  ESPALIER_TRY(run_batch(*state_, data, options, [&](const data::Prediction& prediction) {
    all.push_back(api::to_tagged(prediction, state_->model.bare()));
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

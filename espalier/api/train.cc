#include "espalier/model/train.h"

#include "espalier/api/corpus.h"
#include "espalier/api/matrix_columns.h"
#include "espalier/api/public_monitor.h"
#include "espalier/api/sequence_builder.h"
#include "espalier/api/tagger.h"
#include "espalier/api/training.h"
#include "espalier/model/registry.h"
#include "espalier/model/task_data.h"
#include "espalier/public/train.h"

namespace espalier {
namespace api {
namespace {

/// Tasks that have their own JSON lines support neither columns nor other formats.
Status settle_json_task(const model::Task& task, const Data& data, const TrainOptions& options,
                        data::ReadOptions& reading) {
  if (!task.json) return {};
  if (const Files* const files = data.files()) {
    const ReadOptions& given = files->reading;
    if (!given.format.empty() && given.format != "jsonl" && given.format != task.name)
      return fail("format {}: task {} has JSON lines of its own", given.format, task.name);
    if (!given.label_column.empty() || !given.folds.empty() || !options.feature_columns.empty() ||
        options.feature_template)
      return fail(
          "task {} has its own features and no columns: no label column, feature columns, template or folds",
          task.name);
  } else if (data.corpus()->state()->task != task.json) {
    return fail("task {} learns from data of the format {}", task.name, task.name);
  }
  reading.format = data::Format::kJsonLines;
  return {};
}

}  // namespace

Status settle_tree_columns(const Data& data, data::ReadOptions& reading) {
  if (!reading.label_column.empty()) return {};
  if (reading.format != data::Format::kConllu)
    return fail("task parse: the column of the heads is missing (--head-column)");
  if (data.corpus() != nullptr) return fail("task parse: read the corpus with the label column head,deprel");
  reading.label_column = "head,deprel";
  return {};
}

Result<Sources> sources_of(const Data& data) {
  Sources out;
  if (const Files* const files = data.files()) {
    ESPALIER_ASSIGN(Reading reading, reading_of(files->reading, files->paths));
    out.reading = std::move(reading.options);
    out.sources.assign(files->paths.begin(), files->paths.end());
    return out;
  }
  const Corpus& corpus = *data.corpus();
  ESPALIER_TRY(corpus.status());
  const std::shared_ptr<Corpus::State>& state = corpus.state();
  out.reading = state->reading;
  out.reading.folds.clear();
  out.sources.emplace_back(std::shared_ptr<const std::vector<data::Sequence>>(state, &state->sequences),
                           state->name);
  return out;
}

Result<model::TrainRequest> request_of(const Data& data, const TrainOptions& options) {
  model::TrainRequest request;
  ESPALIER_ASSIGN(const model::Task* const task, model::find_task(options.task));
  request.task = options.task;
  request.learner = options.learner.name;
  if (request.learner.empty())
    request.learner = options.start_from ? options.start_from->state()->model.about().learner
                                         : std::string(task->learners.front());
  for (const auto& [name, value] : options.learner.settings) request.settings.push_back(name + "=" + value);
  ESPALIER_ASSIGN(Sources training, sources_of(data));
  request.train = std::move(training.sources);
  request.reading = std::move(training.reading);
  ESPALIER_TRY(settle_json_task(*task, data, options, request.reading));
  if (data.corpus() != nullptr) request.matrix_columns = data.corpus()->state()->matrix_columns;
  const bool parse = task->kind == model::TaskKind::kParse;
  if (parse) ESPALIER_TRY(settle_tree_columns(data, request.reading));
  if (options.dev) {
    ESPALIER_ASSIGN(Sources dev, sources_of(*options.dev));
    request.dev = std::move(dev.sources);
    request.dev_reading = std::move(dev.reading);
    if (const Corpus* const corpus = options.dev->corpus(); corpus != nullptr) {
      const size_t columns = corpus->state()->matrix_columns;
      if (columns != request.matrix_columns && !corpus->empty())
        return fail("development data: {}, but the training data are {}", kind_of_numbers(columns),
                    kind_of_numbers(request.matrix_columns));
    }
    if (task->json) request.dev_reading->format = data::Format::kJsonLines;
    if (parse) ESPALIER_TRY(settle_tree_columns(*options.dev, *request.dev_reading));
  }
  if (options.constraints) request.constraints = options.constraints->state()->file;
  request.allow_contradictions = options.allow_contradictions;
  if (options.start_from) {
    const auto& state = options.start_from->state();
    request.start_from = std::shared_ptr<const model::Model>(state, &state->model);
    if (const size_t before = state->model.about().matrix_columns; before != request.matrix_columns)
      return fail("the model to start from: its training data were {}, and these are {}",
                  kind_of_numbers(before), kind_of_numbers(request.matrix_columns));
  }
  if (options.feature_template)
    request.feature_text = model::TemplateText{options.template_name, *options.feature_template};
  request.feature_columns = options.feature_columns;
  for (const NamedText& list : options.lexicons)
    request.word_lists.push_back({data::WordList::Kind::kLexicon, list.name, list.text});
  for (const NamedText& list : options.word_classes)
    request.word_lists.push_back({data::WordList::Kind::kClasses, list.name, list.text});
  request.parsers = options.parsers;
  request.model = options.save_to;
  request.checkpoint_every = options.checkpoint_every;
  request.resume = options.resume;
  request.seed = options.seed;
  request.threads = options.threads;
  request.ranks = options.ranks;
  request.memory = options.memory;
  return request;
}

}  // namespace api

Status check_options(const Data& data, const TrainOptions& options) {
  ESPALIER_ASSIGN(const model::TrainRequest request, api::request_of(data, options));
  return model::check_request(request);
}

namespace {

/// Asks a generator for one sequence after another.
class GeneratorReader final : public data::Reader {
 public:
  explicit GeneratorReader(const Generator& generator) : generator_(generator) {}
  Result<bool> next(data::Sequence& sequence) override {
    builder_.clear();
    ESPALIER_ASSIGN(const bool more, generator_.sequence(number_, builder_));
    if (!more) return false;
    ++number_;
    const auto finished = builder_.state().finish();
    if (!finished.ok()) return fail("sequence {}, {}", number_, finished.error().message);
    if ((*finished)->columns() != 0)
      return fail("sequence {}: rows of cells; attributes were expected", number_);
    if (builder_.state().matrix_columns != 0)
      return fail("sequence {}: a matrix of numbers, but those before are lists of attributes", number_);
    sequence = **finished;
    return true;
  }
  std::string_view name() const override { return generator_.name; }

 private:
  const Generator& generator_;
  SequenceBuilder builder_;
  size_t number_ = 0;
};

Result<Training> run_training(const model::TrainRequest& request, const TrainOptions& options) {
  const api::PublicMonitor monitor(options.on_progress, options.stop);
  ESPALIER_ASSIGN(model::Trained trained, model::train(request, monitor.monitor()));
  ESPALIER_ASSIGN(Tagger tagger, TaggerBuilder::from_model(std::move(trained.model)));
  const model::TrainReport& report = trained.report;
  Training out(std::move(tagger));
  for (const auto& round : report.log)
    out.log.push_back({round.number, round.objective, round.dev_score, round.seconds});
  out.objective_name = report.objective_name;
  out.dev_measure = report.dev_measure;
  out.seconds = report.seconds;
  out.reading_seconds = report.reading_seconds;
  out.ranks = report.ranks;
  out.sequences = report.sequences;
  out.tokens = report.tokens;
  out.features = report.features;
  out.weights = report.weights;
  out.labels = report.labels;
  out.model_bytes = report.model_bytes;
  out.best_pass = report.best_round;
  out.stopped_early = report.stopped_early;
  out.interrupted = report.interrupted;
  out.notes = report.notes;
  out.details = report.details;
  return out;
}

}  // namespace

Result<Training> train_with_report(const Data& data, const TrainOptions& options) {
  ESPALIER_ASSIGN(const model::TrainRequest request, api::request_of(data, options));
  return run_training(request, options);
}

Result<Training> train_with_report(const Generator& data, const TrainOptions& options) {
  if (!data.sequence) return fail("{}: the generator has no function", data.name);
  ESPALIER_ASSIGN(model::TrainRequest request, api::request_of(Corpus(), options));
  request.train = {data::Source([&] { return std::make_unique<GeneratorReader>(data); }, data.name)};
  request.reading.format = data::Format::kCrfsuite;
  return run_training(request, options);
}

Result<Tagger> train(const Data& data, const TrainOptions& options) {
  ESPALIER_ASSIGN(Training training, train_with_report(data, options));
  return std::move(training.tagger);
}

Result<Tagger> train(const Data& data, const Learner& learner) {
  TrainOptions options;
  options.learner = learner;
  return train(data, options);
}

Result<Tagger> train(const Data& data, std::string_view learner, const Settings& settings) {
  return train(data, Learner(std::string(learner), settings));
}

}  // namespace espalier

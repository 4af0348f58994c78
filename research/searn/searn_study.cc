#include "research/searn/searn_study.h"

#include <chrono>
#include <fstream>

#include "espalier/base/temporary_directory.h"
#include "espalier/model/model.h"
#include "espalier/model/pipeline.h"
#include "espalier/model/train.h"

namespace espalier::research {

namespace {

/// Writes the first sequences of a file in columns to a file of their own.
Status copy_first(const std::string& from, const data::ReadOptions& reading, size_t most,
                  const std::string& to) {
  ESPALIER_ASSIGN(const auto reader, data::open_reader(from, reading));
  std::ofstream out(to);
  data::Sequence sequence;
  for (size_t n = 0; n < most; ++n) {
    ESPALIER_ASSIGN(const bool more, reader->next(sequence));
    if (!more) break;
    for (size_t row = 0; row < sequence.length(); ++row) out << sequence.raw(row) << '\n';
    out << '\n';
  }
  out.close();
  if (!out) return fail("{}: cannot be written", to);
  return {};
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

Result<SearnOutcome> train_and_score(const Request& request, const SearnRun& run, bool by_round) {
  ESPALIER_ASSIGN(const TemporaryDirectory folder, TemporaryDirectory::make());
  const std::string part = folder.path("train.txt");
  model::TrainRequest train;
  train.train = {run.train};
  if (run.most_sequences > 0) {
    ESPALIER_TRY(copy_first(run.train, run.train_reading, run.most_sequences, part));
    train.train = {part};
  }
  train.task = run.task;
  train.learner = run.learner;
  train.settings = run.settings;
  ESPALIER_ASSIGN(train.feature_text, model::read_template(run.template_file));
  train.feature_columns = run.feature_columns;
  train.reading = run.train_reading;
  train.seed = request.seed;
  train.threads = request.threads;
  if (by_round) {
    train.dev = {run.test};
    train.dev_reading = run.test_reading;
    train.settings.push_back("patience=1000000");
  }
  Monitor monitor;
  monitor.stop = request.monitor.stop;
  SearnOutcome outcome;
  ESPALIER_ASSIGN(const model::Trained trained, model::train(train, monitor));
  if (request.monitor.stop_requested()) return fail("stopped");
  outcome.train_seconds = trained.report.seconds;
  for (const auto& round : trained.report.log) {
    if (round.dev_score) outcome.dev.push_back(*round.dev_score);
    if (round.objective) outcome.objectives.push_back(*round.objective);
  }
  const model::Model& loaded = trained.model;
  const auto start = std::chrono::steady_clock::now();
  ESPALIER_ASSIGN(const auto reader, data::open_reader(run.test, run.test_reading));
  const Workers workers(request.threads);
  std::vector<std::string_view> gold, predicted;
  const size_t columns = loaded.predictor().label_columns();
  if (run.keep_labels) outcome.predicted.resize(columns);
  ESPALIER_TRY(model::run_pipeline(
      *reader, loaded.predictor(), {}, workers, monitor,
      [](const data::Sequence&, const data::Prediction&, std::string&) {},
      [&](const data::Sequence& sequence, const data::Prediction& prediction, std::string_view) -> Status {
        gold.clear();
        predicted.clear();
        for (size_t t = 0; t < sequence.length(); ++t) {
          gold.push_back(sequence.label(t));
          predicted.push_back(loaded.labels().name(prediction.labels()[t]));
        }
        outcome.scores.add(gold, predicted);
        for (size_t c = 0; c < outcome.predicted.size(); ++c) {
          const auto& best = prediction.best.front();
          for (const data::Label label : c + 1 == columns ? best.labels : best.others[c])
            outcome.predicted[c].push_back(loaded.predictor().labels_of_column(c).name(label));
        }
        return {};
      }));
  outcome.test_seconds = seconds_since(start);
  return outcome;
}

}  // namespace espalier::research

#include "espalier/report/trial.h"

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "espalier/api/corpus.h"
#include "espalier/api/public_monitor.h"
#include "espalier/api/tagger.h"
#include "espalier/api/training.h"
#include "espalier/base/text/json_as.h"
#include "espalier/data/folds.h"
#include "espalier/data/label_scheme.h"
#include "espalier/model/train.h"
#include "espalier/public/evaluate.h"
#include "espalier/report/candidates.h"

namespace espalier::report {
namespace {
using TrialClock = std::chrono::steady_clock;

double seconds_since(TrialClock::time_point start) {
  return std::chrono::duration<double>(TrialClock::now() - start).count();
}

/// Files one after the other, without the sequences that a trial does not train on. Their text is never in
/// memory together, so that training takes the memory that `espalier train` would take.
class PartReader final : public data::Reader {
 public:
  PartReader(const Trial& trial, data::ReadOptions reading) : trial_(trial), reading_(std::move(reading)) {}

  Result<bool> next(data::Sequence& sequence) override {
    while (true) {
      if (reader_ == nullptr) {
        if (file_ == trial_.train.paths.size()) return false;
        ESPALIER_ASSIGN(reader_, data::open_reader(trial_.train.paths[file_++], reading_));
      }
      ESPALIER_ASSIGN(const bool more, reader_->next(sequence));
      if (!more) {
        reader_ = nullptr;
        continue;
      }
      if (trained_on(trial_, number_++)) return true;
    }
  }
  std::string_view name() const override {
    return reader_ != nullptr ? reader_->name() : std::string_view(trial_.train.paths.front());
  }

 private:
  const Trial& trial_;
  data::ReadOptions reading_;
  std::unique_ptr<data::Reader> reader_;
  size_t file_ = 0, number_ = 0;
};

Result<Corpus> scored_corpus(const Trial& trial) {
  if (trial.test) return Corpus::read(trial.test->paths, trial.test->reading);
  ESPALIER_ASSIGN(const Corpus all, Corpus::read(trial.train.paths, trial.train.reading));
  std::vector<size_t> numbers;
  for (size_t s = 0; s < all.size(); ++s)
    if (held_out(trial, s)) numbers.push_back(s);
  return all.subset(numbers);
}

/// Tokens per second without reading: the best of a few runs, so that small data gives a usable figure.
Result<double> tagging_speed(const Tagger& tagger, const Corpus& corpus, int threads) {
  TagOptions options;
  options.threads = threads;
  double best = 0, spent = 0;
  for (int run = 0; run < 5 && spent < 1; ++run) {
    const auto start = TrialClock::now();
    ESPALIER_TRY(tagger.label_batch(corpus, options));
    const double seconds = std::max(1e-9, seconds_since(start));
    spent += seconds;
    best = std::max(best, static_cast<double>(corpus.tokens()) / seconds);
  }
  return best;
}

Json files_json(const Files& files) {
  const ReadOptions& r = files.reading;
  return {{"paths", files.paths}, {"format", r.format},     {"label_column", r.label_column},
          {"folds", r.folds},     {"encoding", r.encoding}, {"separator", r.separator},
          {"comment", r.comment}};
}

Files files_from(const Json& json) {
  Files files;
  files.paths = json.at("paths").get<std::vector<std::string>>();
  files.reading.format = json.at("format").get<std::string>();
  files.reading.label_column = json.at("label_column").get<std::string>();
  files.reading.folds = json.at("folds").get<std::string>();
  files.reading.encoding = json.at("encoding").get<std::string>();
  files.reading.separator = json.at("separator").get<std::string>();
  files.reading.comment = json.at("comment").get<std::string>();
  return files;
}

}  // namespace

std::string Trial::to_json() const {
  Json json = {{"train", files_json(train)},
               {"task", candidate.task},
               {"learner", candidate.learner},
               {"settings", candidate.settings},
               {"template", feature_template ? Json(*feature_template) : Json(nullptr)},
               {"template_name", template_name},
               {"feature_columns", feature_columns},
               {"seed", seed},
               {"threads", threads},
               {"folds", folds},
               {"fold", fold},
               {"eighths", eighths},
               {"test", test ? files_json(*test) : Json(nullptr)}};
  return json_text(json);
}

Result<Trial> Trial::from_json(const std::string& text) try {
  const Json json = parse_json(text);
  Trial trial;
  trial.train = files_from(json.at("train"));
  trial.candidate = {json.at("task").get<std::string>(), json.at("learner").get<std::string>(),
                     json.at("settings").get<Settings>()};
  if (!json.at("template").is_null()) trial.feature_template = json.at("template").get<std::string>();
  trial.template_name = json.at("template_name").get<std::string>();
  trial.feature_columns = json_as<std::vector<size_t>>(json.at("feature_columns"));
  trial.seed = json_as<uint64_t>(json.at("seed"));
  trial.threads = json_as<int>(json.at("threads"));
  trial.folds = json_as<int>(json.at("folds"));
  trial.fold = json_as<int>(json.at("fold"));
  trial.eighths = json_as<int>(json.at("eighths"));
  if (!json.at("test").is_null()) trial.test = files_from(json.at("test"));
  if (trial.train.paths.empty() || trial.eighths < 1 || trial.eighths > 8 ||
      (trial.fold >= 0 && trial.fold >= trial.folds) || (trial.fold < 0 && !trial.test))
    return fail("a trial whose values contradict each other");
  return trial;
} catch (const Json::exception& error) {
  return fail("not a trial: {}", error.what());
}

std::string TrialResult::to_json() const {
  Json counts = Json::array();
  for (const eval::SequenceStatistics& s : statistics)
    counts.insert(counts.end(), {s.tokens, s.correct, s.chunks.gold, s.chunks.found, s.chunks.correct});
  return json_text(Json{{"spans", spans},
                        {"train_sequences", train_sequences},
                        {"train_tokens", train_tokens},
                        {"train_seconds", train_seconds},
                        {"tokens_per_second", tokens_per_second},
                        {"peak_bytes", peak_bytes},
                        {"model_bytes", model_bytes},
                        {"legal", legal},
                        {"statistics", std::move(counts)}});
}

Result<TrialResult> TrialResult::from_json(const std::string& text) try {
  const Json json = parse_json(text);
  TrialResult out;
  out.spans = json.at("spans").get<bool>();
  out.train_sequences = json_as<size_t>(json.at("train_sequences"));
  out.train_tokens = json_as<size_t>(json.at("train_tokens"));
  out.train_seconds = json.at("train_seconds").get<double>();
  out.tokens_per_second = json.at("tokens_per_second").get<double>();
  out.peak_bytes = json_as<size_t>(json.at("peak_bytes"));
  out.model_bytes = json_as<size_t>(json.at("model_bytes"));
  out.legal = json.at("legal").get<double>();
  const auto counts = json_as<std::vector<uint64_t>>(json.at("statistics"));
  if (counts.size() % 5 != 0) return fail("not the result of a trial: {} counts", counts.size());
  for (size_t i = 0; i < counts.size(); i += 5) {
    eval::SequenceStatistics s;
    s.tokens = static_cast<uint32_t>(counts[i]);
    s.correct = static_cast<uint32_t>(counts[i + 1]);
    s.chunks = {counts[i + 2], counts[i + 3], counts[i + 4]};
    out.statistics.push_back(s);
  }
  return out;
} catch (const Json::exception& error) {
  return fail("not the result of a trial: {}", error.what());
}

bool held_out(const Trial& trial, size_t number) {
  return trial.fold >= 0 && data::fold_of(number, trial.folds, trial.seed) == trial.fold;
}

bool trained_on(const Trial& trial, size_t number) {
  if (held_out(trial, number)) return false;
  // Another seed than that of the folds: the parts are drawn independently of them.
  return trial.eighths == 8 || data::fold_of(number, 8, trial.seed + 0x9E3779B97F4A7C15u) < trial.eighths;
}

Result<TrialResult> run(const Trial& trial, const std::function<size_t()>& peak_bytes,
                        const Monitor& monitor) {
  CompareOptions how_trained;
  how_trained.feature_template = trial.feature_template;
  how_trained.template_name = trial.template_name;
  how_trained.feature_columns = trial.feature_columns;
  how_trained.seed = trial.seed;
  how_trained.threads = trial.threads;
  const TrainOptions options = train_options_of(trial.candidate, how_trained);
  ESPALIER_ASSIGN(model::TrainRequest request, api::request_of(trial.train, options));
  const data::ReadOptions reading = request.reading;
  request.train = {
      data::Source([&] { return std::make_unique<PartReader>(trial, reading); }, trial.train.paths.front())};
  const auto start = TrialClock::now();
  ESPALIER_ASSIGN(model::Trained trained, model::train(request, monitor));
  TrialResult out;
  out.train_seconds = seconds_since(start);
  if (trained.report.interrupted || monitor.stop_requested())
    return fail("stopped before the trial was done");
  if (peak_bytes) out.peak_bytes = peak_bytes();
  out.train_sequences = trained.report.sequences;
  out.train_tokens = trained.report.tokens;
  out.model_bytes = trained.report.model_bytes;
  ESPALIER_ASSIGN(const Tagger tagger, TaggerBuilder::from_model(std::move(trained.model)));
  ESPALIER_ASSIGN(const Corpus corpus, scored_corpus(trial));

  eval::TaggingScores scores;
  data::SchemeDetector detector;
  std::vector<std::vector<std::string>> predicted;
  EvaluateOptions how;
  how.threads = trial.threads;
  how.stop = monitor.stop;
  how.on_sequence = [&](const ScoredSequence& sequence) {
    const std::vector<std::string_view> gold(sequence.gold.begin(), sequence.gold.end()),
        found(sequence.predicted.begin(), sequence.predicted.end());
    out.statistics.push_back(scores.add(gold, found));
    detector.add(gold);
    predicted.push_back(sequence.predicted);
  };
  ESPALIER_TRY(evaluate(tagger, corpus, how));
  out.spans = scores.chunked();
  if (const data::Scheme scheme = detector.scheme(); out.spans && scheme != data::Scheme::kNone) {
    size_t legal = 0;
    for (const auto& labels : predicted) {
      size_t repairs = 0;
      data::spans(std::vector<std::string_view>(labels.begin(), labels.end()), scheme, &repairs);
      legal += repairs == 0 ? 1 : 0;
    }
    out.legal = 100 * static_cast<double>(legal) / static_cast<double>(std::max<size_t>(1, predicted.size()));
  }
  ESPALIER_ASSIGN(out.tokens_per_second, tagging_speed(tagger, corpus, trial.threads));
  return out;
}

}  // namespace espalier::report

namespace espalier {

Result<std::string> run_trial(const std::string& text, const std::function<size_t()>& peak_bytes,
                              const std::atomic<bool>* stop,
                              const std::function<bool(const Progress&)>& on_progress) {
  ESPALIER_ASSIGN(const report::Trial trial, report::Trial::from_json(text));
  const api::PublicMonitor monitor(on_progress, stop);
  ESPALIER_ASSIGN(const report::TrialResult result, report::run(trial, peak_bytes, monitor.monitor()));
  return result.to_json();
}

}  // namespace espalier

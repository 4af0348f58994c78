#include "apps/evaluate.h"

#include <chrono>
#include <nlohmann/json.hpp>

#include "espalier/predictor/pipeline.h"

namespace espalier::apps {
namespace {

using Clock = std::chrono::steady_clock;

double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

void gold_labels(const data::Sequence& sequence, std::vector<std::string_view>& labels) {
  labels.clear();
  for (size_t row = 0; row < sequence.length(); ++row) labels.push_back(sequence.label(row));
}

}  // namespace

Status evaluate(const data::Predictor& predictor, const std::vector<std::string>& files,
                const data::ReadOptions& reading, const data::PredictOptions& options, const Workers& workers,
                const Monitor& monitor, Evaluation& evaluation) {
  data::ReadOptions labelled = reading;
  labelled.labels_required = true;
  predictor::PipelineOptions pipeline;
  pipeline.predict = options;
  const std::vector<std::string_view> names(predictor.labels().names().begin(),
                                            predictor.labels().names().end());
  std::vector<std::string_view> gold;
  std::vector<std::string_view> predicted;

  const auto start = Clock::now();
  for (const std::string& file : files) {
    ESPALIER_ASSIGN(const auto reader, data::open_reader(file, labelled));
    const auto work = [](const data::Sequence&, const data::Prediction&, std::string&) {};
    const auto done = [&](const data::Sequence& sequence, const data::Prediction& prediction,
                          std::string_view) -> Status {
      if (!sequence.has_labels()) return fail("{}:{}: the sequence has no labels", file, sequence.line(0));
      evaluation.tally.add(prediction);
      gold_labels(sequence, gold);
      predicted.clear();
      for (const data::Label label : prediction.labels()) predicted.push_back(names[label]);
      evaluation.scores.add(gold, predicted, prediction.confidence);
      evaluation.tokens += sequence.length();
      return {};
    };
    ESPALIER_TRY(predictor::run_pipeline(*reader, predictor, pipeline, workers, monitor, work, done));
  }
  evaluation.seconds += since(start);
  return {};
}

Status evaluate_columns(const std::vector<std::string>& files, const std::string& encoding,
                        Evaluation& evaluation) {
  data::ReadOptions reading;
  reading.label_column = "-2";
  reading.encoding = encoding;
  data::Sequence sequence;
  std::vector<std::string_view> gold;
  std::vector<std::string_view> predicted;
  const auto start = Clock::now();
  for (const std::string& file : files) {
    ESPALIER_ASSIGN(const auto reader, data::open_reader(file, reading));
    while (true) {
      ESPALIER_ASSIGN(const bool more, reader->next(sequence));
      if (!more) break;
      gold_labels(sequence, gold);
      predicted.clear();
      for (size_t row = 0; row < sequence.length(); ++row)
        predicted.push_back(sequence.cell(row, sequence.columns() - 1));
      evaluation.scores.add(gold, predicted);
      evaluation.tokens += sequence.length();
    }
  }
  evaluation.seconds += since(start);
  return {};
}

nlohmann::ordered_json evaluation_json(const Evaluation& evaluation) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  // Key by key: what people look for first comes first.
  const nlohmann::json scores = evaluation.scores.to_json();
  for (const char* key :
       {"sequences", "tokens", "accuracy", "sequence_accuracy", "precision", "recall", "f1"})
    json[key] = scores.at(key);
  json["seconds"] = evaluation.seconds;
  json["tokens_per_second"] = evaluation.tokens_per_second();
  if (evaluation.tally.constrained > 0) json["constraints"] = evaluation.tally.to_json();
  for (const auto& [key, value] : scores.items())
    if (!json.contains(key)) json[key] = value;
  return json;
}

}  // namespace espalier::apps

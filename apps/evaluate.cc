#include "apps/evaluate.h"

#include <chrono>
#include <nlohmann/json.hpp>

#include "espalier/data/formats/label_column.h"
#include "espalier/model/pipeline.h"
#include "espalier/model/task_data.h"
#include "espalier/tasks/structures/json_tasks.h"

namespace espalier::apps {
namespace {

using Clock = std::chrono::steady_clock;

double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

void gold_labels(const data::Sequence& sequence, std::vector<std::string_view>& labels) {
  labels.clear();
  for (size_t row = 0; row < sequence.length(); ++row) labels.push_back(sequence.label(row));
}

double percent(uint64_t part, uint64_t all) {
  return all == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(all);
}

/// Adds a sequence to the scores of all columns; gold and predicted are those of the last.
void add_joint(const data::Predictor& predictor, const data::Sequence& sequence,
               const data::Prediction& prediction, std::span<const std::string_view> gold,
               std::span<const std::string_view> predicted, JointScores& joint) {
  std::vector<bool> known(sequence.length(), true), right(sequence.length(), true);
  const auto count = [&](std::span<const std::string_view> of_gold, std::span<const std::string_view> given) {
    for (size_t row = 0; row < sequence.length(); ++row) {
      if (of_gold[row] == data::kUnknownLabelText) {
        known[row] = false;
        continue;
      }
      ++joint.labels;
      if (of_gold[row] == given[row]) {
        ++joint.right_labels;
      } else {
        right[row] = false;
      }
    }
  };
  count(gold, predicted);
  std::vector<std::string_view> other_gold(sequence.length()), other(sequence.length());
  for (size_t c = 0; c < joint.others.size(); ++c) {
    for (size_t row = 0; row < sequence.length(); ++row) {
      other_gold[row] = sequence.cell(row, joint.cells[c]);
      other[row] = predictor.labels_of_column(c).name(prediction.best.front().others[c][row]);
    }
    joint.others[c].add(other_gold, other);
    count(other_gold, other);
  }
  uint64_t tokens = 0, right_tokens = 0;
  for (size_t row = 0; row < sequence.length(); ++row)
    if (known[row]) {
      ++tokens;
      if (right[row]) ++right_tokens;
    }
  joint.tokens += tokens;
  joint.right_tokens += right_tokens;
  if (tokens == 0) return;
  ++joint.sequences;
  if (right_tokens == tokens) ++joint.right_sequences;
}

}  // namespace

double JointScores::label_accuracy() const { return percent(right_labels, labels); }
double JointScores::token_accuracy() const { return percent(right_tokens, tokens); }
double JointScores::sequence_accuracy() const { return percent(right_sequences, sequences); }

void JointScores::merge(const JointScores& other) {
  if (!any()) {
    *this = other;
    return;
  }
  for (size_t c = 0; c < others.size(); ++c) others[c].merge(other.others[c]);
  labels += other.labels;
  right_labels += other.right_labels;
  tokens += other.tokens;
  right_tokens += other.right_tokens;
  sequences += other.sequences;
  right_sequences += other.right_sequences;
}

std::string JointScores::table(const eval::TaggingScores& last) const {
  std::string out = "column    accuracy  whole seq.  precision  recall      F1\n";
  for (size_t c = 0; c < cells.size(); ++c) {
    const eval::TaggingScores& s = c < others.size() ? others[c] : last;
    out += fmt::format("{:<8}  {:8.2f}  {:10.2f}  {:9.2f}  {:6.2f}  {:6.2f}\n", cells[c] + 1, s.accuracy(),
                       s.sequence_accuracy(), s.precision(), s.recall(), s.f1());
  }
  return out + fmt::format(
                   "all labels: {:.2f} % right; tokens with every label right: {:.2f} %; whole sequences: "
                   "{:.2f} %\n",
                   label_accuracy(), token_accuracy(), sequence_accuracy());
}

nlohmann::ordered_json JointScores::to_json(const eval::TaggingScores& last) const {
  nlohmann::ordered_json columns = nlohmann::ordered_json::array();
  for (size_t c = 0; c < cells.size(); ++c) {
    const eval::TaggingScores& s = c < others.size() ? others[c] : last;
    columns.push_back({{"column", cells[c] + 1},
                       {"accuracy", s.accuracy()},
                       {"sequence_accuracy", s.sequence_accuracy()},
                       {"precision", s.precision()},
                       {"recall", s.recall()},
                       {"f1", s.f1()}});
  }
  return {{"columns", std::move(columns)},
          {"label_accuracy", label_accuracy()},
          {"token_accuracy", token_accuracy()},
          {"sequence_accuracy", sequence_accuracy()}};
}

Status evaluate(const data::Predictor& predictor, const std::vector<std::string>& files,
                const data::ReadOptions& reading, const data::PredictOptions& options, const Workers& workers,
                const Monitor& monitor, Evaluation& evaluation, const EvaluationTask& task) {
  data::ReadOptions labelled = reading;
  labelled.labels_required = true;
  model::PipelineOptions pipeline;
  pipeline.predict = options;
  const std::vector<std::string_view> names(predictor.labels().names().begin(),
                                            predictor.labels().names().end());
  std::vector<std::string_view> gold;
  std::vector<std::string_view> predicted;

  const bool joint = predictor.label_columns() > 1;
  if (joint) evaluation.joint.others.resize(predictor.label_columns() - 1);
  const constrain::InstanceMaker instances = model::instances_of_task(task.task);
  if (task.task == "roles" && !evaluation.roles) evaluation.roles.emplace();
  if (task.check != nullptr && !evaluation.legal) evaluation.legal = 0;

  const auto start = Clock::now();
  for (const std::string& file : files) {
    ESPALIER_ASSIGN(const auto reader, model::open_task_reader(file, task.task, labelled));
    const auto work = [](const data::Sequence&, const data::Prediction&, std::string&) {};
    const auto done = [&](const data::Sequence& sequence, const data::Prediction& prediction,
                          std::string_view) -> Status {
      if (!sequence.has_labels() && !sequence.empty())
        return fail("{}:{}: the sequence has no labels", file, sequence.line(0));
      evaluation.tally.add(prediction);
      evaluation.searches.add(prediction);
      gold_labels(sequence, gold);
      predicted.clear();
      for (const data::Label label : prediction.labels()) predicted.push_back(names[label]);
      if (!sequence.empty()) evaluation.scores.add(gold, predicted, prediction.confidence);
      if (joint && evaluation.joint.cells.empty()) {
        ESPALIER_ASSIGN(evaluation.joint.cells, data::resolve_label_columns(reading, sequence.columns()));
      }
      if (joint) add_joint(predictor, sequence, prediction, gold, predicted, evaluation.joint);
      if (evaluation.roles) evaluation.roles->add(gold, predicted, tasks::missed_arguments(sequence));
      if (task.check != nullptr) {
        const constrain::Instance instance = instances(*task.check, sequence);
        *evaluation.legal += task.check->broken_constraints(instance, prediction.labels()).empty();
        ++evaluation.checked;
      }
      evaluation.tokens += sequence.length();
      return {};
    };
    ESPALIER_TRY(model::run_pipeline(*reader, predictor, pipeline, workers, monitor, work, done));
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

void Evaluation::merge(const Evaluation& other) {
  scores.merge(other.scores);
  if (other.joint.any()) joint.merge(other.joint);
  if (other.roles) {
    if (!roles) roles.emplace();
    roles->merge(*other.roles);
  }
  if (other.legal) legal = legal.value_or(0) + *other.legal;
  checked += other.checked;
  tally.merge(other.tally);
  searches.merge(other.searches);
  tokens += other.tokens;
  seconds += other.seconds;
}

std::string task_report(const Evaluation& evaluation) {
  std::string out;
  if (evaluation.roles) {
    const tasks::RoleScores& r = *evaluation.roles;
    out += fmt::format(
        "{} predicates, {} candidates, {} arguments of which {} are candidates\n"
        "accuracy over candidates    {:6.2f} %\n"
        "argument-type accuracy      {:6.2f} %  of the gold arguments that are candidates\n"
        "arguments: precision {:.2f} %, recall {:.2f} %, F1 {:.2f} (those that are no candidate are "
        "missed)\n",
        r.predicates, r.candidates, r.gold, r.reachable, r.accuracy(), r.type_accuracy(), r.precision(),
        r.recall(), r.f1());
  }
  if (evaluation.legal)
    out += fmt::format("no constraint is broken in {} of {} ({:.2f} %)\n", *evaluation.legal,
                       evaluation.checked, evaluation.legal_share());
  return out;
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
  if (evaluation.roles) {
    const tasks::RoleScores& r = *evaluation.roles;
    json["precision"] = r.precision();
    json["recall"] = r.recall();
    json["f1"] = r.f1();
    json["roles"] = {{"predicates", r.predicates},
                     {"candidates", r.candidates},
                     {"arguments", r.gold},
                     {"arguments_among_candidates", r.reachable},
                     {"argument_type_accuracy", r.type_accuracy()}};
  }
  if (evaluation.tally.constrained > 0) json["constraints"] = evaluation.tally.to_json();
  if (evaluation.searches.sequences() > 0) json["searches"] = evaluation.searches.to_json();
  if (evaluation.joint.any()) json["joint"] = evaluation.joint.to_json(evaluation.scores);
  if (evaluation.legal) {
    json["constraints"]["checked"] = evaluation.checked;
    json["constraints"]["legal"] = *evaluation.legal;
    json["constraints"]["legal_percent"] = evaluation.legal_share();
  }
  for (const auto& [key, value] : scores.items())
    if (!json.contains(key)) json[key] = value;
  return json;
}

}  // namespace espalier::apps

#include "espalier/model/evaluation.h"

#include <fmt/format.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "espalier/base/text/format.h"
#include "espalier/base/text/json.h"
#include "espalier/data/formats/label_column.h"
#include "espalier/model/pipeline.h"
#include "espalier/model/registry.h"
#include "espalier/model/task_data.h"
#include "espalier/tasks/structures/json_tasks.h"
#include "espalier/tasks/summary/cluster.h"
#include "espalier/tasks/trees/tree.h"

namespace espalier::model {
namespace {

using Clock = std::chrono::steady_clock;

double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

void gold_labels(const data::Sequence& sequence, std::vector<std::string_view>& labels) {
  labels.clear();
  for (size_t row = 0; row < sequence.length(); ++row) labels.push_back(sequence.label(row));
}

void add_summary(const tasks::Cluster& cluster, const data::Prediction& prediction,
                 const data::Predictor& predictor, eval::RougeWords& words, eval::RougeScores& scores) {
  std::vector<bool> chosen;
  for (const data::Label label : prediction.labels())
    chosen.push_back(predictor.labels().name(label) == tasks::kInSummary);
  const eval::RougeText summary = words.text(tasks::summary_sentences(cluster, chosen));
  std::vector<eval::RougeText> references;
  for (const auto& reference : cluster.references) references.push_back(words.text(reference));
  size_t count = 0;
  for (const auto& sentence : summary) count += sentence.size();
  scores.add(eval::rouge(summary, references), count);
}

}  // namespace

void ConstraintTally::add(const data::Prediction& prediction) {
  if (!prediction.constraints) return;
  ++constrained;
  using Ended = data::ConstraintEffect::Outcome;
  switch (prediction.constraints->outcome) {
    case Ended::kExact:
      break;
    case Ended::kApproximate:
      ++approximate;
      break;
    case Ended::kInfeasible:
      ++infeasible;
      if (example.empty()) example = joined(prediction.constraints->clash, ", ");
      break;
    case Ended::kOutOfTime:
      ++out_of_time;
      break;
    case Ended::kNoneInTime:
      ++none_in_time;
      break;
  }
}

void ConstraintTally::merge(const ConstraintTally& other) {
  constrained += other.constrained;
  approximate += other.approximate;
  infeasible += other.infeasible;
  out_of_time += other.out_of_time;
  none_in_time += other.none_in_time;
  if (example.empty()) example = other.example;
}

Json ConstraintTally::to_json() const {
  return {{"sequences", constrained}, {"exact", exact()},           {"approximate", approximate},
          {"infeasible", infeasible}, {"out_of_time", out_of_time}, {"none_in_time", none_in_time}};
}

Json SearchTally::to_json() const {
  return {
      {"sequences", sequences()}, {"exact", ended[0]}, {"approximate", ended[1]}, {"out_of_steps", ended[2]}};
}

Status evaluate(const data::Predictor& predictor, const data::Source& source,
                const data::ReadOptions& reading, const EvaluationOptions& options, const Workers& workers,
                const Monitor& monitor, Evaluation& evaluation) {
  PipelineOptions pipeline;
  pipeline.predict = options.predict;
  pipeline.file = options.file;
  pipeline.map = options.map;
  pipeline.on_bad_sequence = options.on_bad_sequence;
  data::Sequence mapped;
  const std::vector<std::string_view> names(predictor.labels().names().begin(),
                                            predictor.labels().names().end());
  std::vector<std::string_view> gold;
  std::vector<std::string_view> predicted;

  const bool joint = predictor.label_columns() > 1;
  if (joint) evaluation.joint.others.resize(predictor.label_columns() - 1);
  ESPALIER_ASSIGN(const Task* const task, find_task(options.task));
  const constrain::InstanceMaker instances = instances_of_task(options.task);
  if (task->kind == TaskKind::kRoles && !evaluation.roles) evaluation.roles.emplace();
  const bool trees = predictor.builds_trees();
  if (trees && options.predict.confidence) return fail("the calibration of parsers is not measured");
  if (trees && !evaluation.trees) evaluation.trees.emplace();
  std::vector<size_t> tree_cells;  // of the heads and, where there are any, of the relations
  std::vector<uint32_t> gold_heads;
  if (options.check != nullptr && !evaluation.legal) evaluation.legal = 0;

  const bool summaries = task->kind == TaskKind::kSummary;
  if (summaries && !evaluation.summaries) evaluation.summaries.emplace();
  ESPALIER_ASSIGN(eval::RougeWords words,
                  eval::RougeWords::make(options.rouge_stemmer, options.rouge_stopwords));

  const auto start = Clock::now();
  ESPALIER_ASSIGN(const auto reader, open_task_reader(source, options.task, reading));
  const auto work = [](const data::Sequence&, const data::Prediction&, std::string&) {};
  const auto name_labels = [&](const data::Prediction& prediction) {
    predicted.clear();
    for (const data::Label label : prediction.labels()) predicted.push_back(names[label]);
  };
  const auto done = [&](const data::Sequence& sequence, const data::Prediction& prediction,
                        std::string_view) -> Status {
    if (summaries) {
      const tasks::Cluster cluster = tasks::cluster_of(sequence);
      if (cluster.references.empty())
        return fail("{}:{}: the cluster has no references (\"refs\")", reader->name(), sequence.line(0));
      evaluation.searches.add(prediction);
      evaluation.tokens += sequence.length();
      add_summary(cluster, prediction, predictor, words, *evaluation.summaries);
      if (options.on_sequence) {
        gold.assign(sequence.length(), "_");
        name_labels(prediction);
        options.on_sequence(reader->name(), sequence, prediction, gold, predicted, {});
      }
      return {};
    }
    if (!sequence.has_labels() && !sequence.empty())
      return fail("{}:{}: the sequence has no labels", reader->name(), sequence.line(0));
    evaluation.tally.add(prediction);
    evaluation.searches.add(prediction);
    gold_labels(sequence, gold);
    name_labels(prediction);
    if (trees && !sequence.empty()) {
      if (tree_cells.empty()) {
        ESPALIER_ASSIGN(tree_cells, data::resolve_label_columns(reading, sequence.columns()));
      }
      ESPALIER_TRY(with_file(*reader, tasks::read_heads(sequence, tree_cells.front(), gold_heads)));
      if (tree_cells.size() == 1) gold = predicted;  // no relations
      evaluation.trees->add(gold_heads, gold, prediction.best.front().heads, predicted);
    }
    if (!sequence.empty()) evaluation.scores.add(gold, predicted, prediction.confidence);
    for (const std::string_view label : gold) {
      if (label == data::kUnknownLabelText || predictor.labels().find(label)) continue;
      const auto place = evaluation.unknown.find(label);
      ++(place != evaluation.unknown.end() ? place->second : evaluation.unknown[std::string(label)]);
    }
    if (!sequence.empty() && options.on_sequence)
      options.on_sequence(reader->name(), sequence, prediction, gold, predicted, gold_heads);
    if (joint) {
      if (evaluation.joint.cells.empty()) {
        ESPALIER_ASSIGN(evaluation.joint.cells, data::resolve_label_columns(reading, sequence.columns()));
      }
      evaluation.joint.add(predictor, sequence, prediction, gold, predicted);
    }
    if (evaluation.roles) evaluation.roles->add(gold, predicted, tasks::missed_arguments(sequence));
    if (options.check != nullptr) {
      if (options.map != nullptr) ESPALIER_TRY(options.map->apply(sequence, mapped));
      const constrain::Instance instance =
          instances(*options.check, options.map != nullptr ? mapped : sequence);
      *evaluation.legal += options.check->broken_constraints(instance, prediction.labels()).empty();
      ++evaluation.checked;
    }
    evaluation.tokens += sequence.length();
    return {};
  };
  ESPALIER_TRY(run_pipeline(*reader, predictor, pipeline, workers, monitor, work, done));
  evaluation.seconds += since(start);
  return {};
}

Status evaluate_columns(const std::string& file, const data::ReadOptions& how, Evaluation& evaluation) {
  data::ReadOptions reading;
  reading.label_column = "-2";
  reading.encoding = how.encoding;
  reading.separator = how.separator;
  reading.comment = how.comment;
  data::Sequence sequence;
  std::vector<std::string_view> gold;
  std::vector<std::string_view> predicted;
  const auto start = Clock::now();
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
  if (other.trees) {
    if (!trees) trees.emplace();
    trees->merge(*other.trees);
  }
  if (other.summaries) {
    if (!summaries) summaries.emplace();
    summaries->merge(*other.summaries);
  }
  if (other.legal) legal = legal.value_or(0) + *other.legal;
  checked += other.checked;
  tally.merge(other.tally);
  searches.merge(other.searches);
  for (const auto& [label, count] : other.unknown) unknown[label] += count;
  tokens += other.tokens;
  seconds += other.seconds;
}

std::string Evaluation::report() const {
  std::string out;
  if (roles) {
    const tasks::RoleScores& r = *roles;
    out += fmt::format(
        "{} predicates, {} candidates, {} arguments of which {} are candidates\n"
        "accuracy over candidates    {:6.2f} %\n"
        "argument-type accuracy      {:6.2f} %  of the gold arguments that are candidates\n"
        "arguments: precision {:.2f} %, recall {:.2f} %, F1 {:.2f} (those that are no candidate are "
        "missed)\n",
        r.predicates, r.candidates, r.gold, r.reachable, r.accuracy(), r.type_accuracy(), r.precision(),
        r.recall(), r.f1());
  }
  if (trees) return trees->table();
  if (summaries) return summaries->table();
  if (legal)
    out += fmt::format("no constraint is broken in {} of {} ({:.2f} %)\n", *legal, checked, legal_share());
  if (!out.empty()) out += "\n";
  // conlleval's table would count roles as if they were chunks of tokens.
  if (roles) return out + scores.table();
  if (joint.any()) out += joint.table(scores) + "\nthe last column alone:\n";
  return out + scores.conlleval_report() + "\n" + scores.table();
}

Json Evaluation::to_json() const {
  Json out = Json::object();
  if (summaries) {
    out = summaries->to_json();
    out["tokens"] = tokens;
    out["seconds"] = seconds;
    out["tokens_per_second"] = tokens_per_second();
    if (searches.sequences() > 0) out["searches"] = searches.to_json();
    return out;
  }
  const Json all = scores.to_json();
  for (const char* key :
       {"sequences", "tokens", "accuracy", "sequence_accuracy", "precision", "recall", "f1"})
    out[key] = all.at(key);
  out["seconds"] = seconds;
  out["tokens_per_second"] = tokens_per_second();
  if (roles) {
    out["precision"] = roles->precision();
    out["recall"] = roles->recall();
    out["f1"] = roles->f1();
    out["roles"] = {{"predicates", roles->predicates},
                    {"candidates", roles->candidates},
                    {"arguments", roles->gold},
                    {"arguments_among_candidates", roles->reachable},
                    {"argument_type_accuracy", roles->type_accuracy()}};
  }
  if (trees) {
    const Json of_trees = trees->to_json();
    for (const auto& [key, value] : of_trees.items()) out[key] = value;
  }
  if (tally.constrained > 0) out["constraints"] = tally.to_json();
  if (searches.sequences() > 0) out["searches"] = searches.to_json();
  if (joint.any()) out["joint"] = joint.to_json(scores);
  if (legal) {
    out["constraints"]["checked"] = checked;
    out["constraints"]["legal"] = *legal;
    out["constraints"]["legal_percent"] = legal_share();
  }
  for (const auto& [label, count] : unknown) out["unknown_labels"][label] = count;
  for (const auto& [key, value] : all.items())
    if (!out.contains(key)) out[key] = value;
  return out;
}

}  // namespace espalier::model

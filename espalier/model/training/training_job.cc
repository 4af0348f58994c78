#include "espalier/model/training/training_job.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "espalier/base/hash.h"
#include "espalier/base/text/counted.h"
#include "espalier/constrain/constrained_predictor.h"
#include "espalier/data/formats/label_column.h"
#include "espalier/data/refined_predictor.h"
#include "espalier/eval/scores.h"
#include "espalier/linear/encoding/number_map.h"
#include "espalier/model/feature_choice.h"
#include "espalier/model/task_data.h"
#include "espalier/model/training/label_remarks.h"
#include "espalier/model/training/summary_training.h"
#include "espalier/tasks/structures/roles.h"

namespace espalier::model {

size_t TrainingJob::columns_of(const data::Sequence& sequence) const {
  return task->json ? 0 : sequence.columns();  // cells of JSON tasks are for constraints alone
}

Status TrainingJob::prepare_features(const data::Sequence& first) {
  about.task = request.task;
  about.reading = request.reading;
  about.reading.folds.clear();
  about.reading.columns = columns_of(first);
  about.matrix_columns = request.matrix_columns;
  if (several_label_columns(request.reading)) {
    ESPALIER_ASSIGN(label_cells, data::resolve_label_columns(request.reading, first.columns()));
  } else if (first.label_column()) {
    label_cells = {*first.label_column()};
  }
  const bool parse = task->kind == TaskKind::kParse;  // a template of its own, compiled by its trainer
  ESPALIER_ASSIGN(about.features,
                  choose_features(parse ? std::nullopt : request.feature_text, request.feature_columns,
                                  request.reading.format, about.reading.columns, label_cells));
  if (parse && request.feature_columns.empty() && request.reading.format == data::Format::kConllu)
    about.features.feature_columns = {1, 2, 3, 4, 5};  // FORM to FEATS
  about.features.degree = common().degree;
  about.features.lists = request.word_lists;
  if (request.reading.format == data::Format::kScores)  // what a .npy file, which names nothing, is taken for
    for (size_t i = 0; i < first.attribute_count(0); ++i)
      about.reading.score_labels.emplace_back(first.attribute(0, i).name);
  if (!about.features.attributes) {
    const size_t label =
        label_cells.empty() ? first.columns() : *std::min_element(label_cells.begin(), label_cells.end());
    // Whoever tags with this model need not have columns it does not look at.
    const size_t needed = about.features.feature_columns.back() + 1;
    about.reading.least_columns = label >= needed ? needed : 0;
  }
  if (request.start_from) {
    const data::FeatureOptions& old = request.start_from->about().features;
    if (!request.feature_text && request.feature_columns.empty() && request.word_lists.empty())
      about.features = old;
    // The labels of words are those of the data that the model was first trained on.
    for (const data::WordList& list : old.lists)
      if (list.kind == data::WordList::Kind::kLabels && !(about.features == old))
        about.features.lists.push_back(list);
    if (!(about.features == old))
      return fail(
          "{}: the model was trained with other features; leave the template and columns out to use its own",
          request.start_from->file().name());
  }
  ESPALIER_ASSIGN(auto made, data::FeatureExtractor::make(about.features));
  extractor = std::make_unique<data::FeatureExtractor>(std::move(made));
  return {};
}

Status TrainingJob::check_not_stopped() const {
  if (!monitor.stop_requested()) return {};
  return fail("training was stopped before it began, and there is no model");
}

Status TrainingJob::read_dev_data() {
  if (request.dev.empty()) return {};
  data::ReadOptions reading = request.dev_reading.value_or(request.reading);
  std::vector<const data::Source*> from;
  ESPALIER_ASSIGN(dev.sequences, read_task_data(request.dev, request.task, reading, &from));
  for (size_t s = 0; s < from.size(); ++s) {
    const data::Sequence& sequence = dev.sequences[s];
    if (sequence.empty()) dev.missed += tasks::missed_arguments(sequence);
    if (!sequence.empty() && columns_of(sequence) != about.reading.columns)
      return fail("{}:{}: {} here, {} in {}", from[s]->name(), sequence.line(0),
                  counted(columns_of(sequence), "column"), about.reading.columns,
                  request.train.front().name());
  }
  std::erase_if(dev.sequences, [](const data::Sequence& sequence) { return sequence.empty(); });
  if (!learner->needs().features) return {};
  const linear::FeatureMap map = linear::number_map(training.state.hashes),
                           edge_map = linear::number_map(training.edge.hashes);
  const linear::Encoder encoder(*extractor, map, edge_map);
  linear::Encoder::Scratch scratch;
  std::vector<data::Label> gold;
  for (const data::Sequence& sequence : dev.sequences) {
    ESPALIER_TRY(check_not_stopped());
    encoder.append(sequence, training.labels, scratch, dev.data);
    if (!training.labels.refined()) continue;
    data::gold_labels(sequence, training.labels, label_scheme(), gold);
    std::copy(gold.begin(), gold.end(), dev.data.gold.end() - static_cast<ptrdiff_t>(gold.size()));
  }
  return {};
}

Status TrainingJob::resolve_label_weights() {
  if (common().label_weights.empty()) return {};
  label_weight.assign(training.labels.size(), 1.0f);
  for (const auto& [name, weight] : common().label_weights) {
    if (!training.labels.find(name))
      return fail("parameter label-weights: '{}' is not a label of the training data", name);
    constexpr float kMost = 1e6f;  // a float that is larger swallows the scores it is added to
    if (!(weight <= kMost))
      return fail(
          "training would diverge, and no model was written: parameter label-weights has a weight {} for "
          "'{}'; "
          "the largest to learn with is {:g}",
          std::isinf(weight) ? std::string("beyond all bounds") : fmt::format("of {:g}", weight), name,
          kMost);
    for (size_t label = 0; label < label_weight.size(); ++label)
      if (training.labels.names()[label] == name) label_weight[label] = weight;
  }
  return {};
}

Status TrainingJob::read_data() {
  if (task->kind == TaskKind::kSummary) return read_clusters(*this);
  ESPALIER_TRY(read_training_data());
  int64_t labelled = 0;
  for (const data::Label label : training.data.gold) labelled += label != data::kNoLabel;
  labelled = data_team().sum(labelled);
  if (task->kind != TaskKind::kParse)
    for (std::string& remark : label_remarks(training.labels.plain().size(), static_cast<uint64_t>(labelled)))
      warn(std::move(remark));
  ESPALIER_TRY(resolve_label_weights());
  ESPALIER_TRY(team.agree(read_dev_data()));
  warn_of_odd_dev_data();
  report.reading_seconds = seconds();
  return {};
}

double TrainingJob::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Every rank decodes a part.
std::vector<std::vector<data::Label>> TrainingJob::dev_labels(
    const std::function<Decode()>& make_decoder) const {
  constexpr size_t kPieces = 16;
  std::vector<std::vector<data::Label>> labels(dev.sequences.size());
  const Range mine = piece_of(labels.size(), team.size(), team.rank());
  workers.for_each(kPieces, [&](size_t piece) {
    const Decode decode = make_decoder();
    const Range range = piece_of(mine.last - mine.first, kPieces, piece);
    for (size_t s = mine.first + range.first; s < mine.first + range.last && !monitor.stop_requested(); ++s)
      decode(s, labels[s]);
  });
  if (team.alone()) return labels;
  std::vector<data::Label> decoded;
  for (size_t s = mine.first; s < mine.last; ++s) {
    labels[s].resize(dev.sequences[s].length(), 0);  // where decoding was stopped
    decoded.insert(decoded.end(), labels[s].begin(), labels[s].end());
  }
  const Gathered<data::Label> all = team.gather(decoded);
  auto next = all.items.begin();
  for (size_t s = 0; s < labels.size(); ++s) {
    labels[s].assign(next, next + static_cast<ptrdiff_t>(dev.sequences[s].length()));
    next += static_cast<ptrdiff_t>(dev.sequences[s].length());
  }
  return labels;
}

double TrainingJob::dev_score(const std::function<Decode()>& make_decoder) const {
  constexpr size_t kPieces = 16;
  std::vector<eval::TaggingScores> scores(kPieces);
  std::vector<tasks::RoleScores> roles(kPieces);
  const bool by_roles = task->json == tasks::JsonTask::kRoles;
  const std::vector<std::vector<data::Label>> labels = dev_labels(make_decoder);
  workers.for_each(kPieces, [&](size_t piece) {
    std::vector<std::string_view> gold, predicted;
    const Range range = piece_of(dev.sequences.size(), kPieces, piece);
    for (size_t s = range.first; s < range.last; ++s) {
      const std::vector<data::Label>& best = labels[s];
      gold.clear();
      predicted.clear();
      for (size_t t = 0; t < best.size(); ++t) {
        gold.push_back(dev.sequences[s].label(t));
        predicted.push_back(training.labels.name(best[t]));
      }
      if (by_roles) {
        roles[piece].add(gold, predicted, tasks::missed_arguments(dev.sequences[s]));
      } else {
        scores[piece].add(gold, predicted);
      }
    }
  });
  for (size_t p = 1; p < kPieces; ++p) {
    scores[0].merge(scores[p]);
    roles[0].merge(roles[p]);
  }
  roles[0].gold += dev.missed;
  if (by_roles) return roles[0].f1();
  return scores[0].f1();  // the accuracy where labels are plain
}

std::string TrainingJob::dev_measure() const {
  if (task->kind == TaskKind::kParse) return "LAS";
  if (task->kind == TaskKind::kSummary) return "ROUGE-2";
  if (task->json == tasks::JsonTask::kRoles) return "F1";
  return scheme.scheme() == data::Scheme::kNone ? "accuracy" : "F1";
}

Verdict TrainingJob::round_ended(const RoundEnd& round, int rounds,
                                 const std::function<Result<double>()>& score) {
  Verdict verdict;
  if (round.objective && !std::isfinite(*round.objective)) {
    trouble_ = fail(
        "training has diverged: the {} is {} after pass {}, and no model was written; smaller label weights, "
        "a smaller rate or a larger l2 keep the weights within bounds",
        round.measure, std::isnan(*round.objective) ? "not a number" : "infinite", round.number);
    return {.go_on = false, .best = false};
  }
  if (round.number > 0) {
    std::optional<double> on_dev;
    if (!dev.sequences.empty() && !monitor.stop_requested()) {
      const Result<double> measured = score();
      if (!measured.ok()) {
        trouble_ = measured.error();
        return {.go_on = false, .best = false};
      }
      if (!monitor.stop_requested()) on_dev = *measured;  // otherwise of a part of the dev set
    }
    verdict.best = on_dev ? *on_dev > best_dev_ : !report.best_round;
    if (on_dev && verdict.best) {
      best_dev_ = *on_dev;
      report.best_round = round.number;
      rounds_without_gain_ = 0;
    } else if (on_dev && ++rounds_without_gain_ >= common().patience) {
      report.stopped_early = true;
      verdict.go_on = false;
    }
    report.log.push_back({round.number, round.objective, on_dev, seconds()});
    Progress progress = pass_progress(round.number, round.most > 0 ? round.most : rounds, 1);
    progress.objective = round.objective;
    progress.objective_name = round.measure;
    progress.dev_score = on_dev;
    progress.dev_measure = dev_measure();
    report.objective_name = round.measure;
    report.dev_measure = dev_measure();
    progress.round_ended = true;
    monitor.report(progress);
  }
  if (writes_checkpoints() && round.save && round.number % request.checkpoint_every == 0)
    trouble_ = team.agree(team.first() ? save_checkpoint(round) : Status());
  verdict.go_on = verdict.go_on && trouble_.ok();
  return verdict;
}

}  // namespace espalier::model

#include "espalier/model/training_job.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "espalier/base/counted.h"
#include "espalier/base/hash.h"
#include "espalier/constrain/constrained_predictor.h"
#include "espalier/data/formats/label_column.h"
#include "espalier/data/refined_predictor.h"
#include "espalier/eval/scores.h"
#include "espalier/linear/number_map.h"
#include "espalier/model/feature_choice.h"
#include "espalier/model/label_remarks.h"
#include "espalier/model/summary_training.h"
#include "espalier/model/task_data.h"
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

Status TrainingJob::read_training_data() {
  std::unique_ptr<linear::DatasetBuilder> builder;
  Progress progress;
  progress.phase = "reading";
  std::vector<std::string_view> labels;
  std::vector<data::Sequence> kept;  // what constraints speak about is known when all labels are
  const std::string& first_name = request.train.front().name();
  for (const data::Source& source : request.train) {
    ESPALIER_ASSIGN(const auto reader, open_task_reader(source, request.task, request.reading));
    while (true) {
      data::Sequence sequence;
      ESPALIER_TRY(check_not_stopped());
      ESPALIER_ASSIGN(const bool more, reader->next(sequence));
      if (!more) break;
      if (sequence.empty()) continue;  // a predicate without candidates
      if (task->json == tasks::JsonTask::kVariables) {
        if (about.outputs == 0) about.outputs = sequence.length();
        if (sequence.length() != about.outputs)
          return fail("{}:{}: {} variables here, {} in {}", source.name(), sequence.line(0),
                      sequence.length(), about.outputs, first_name);
      }
      if (!builder) {
        ESPALIER_TRY(prepare_features(sequence));
        const linear::EncodeOptions options{common().cutoff, common().names, learner->needs().features,
                                            request.memory, &monitor};
        builder = std::make_unique<linear::DatasetBuilder>(
            *extractor, workers, options,
            request.start_from ? request.start_from->labels() : data::LabelSet());
      } else if (columns_of(sequence) != about.reading.columns) {
        return fail("{}:{}: {} here, {} in {}", source.name(), sequence.line(0),
                    counted(columns_of(sequence), "column"), about.reading.columns, first_name);
      }
      labels.clear();
      for (size_t row = 0; row < sequence.length(); ++row)
        labels.push_back(sequence.has_labels() ? sequence.label(row) : data::kUnknownLabelText);
      scheme.add(labels);
      if (!request.dev.empty()) training_hashes_.insert(hash_of_text(sequence));
      if (request.constraints) kept.push_back(sequence);
      if (learner->needs().text) sequences.push_back(sequence);
      builder->add(std::move(sequence));
      if (builder->sequences() % 1024 == 0) {
        progress.done = static_cast<double>(builder->sequences());
        monitor.report(progress);
      }
    }
  }
  if (!builder) return fail("{}: no sequences", first_name);
  progress.phase = "numbering the features";
  progress.done = 0;
  monitor.report(progress);
  try {
    training = builder->finish();
  } catch (const linear::Stopped&) {  // which is said below
  }
  ESPALIER_TRY(check_not_stopped());
  if (training.labels.size() == 0)
    return fail("{}: every label is '_' (not known); there is nothing to learn from", first_name);
  if (training.labels.size() >= data::kNoLabel) return fail("more than 65,534 labels");
  report.sequences = training.data.sequences();
  report.tokens = training.data.tokens();
  about.training_sequences = report.sequences;
  about.training_tokens = report.tokens;
  if (request.start_from) {
    about.training_sequences += request.start_from->about().training_sequences;
    about.training_tokens += request.start_from->about().training_tokens;
    ESPALIER_TRY(compare_labels());
  }
  if (training.state_before_cutoff > training.state.size())
    report.notes.push_back(fmt::format("{} of {} features were seen fewer than {} times and dropped",
                                       training.state_before_cutoff - training.state.size(),
                                       training.state_before_cutoff, common().cutoff));
  ESPALIER_TRY(refine_labels());
  return resolve_constraints(kept);
}

Status TrainingJob::resolve_constraints(const std::vector<data::Sequence>& kept) {
  if (!request.constraints) return {};
  ESPALIER_ASSIGN(constraints, request.constraints->resolve(about, training.labels));
  if (learner->traits().constraints == ConstraintUse::kRegular &&
      !constrain::Compiled(*constraints).regular())
    return fail(
        "{}: learner crf sums over all labellings that satisfy the constraints, which only goes with regular "
        "ones; 'no overlap' and 'no embedding' are not. perceptron and svm take them",
        request.constraints->name);
  for (const data::Sequence& sequence : kept)
    instances.push_back(instances_of_task(request.task)(*constraints, sequence));
  return check_contradictions();
}

Status TrainingJob::check_contradictions() const {
  if (request.allow_contradictions) return {};
  std::vector<size_t> breaks(constraints->statements().size(), 0);
  size_t contradicted = 0, checked = 0;
  for (size_t s = 0; s < instances.size(); ++s) {
    const std::span<const data::Label> gold = training.data.gold_of(s);
    if (std::find(gold.begin(), gold.end(), data::kNoLabel) != gold.end()) continue;
    const std::vector<size_t> broken = constraints->broken_constraints(instances[s], gold);
    for (const size_t c : broken) ++breaks[c];
    contradicted += !broken.empty();
    ++checked;
  }
  if (2 * contradicted <= checked) return {};
  const size_t most = static_cast<size_t>(std::max_element(breaks.begin(), breaks.end()) - breaks.begin());
  return fail(
      "{}: {} of {} training sequences break a hard constraint ('{}' is broken by {}): is this the right "
      "file for these "
      "labels? --allow-contradictions trains all the same",
      request.constraints->name, contradicted, checked, constraints->statements()[most].name, breaks[most]);
}

Status TrainingJob::read_dev_data() {
  if (request.dev.empty()) return {};
  data::ReadOptions reading = request.dev_reading.value_or(request.reading);
  ESPALIER_ASSIGN(dev.sequences, read_task_data(request.dev, request.task, reading));
  for (const data::Sequence& sequence : dev.sequences)
    if (sequence.empty()) dev.missed += tasks::missed_arguments(sequence);
  std::erase_if(dev.sequences, [](const data::Sequence& sequence) { return sequence.empty(); });
  for (const data::Sequence& sequence : dev.sequences)
    if (columns_of(sequence) != about.reading.columns)
      return fail("{}:{}: {} here, {} in {}", request.dev.front().name(), sequence.line(0),
                  counted(columns_of(sequence), "column"), about.reading.columns,
                  request.train.front().name());
  warn_of_odd_dev_data();
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
    for (size_t label = 0; label < label_weight.size(); ++label)
      if (training.labels.names()[label] == name) label_weight[label] = weight;
  }
  return {};
}

Status TrainingJob::read_data() {
  if (task->kind == TaskKind::kSummary) return read_clusters(*this);
  ESPALIER_TRY(read_training_data());
  uint64_t labelled = 0;
  for (const data::Label label : training.data.gold) labelled += label != data::kNoLabel;
  if (task->kind != TaskKind::kParse)
    for (std::string& remark : label_remarks(training.labels.plain().size(), labelled))
      warn(std::move(remark));
  ESPALIER_TRY(resolve_label_weights());
  ESPALIER_TRY(read_dev_data());
  report.reading_seconds = seconds();
  return {};
}

double TrainingJob::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double TrainingJob::dev_score(const std::function<Decode()>& make_decoder) const {
  constexpr size_t kPieces = 16;
  std::vector<eval::TaggingScores> scores(kPieces);
  std::vector<tasks::RoleScores> roles(kPieces);
  const bool by_roles = task->json == tasks::JsonTask::kRoles;
  workers.for_each(kPieces, [&](size_t piece) {
    const Decode decode = make_decoder();
    std::vector<data::Label> best;
    std::vector<std::string_view> gold, predicted;
    const Range range = piece_of(dev.sequences.size(), kPieces, piece);
    for (size_t s = range.first; s < range.last && !monitor.stop_requested(); ++s) {
      decode(s, best);
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
        "a "
        "smaller rate or a larger l2 keep the weights within bounds",
        round.measure, *round.objective, round.number);
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
    trouble_ = save_checkpoint(round);
  verdict.go_on = verdict.go_on && trouble_.ok();
  return verdict;
}

Status TrainingJob::save(SectionWriter& sections) {
  report.interrupted = report.interrupted || monitor.stop_requested();
  about.task = request.task;
  about.learner = request.learner;
  about.seed = request.seed;
  about.parameters.clear();
  for (const auto& [name, value] : learner->texts()) about.parameters.emplace_back(name, value);
  sections.add_text("about", header_to_json(about));
  if (request.constraints) sections.add_text(kConstraintSection, request.constraints->to_json());
  const auto keep = [&](Result<Model> opened) -> Status {
    if (!opened.ok())
      return fail("training ended with a model that cannot be used, and none was written: {}",
                  opened.error().message);
    saved = std::move(opened).value();
    return {};
  };
  if (request.model.empty()) {
    const std::vector<std::byte> bytes = sections.to_bytes();
    report.model_bytes = bytes.size();
    ESPALIER_TRY(keep(Model::from_bytes(bytes, "model")));
  } else {
    // The file that was opened here and the one that it becomes are the same.
    ESPALIER_TRY(sections.save(request.model, [&](const std::string& written) {
      return keep(Model::open(written, request.model));
    }));
    if (!saved)
      ESPALIER_TRY(keep(Model::from_bytes(sections.to_bytes(), request.model)));  // a pipe or a device
    std::error_code ignored;
    report.model_bytes = std::filesystem::file_size(request.model, ignored);
  }
  report.features = training.state.size() + training.edge.size();
  report.labels = training.labels.plain().size();
  return {};
}

std::string TrainingJob::fingerprint() const {
  std::string text =
      fmt::format("{} {} {} {} {} {} {}", request.learner, request.seed, about.training_sequences,
                  about.training_tokens, training.labels.size(), training.state.size(), training.edge.size());
  for (const auto& [name, value] : learner->texts()) text += fmt::format(" {}={}", name, value);
  if (request.constraints) text += " " + request.constraints->to_json();
  return text;
}

Status TrainingJob::save_checkpoint(const RoundEnd& round) const {
  SectionWriter sections;
  round.save(sections);
  sections.add_text("fingerprint", fingerprint());
  return sections.save(checkpoint_path());
}

Result<std::optional<SectionFile>> TrainingJob::checkpoint_to_resume() const {
  if (!request.resume) return std::optional<SectionFile>();
  ESPALIER_ASSIGN(SectionFile file, SectionFile::open(checkpoint_path()));
  ESPALIER_ASSIGN(const std::string_view made_for, file.text("fingerprint"));
  if (made_for != fingerprint())
    return fail("{}: the checkpoint belongs to a run with other data, learner, parameters or seed",
                checkpoint_path());
  return std::optional<SectionFile>(std::move(file));
}

void TrainingJob::drop_checkpoint() const {
  std::error_code ignored;
  if (!report.interrupted) std::filesystem::remove(checkpoint_path(), ignored);
}

}  // namespace espalier::model

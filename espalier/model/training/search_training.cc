#include "espalier/model/training/search_training.h"

#include <algorithm>

#include "espalier/base/stop_scope.h"
#include "espalier/chain/weights.h"
#include "espalier/linear/encoding/number_map.h"
#include "espalier/linear/grown_rows.h"
#include "espalier/model/training/search_problem.h"
#include "espalier/tasks/constrained_search.h"

namespace espalier::model {

ChoiceNames<tasks::BaseClassifier> classifier_names() {
  using tasks::BaseClassifier;
  return {{"perceptron", BaseClassifier::kPerceptron},        {"logistic", BaseClassifier::kLogistic},
          {"softmax-margin", BaseClassifier::kSoftmaxMargin}, {"svm", BaseClassifier::kSvm},
          {"least-squares", BaseClassifier::kLeastSquares},   {"liblinear", BaseClassifier::kLiblinear},
          {"quadratic-svm", BaseClassifier::kQuadraticSvm}};
}

ChoiceNames<search::Reduction> reduction_names() {
  using search::Reduction;
  return {{"direct", Reduction::kDirect},
          {"one-vs-all", Reduction::kOneVsAll},
          {"all-pairs", Reduction::kAllPairs}};
}

namespace {

/// The columns of a joint task, their labels in order of appearance.
Result<tasks::DecisionPlan> joint_plan(const TrainingJob& job) {
  std::vector<data::LabelSet> columns(job.label_cells.size());
  for (size_t s = 0; s < job.sequences.size(); ++s)
    for (size_t row = 0; row < job.sequences[s].length(); ++row)
      for (size_t c = 0; c < columns.size(); ++c) {
        const std::string_view label = job.sequences[s].cell(row, job.label_cells[c]);
        if (label.empty())
          return fail("{}:{}: the label in column {} is empty; write _ where it is not known",
                      job.origins[s]->name(), job.sequences[s].line(row), job.label_cells[c] + 1);
        if (label != data::kUnknownLabelText) columns[c].add(label);
      }
  size_t all = 0;
  for (size_t c = 0; c < columns.size(); ++c) {
    all += columns[c].size();
    if (columns[c].size() == 0)
      return fail("{}: every label in column {} is '_' (not known); there is nothing to learn from",
                  job.request.train.front().name(), job.label_cells[c] + 1);
  }
  if (all >= data::kNoLabel) return fail("more than 65,534 labels in all columns together");
  return tasks::DecisionPlan::joint(std::move(columns));
}

Result<tasks::DecisionPlan> plan_of_job(const TrainingJob& job, const SearchLearnerOptions& asked) {
  const TaskKind task = job.task->kind;
  const bool segment = task == TaskKind::kSegment;
  tasks::DecisionPlan plan = tasks::DecisionPlan::of(job.training.labels, job.label_scheme());
  if (task == TaskKind::kJoint) {
    ESPALIER_ASSIGN(plan, joint_plan(job));
  }
  if (segment && plan.scheme == data::Scheme::kNone)
    return fail("{}: task segment needs labels of a segment scheme (B-X, I-X, O or the like)",
                job.request.train.front().name());
  plan.unit = unit_of(asked, task);
  plan.order = asked.direction;
  plan.loss = loss_of(asked, task);
  plan.history = asked.history;
  plan.lead = asked.lead;
  if (plan.columns() == 1) plan.lead = 0;
  plan.legal = plan.unit == tasks::DecisionUnit::kWord && segment && plan.scheme == data::Scheme::kIob2;
  ESPALIER_TRY(plan.check());
  return plan;
}

DevMeasure one_column(const TrainingJob& job) {
  return [&job](const std::vector<std::vector<data::Label>>& predicted) {
    return job.dev_score([&]() -> TrainingJob::Decode {
      return [&](size_t s, std::vector<data::Label>& out) { out = predicted[s]; };
    });
  };
}

/// What constraints leave of the training and dev sequences.
struct SearchLegality {
  std::vector<constrain::Move> moves;
  std::vector<tasks::LegalMoves> train, dev;
};

Result<SearchLegality> search_legality(TrainingJob& job, const tasks::DecisionPlan& plan,
                                       const constrain::Constraints& constraints,
                                       std::span<const constrain::Instance> instances,
                                       const tasks::GoldOf& gold) {
  SearchLegality out;
  ESPALIER_ASSIGN(out.moves, tasks::moves_under(constraints, plan));
  ESPALIER_ASSIGN(tasks::LegalTraining training,
                  tasks::legal_training(constraints, instances, out.moves, gold));
  if (!training.note.empty()) job.report.notes.push_back(std::move(training.note));
  out.train = std::move(training.legal);
  const constrain::Compiled compiled(constraints);
  for (const data::Sequence& sequence : job.dev.sequences) {
    ESPALIER_ASSIGN(
        constrain::Completion legal,
        constrain::Completion::make(compiled, constrain::instance_of_rows(constraints, sequence), out.moves));
    out.dev.push_back(legal.infeasible() ? nullptr
                                         : std::make_unique<const constrain::Completion>(std::move(legal)));
  }
  return out;
}

/// max-length=auto: the longest chunk of the data, within reason.
size_t default_max_length(const linear::Dataset& data, const tasks::DecisionPlan& plan) {
  constexpr size_t kLongest = 10;
  size_t longest = 1;
  for (size_t s = 0; s < data.sequences(); ++s)
    for (const tasks::Chunk& c : tasks::chunks_of(plan, data.gold_of(s), 100000))
      longest = std::max<size_t>(longest, c.length);
  return std::min(longest, kLongest);
}

Error stopped_before_training() {
  return fail("training was stopped before it began, and there is no model");
}

Status train_chunks(TrainingJob& job, const SearchLearnerOptions& asked, const SearchMethod& method,
                    tasks::DecisionPlan plan) {
  tasks::add_scheme_labels(plan);
  for (const data::Label label : job.training.data.gold)
    if (label == data::kNoLabel)
      return fail(
          "{}: chunks are learned from whole labellings, but a label is '_' (not known); take unit=word",
          job.request.train.front().name());
  tasks::ChunkFeatureOptions options;
  if (!job.about.features.attributes) options.columns = job.about.features.feature_columns;
  ESPALIER_ASSIGN(const tasks::ChunkFamilies meta, tasks::ChunkFamilies::parse(asked.meta));
  // The usual ones go with the default features of words; a template may contain any or none of those.
  const bool by_template = !job.about.features.template_text.empty();
  options.meta = by_template && meta == tasks::ChunkFamilies::usual() ? tasks::ChunkFamilies::all() : meta;
  options.stemmer = asked.stemmer;
  ESPALIER_ASSIGN(options.lists, tasks::read_word_lists(asked.lists));
  plan.max_length = asked.max_length.value_or(default_max_length(job.training.data, plan));
  ESPALIER_ASSIGN(const tasks::ChunkFeatures features, tasks::ChunkFeatures::make(options, plan.max_length));
  features.announce(plan);
  std::optional<StopScope> stop(std::in_place, job.monitor);  // every span of every sequence takes a while
  const data::FeatureExtractor& extractor = job.training_extractor ? *job.training_extractor : *job.extractor;
  tasks::ChunkTraining training = tasks::encode_chunks(job.sequences, plan, extractor, features, asked.cutoff,
                                                       full_rows_from(asked.full_rows, plan.types.size()));
  if (job.monitor.stop_requested()) return stopped_before_training();
  if (training.cut > 0)
    job.report.notes.push_back(
        fmt::format("{} chunks have more than {} words and were learned in pieces; max-length "
                    "raises the limit",
                    training.cut, plan.max_length));
  job.training.labels = plan.labels;
  job.training.data = {};
  std::optional<SearchLegality> legality;
  if (job.request.constraints) {
    // Labels that complete the scheme have joined those of the data.
    ESPALIER_ASSIGN(const constrain::Constraints constraints,
                    job.request.constraints->resolve(job.about, plan.labels));
    std::vector<constrain::Instance> instances;
    for (const data::Sequence& sequence : job.sequences)
      instances.push_back(constrain::instance_of_rows(constraints, sequence));
    ESPALIER_ASSIGN(legality, search_legality(job, plan, constraints, instances, [&](size_t s) {
                      return tasks::labels_of(plan, training.gold[s], training.length[s]);
                    }));
  }
  const size_t types = training.encoded.labels.size();
  linear::StateRows rows = chain::state_rows(training.encoded, training.encoded.data.gold, types,
                                             {full_rows_from(asked.full_rows, types)}, job.workers);
  // Most of what spans that are no chunks look like was never seen in one and gets no weight: it need be
  // neither named nor summed up in every pass.
  std::vector<bool> weighty(rows.rows());
  std::vector<uint32_t> kept(rows.rows(), linear::kNoFeature);
  for (uint32_t f = 0; f < rows.rows(); ++f)
    if (rows.begin[f] != rows.begin[f + 1]) {
      weighty[f] = true;
      kept[f] = f;
    }
  tasks::renumber_features(training.encoded.data, kept);
  const linear::FeatureMap map = linear::number_map(training.encoded.state.hashes);
  if (asked.names)
    training.encoded.state.names =
        tasks::chunk_feature_names(job.sequences, plan, extractor, features, map, weighty);
  if (job.monitor.stop_requested()) return stopped_before_training();
  job.sequences = {};
  tasks::ChunkProblem problem = training.problem(plan);
  if (legality) {
    problem.legal = legality->train;
    problem.moves = legality->moves;
  }
  const auto train_on = [&](const tasks::ChunkProblem* dev) {
    stop.reset();
    return SearchRun{job, asked, method, plan, one_column(job), training.encoded, types, &features.options()}
        .run(problem, dev, std::move(rows));
  };
  if (job.dev.sequences.empty()) return train_on(nullptr);
  const tasks::ChunkTraining dev_data =
      tasks::encode_chunks_with(job.dev.sequences, plan, *job.extractor, features, map);
  if (job.monitor.stop_requested()) return stopped_before_training();
  tasks::ChunkProblem dev = dev_data.problem(plan);
  if (legality) {
    dev.legal = legality->dev;
    dev.moves = legality->moves;
  }
  return train_on(&dev);
}

/// The model that is trained further: its features join those of the data, `rows` get its weights.
Result<tasks::SearchPredictor::Further> old_search(TrainingJob& job, const SearchMethod& method,
                                                   const tasks::DecisionPlan& plan, linear::StateRows& rows) {
  const auto* predictor = job.request.start_from->as<tasks::SearchPredictor>();
  ESPALIER_CHECK(predictor != nullptr);  // the learner is the same
  const std::string& name = job.request.start_from->file().name();
  std::optional<tasks::SearchPredictor::Further> old = predictor->further();
  const std::string classifier = classifier_text(method.options);
  if (!old || predictor->classifier() != classifier)
    return fail("{}: its classifier ({}) cannot be trained further as {}", name, predictor->classifier(),
                classifier);
  const tasks::DecisionPlan& before = predictor->plan();
  if (before.kind() != plan.kind() || before.order != plan.order || before.history != plan.history)
    return fail(
        "{}: a model that decides {} and looks back {}, which cannot be trained further {} and with "
        "history={}",
        name, tasks::order_name(before.order), before.history, tasks::order_name(plan.order), plan.history);
  linear::join_rows(
      rows, job.training.state, *old->rows.state_map, old->names,
      [&](uint32_t value, const auto& visit) { old->rows.state->for_each(value, visit); },
      old->rows.old_value);
  const auto fresh = static_cast<size_t>(
      std::count(old->rows.old_value.begin(), old->rows.old_value.end(), linear::kNoFeature));
  if (!linear::has_room(*old->rows.state_map, fresh))
    return fail(
        "{}: the data have {} features that the model does not know, many times its own; train on all the "
        "data again",
        name, fresh);
  return std::move(*old);
}

Status train_words(TrainingJob& job, const SearchLearnerOptions& asked, const SearchMethod& method,
                   const tasks::DecisionPlan& plan) {
  job.sequences = {};
  const size_t labels = job.training.labels.size();
  tasks::LabelProblem problem = tasks::label_problem(plan, job.training.data, job.training.edge);
  tasks::LabelProblem dev = tasks::label_problem(plan, job.dev.data, job.training.edge);
  std::optional<SearchLegality> legality;
  if (job.constraints) {
    ESPALIER_ASSIGN(legality, search_legality(job, plan, *job.constraints, job.instances, [&](size_t s) {
                      const std::span<const data::Label> gold = job.training.data.gold_of(s);
                      return std::vector<data::Label>(gold.begin(), gold.end());
                    }));
    problem.legal = legality->train;
    dev.legal = legality->dev;
  }
  const bool any_dev = !job.dev.sequences.empty();
  const auto train_on = [&](const auto& training, const auto& measured_on) -> Status {
    linear::StateRows rows = chain::state_rows(job.training, job.training.data.gold, labels,
                                               {full_rows_from(asked.full_rows, labels)}, job.workers);
    SearchRun run{job, asked, method, plan, one_column(job), job.training, labels, nullptr};
    if (job.request.start_from) {
      ESPALIER_ASSIGN(run.old, old_search(job, method, plan, rows));
    }
    return run.run(training, any_dev ? &measured_on : nullptr, std::move(rows));
  };
  if (plan.kind() == tasks::SearchKind::kEasiest)
    return train_on(tasks::EasiestProblem{problem}, tasks::EasiestProblem{dev});
  return train_on(problem, dev);
}

Status train_joint(TrainingJob& job, const SearchLearnerOptions& asked, const SearchMethod& method,
                   tasks::DecisionPlan plan) {
  if (!job.about.features.attributes && !job.about.features.feature_columns.empty())
    plan.word_cell = job.about.features.feature_columns.front();
  const tasks::JointProblem problem =
      tasks::joint_problem(plan, job.training.data, job.training.edge, job.sequences, job.label_cells);
  job.sequences = {};
  size_t most = 0;
  for (const data::LabelSet& column : plan.column_labels) most = std::max(most, column.size());
  // A feature gets a weight for the labels of any column that it was seen with.
  linear::StateRows rows = chain::state_rows(job.training, problem.gold, plan.labels.size(),
                                             {full_rows_from(asked.full_rows, most)}, job.workers);
  const tasks::JointProblem dev =
      tasks::joint_problem(plan, job.dev.data, job.training.edge, job.dev.sequences, job.label_cells);
  // Hamming: the share of right labels, in all columns together.
  const DevMeasure measure = [&](const std::vector<std::vector<data::Label>>& predicted) {
    size_t at = 0, known = 0, right = 0;
    for (size_t s = 0; s < predicted.size(); ++s) {
      const data::Sequence& sequence = job.dev.sequences[s];
      for (size_t i = 0; i < predicted[s].size(); ++i, ++at) {
        const size_t t = i / plan.columns(), c = i % plan.columns();
        if (sequence.cell(t, job.label_cells[c]) == data::kUnknownLabelText) continue;
        ++known;
        if (dev.gold[at] == predicted[s][i]) ++right;
      }
    }
    return known == 0 ? 0.0 : 100.0 * static_cast<double>(right) / static_cast<double>(known);
  };
  const Status trained =
      SearchRun{job, asked, method, plan, measure, job.training, plan.labels.size(), nullptr}.run(
          problem, job.dev.sequences.empty() ? nullptr : &dev, std::move(rows));
  job.report.labels = plan.labels.size();
  return trained;
}

}  // namespace

Status train_search_model(TrainingJob& job, const SearchLearnerOptions& asked, const SearchMethod& method) {
  for (const float weight : job.training.data.weight)
    if (weight != 1) return fail("learner {} takes no sequence weights other than 1", job.request.learner);
  ESPALIER_ASSIGN(const tasks::DecisionPlan plan, plan_of_job(job, asked));
  const bool words = plan.kind() == tasks::SearchKind::kLabel || plan.kind() == tasks::SearchKind::kEasiest;
  if (job.request.start_from && !words)
    return fail("{}: searches that decide chunks or several columns cannot be trained further",
                job.request.start_from->file().name());
  switch (plan.kind()) {
    case tasks::SearchKind::kSegment:
      return train_chunks(job, asked, method, plan);
    case tasks::SearchKind::kJoint:
      return train_joint(job, asked, method, plan);
    case tasks::SearchKind::kLabel:
    case tasks::SearchKind::kEasiest:
    case tasks::SearchKind::kSummary:
      break;
  }
  return train_words(job, asked, method, plan);
}

}  // namespace espalier::model

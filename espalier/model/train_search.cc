#include "espalier/model/train_search.h"

#include <algorithm>
#include <numeric>

#include "espalier/chain/weights.h"
#include "espalier/tasks/constrained_search.h"
#include "espalier/tasks/search_model.h"
#include "espalier/tasks/search_training.h"

namespace espalier::model {

namespace {

struct ClassifierChoice {
  tasks::BaseClassifier classifier;
  search::Reduction reduction;
  tasks::Decisions decisions;
};

/// Precondition: values of learner searn.
ClassifierChoice classifier_choice(std::string_view task, const ParameterValues& values) {
  const std::string classifier = search_choice("searn", task, values, "classifier"),
                    decisions = search_choice("searn", task, values, "decisions");
  ClassifierChoice out;
  out.classifier = classifier == "perceptron"       ? tasks::BaseClassifier::kPerceptron
                   : classifier == "logistic"       ? tasks::BaseClassifier::kLogistic
                   : classifier == "softmax-margin" ? tasks::BaseClassifier::kSoftmaxMargin
                   : classifier == "svm"            ? tasks::BaseClassifier::kSvm
                   : classifier == "liblinear"      ? tasks::BaseClassifier::kLiblinear
                                                    : tasks::BaseClassifier::kQuadraticSvm;
  out.decisions = decisions == "chunks"    ? tasks::Decisions::kChunks
                  : decisions == "columns" ? tasks::Decisions::kColumns
                  : decisions == "easiest" ? tasks::Decisions::kEasiest
                                           : tasks::Decisions::kWords;
  const std::string& reduction = values.text("reduction");
  out.reduction = reduction == "auto"         ? tasks::best_reduction(out.classifier, out.decisions)
                  : reduction == "direct"     ? search::Reduction::kDirect
                  : reduction == "one-vs-all" ? search::Reduction::kOneVsAll
                                              : search::Reduction::kAllPairs;
  return out;
}

Result<tasks::SearchOptions> search_options(const TrainingJob& job) {
  const ParameterValues& v = job.values;
  tasks::SearchOptions options;
  options.seed = job.request.seed;
  options.average = v.flag("average");
  options.laso.width = static_cast<size_t>(v.integer("beam"));
  const std::string& name = job.request.learner;
  if (name != "searn") {
    options.learner = name == "laso-br"    ? tasks::SearchLearner::kLasoBr
                      : name == "laso-bst" ? tasks::SearchLearner::kLasoBst
                      : name == "laso"     ? tasks::SearchLearner::kLaso
                                           : tasks::SearchLearner::kIncremental;
    options.passes = static_cast<int>(v.integer("passes"));
    options.laso.rate = v.number("rate");
    if (name == "incremental")
      options.incremental = v.text("update") == "early" ? search::IncrementalUpdate::kEarly
                                                        : search::IncrementalUpdate::kMaxViolation;
    return options;
  }
  const ClassifierChoice choice = classifier_choice(job.request.task, v);
  options.classifier = choice.classifier;
  options.reduction = choice.reduction;
  options.direct.passes = static_cast<int>(v.integer("passes"));
  options.direct.rate = v.number("rate");
  options.direct.l2 = v.text("l2") != "auto"                          ? v.number("l2")
                      : choice.decisions == tasks::Decisions::kChunks ? 1.0
                                                                      : 0.0;
  options.costing_samples = static_cast<int>(v.integer("costing-samples"));
  if (v.text("c") != "auto") options.liblinear.C = options.libsvm.C = v.number("c");
  options.liblinear.seed = options.libsvm.seed = job.request.seed;
  search::SearnOptions& searn = options.searn;
  searn.until_independent = v.text("iterations") == "auto";
  searn.iterations = !searn.until_independent ? static_cast<int>(v.integer("iterations"))
                     : choice.classifier == tasks::BaseClassifier::kPerceptron ? 5
                                                                               : 2;
  if (v.text("oracle") == "search") options.oracle_beam = static_cast<size_t>(v.integer("oracle-beam"));
  searn.beta = v.number("beta");
  const std::string& interpolation = v.text("interpolation");
  searn.interpolation = interpolation == "constant"   ? search::Interpolation::kConstant
                        : interpolation == "analytic" ? search::Interpolation::kAnalytic
                                                      : search::Interpolation::kLineSearch;
  searn.examples.estimate =
      v.text("costs") == "optimal" ? search::CostEstimate::kOptimal : search::CostEstimate::kSample;
  searn.examples.samples = static_cast<int>(v.integer("samples"));
  searn.examples.oracle_share = v.number("oracle-roll-outs");
  searn.roll_in = v.text("roll-in") == "mixture" ? search::RollIn::kMixture : search::RollIn::kAggregate;
  searn.folds = static_cast<int>(v.integer("folds"));
  ESPALIER_TRY(search::check_options(searn));
  return options;
}

/// What decides, and how it was learned, in words.
std::string classifier_text(const tasks::SearchOptions& options) {
  if (options.learner != tasks::SearchLearner::kSearn) return "perceptron, learned by search";
  std::string_view name, reduction;
  switch (options.classifier) {
    case tasks::BaseClassifier::kPerceptron:
      name = "perceptron";
      break;
    case tasks::BaseClassifier::kLogistic:
      name = "logistic";
      break;
    case tasks::BaseClassifier::kSoftmaxMargin:
      name = "softmax-margin";
      break;
    case tasks::BaseClassifier::kSvm:
      name = "svm";
      break;
    case tasks::BaseClassifier::kLiblinear:
      name = "liblinear";
      break;
    case tasks::BaseClassifier::kQuadraticSvm:
      name = "quadratic-svm";
      break;
  }
  switch (options.reduction) {
    case search::Reduction::kDirect:
      reduction = "direct";
      break;
    case search::Reduction::kOneVsAll:
      reduction = "one-vs-all";
      break;
    case search::Reduction::kAllPairs:
      reduction = "all-pairs";
      break;
  }
  return fmt::format("{}, reduction {}", name, reduction);
}

/// The columns of a joint task, their labels in order of appearance.
Result<tasks::SequenceShape> joint_shape(const TrainingJob& job) {
  std::vector<data::LabelSet> columns(job.label_cells.size());
  for (const data::Sequence& sequence : job.sequences)
    for (size_t row = 0; row < sequence.length(); ++row)
      for (size_t c = 0; c < columns.size(); ++c) {
        const std::string_view label = sequence.cell(row, job.label_cells[c]);
        if (label.empty())
          return fail("{}: line {}: the label in column {} is empty; write _ where it is not known",
                      job.request.train.front().name(), sequence.line(row), job.label_cells[c] + 1);
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
  return tasks::SequenceShape::joint(std::move(columns));
}

Result<tasks::SequenceShape> shape_of_job(const TrainingJob& job) {
  const ParameterValues& v = job.values;
  const bool segment = job.request.task == "segment";
  tasks::SequenceShape shape = tasks::SequenceShape::of(job.training.labels, job.scheme.scheme());
  if (job.request.task == "joint") {
    ESPALIER_ASSIGN(shape, joint_shape(job));
  }
  if (segment && shape.scheme == data::Scheme::kNone)
    return fail("{}: task segment needs labels of a segment scheme (B-X, I-X, O or the like)",
                job.request.train.front().name());
  shape.unit = search_choice(job.request.learner, job.request.task, v, "unit") == "chunk"
                   ? tasks::DecisionUnit::kChunk
                   : tasks::DecisionUnit::kWord;
  ESPALIER_ASSIGN(shape.order, tasks::parse_order(v.text("order")));
  const std::string loss = search_choice(job.request.learner, job.request.task, v, "loss");
  shape.loss = loss == "f1"         ? tasks::SequenceLoss::kF1
               : loss == "zero-one" ? tasks::SequenceLoss::kZeroOne
                                    : tasks::SequenceLoss::kHamming;
  shape.history = static_cast<size_t>(v.integer("history"));
  shape.lead = static_cast<size_t>(v.integer("lead"));
  if (shape.columns() == 1) shape.lead = 0;
  shape.legal = shape.unit == tasks::DecisionUnit::kWord && segment && shape.scheme == data::Scheme::kIob2;
  ESPALIER_TRY(shape.check());
  return shape;
}

/// Which labels features that are seen `labels` at a time get weights for.
chain::PairOptions pair_options(const TrainingJob& job, size_t labels) {
  chain::PairOptions pairs;
  pairs.full_rows_from = job.values.text("full-rows") == "auto"
                             ? (labels <= kFullRowLabels ? kFullRowsFrom : 0)
                             : static_cast<uint32_t>(job.values.integer("full-rows"));
  return pairs;
}

/// The measure of a development set: what is wrong in the labels predicted, sequence by sequence.
using DevMeasure = std::function<double(const std::vector<std::vector<data::Label>>& predicted)>;

/// Whether labels stay what they are when the policy's weights are stored in 16 bits: on training sequences
/// spread evenly over the data. Kernel machines are not rounded.
template <typename Problem>
bool rounding_is_harmless(const Problem& problem, const tasks::SequenceShape& shape,
                          const search::Mixture& policy, const tasks::DecodeOptions& decode,
                          const Workers& workers) {
  constexpr size_t kMost = 400;
  search::Mixture rounded;
  double so_far = 0;
  for (size_t i = 0; i < policy.size(); ++i) {
    const auto* weights = dynamic_cast<const search::RowWeights*>(&policy.classifier(i));
    if (weights == nullptr) return false;
    so_far += policy.share(i);
    rounded.interpolate(std::make_shared<search::RowWeights>(weights->rounded(workers)),
                        i == 0 ? 1.0 : policy.share(i) / so_far);
  }
  const size_t n = std::min(kMost, problem.size());
  size_t labels = 0, changed = 0;
  for (size_t i = 0; i < n; ++i) {
    const size_t s = i * problem.size() / n;
    const auto space = problem.space(s);
    policy.begin(problem.blocks(s));
    rounded.begin(problem.blocks(s));
    const auto exact = tasks::decode_labels(space, shape, problem.tokens(s), policy, decode);
    const auto approximate = tasks::decode_labels(space, shape, problem.tokens(s), rounded, decode);
    if (!exact.ok() || !approximate.ok()) return false;
    for (size_t l = 0; l < exact->best[0].labels.size(); ++l) {
      ++labels;
      if (exact->best[0].labels[l] != approximate->best[0].labels[l]) ++changed;
    }
  }
  return static_cast<double>(changed) < kRoundingTolerance * static_cast<double>(std::max<size_t>(1, labels));
}

/// What is the same for words and chunks: training, dev scores, the best policy, the file.
template <typename Problem>
Status train_problem(TrainingJob& job, const tasks::SequenceShape& shape, const Problem& problem,
                     const Problem* dev, const DevMeasure& measure, const linear::EncodedTraining& encoded,
                     linear::StateRows rows, size_t labels, const tasks::ChunkFeatureOptions* chunks) {
  ESPALIER_ASSIGN(const tasks::SearchOptions options, search_options(job));
  const auto layout = std::make_shared<const linear::StateRows>(std::move(rows));
  tasks::DecodeOptions decode;
  decode.beam = static_cast<size_t>(job.values.integer("beam"));
  decode.best_first =
      search_choice(job.request.learner, job.request.task, job.values, "decoder") == "best-first";
  decode.seed = job.request.seed;
  decode.normalise = options.learner == tasks::SearchLearner::kSearn;
  if (options.learner == tasks::SearchLearner::kSearn)
    decode.stochastic = job.values.text("policy") == "stochastic";

  std::vector<uint64_t> dev_seeds;  // of what a stochastic policy draws, as the model will
  if (dev != nullptr && decode.stochastic)
    for (const data::Sequence& sequence : job.dev.sequences) {
      data::FeatureExtractor::Scratch scratch;
      data::HashedFeatures features;
      job.extractor->extract(sequence, scratch, features);
      dev_seeds.push_back(tasks::one_seed(decode.seed, features));
    }
  const auto score = [&](const search::Mixture& policy) {
    std::vector<std::vector<data::Label>> predicted;
    for (size_t s = 0; s < dev->size(); ++s) {
      policy.begin(dev->blocks(s));
      const size_t T = dev->tokens(s);
      tasks::DecodeOptions one = decode;
      if (decode.stochastic) one.seed = dev_seeds[s];
      auto found = tasks::decode_labels(dev->space(s), shape, T, policy, one);
      predicted.push_back(found.ok() ? std::move(found->best[0].labels)
                                     : std::vector<data::Label>(T * shape.columns(), 0));
    }
    return measure(predicted);
  };
  search::Mixture best;
  tasks::SearchContext context{layout, labels, encoded.state.size(), job.monitor, {}, {}};
  context.note = [&](std::string text) { job.report.notes.push_back(std::move(text)); };
  if (dev != nullptr) context.dev_score = score;
  context.round_ended = [&](int number, int total, std::optional<double> objective,
                            const search::Mixture& policy) {
    std::optional<double> dev_score;
    if (dev != nullptr && !job.monitor.stop_requested()) dev_score = score(policy);
    const auto verdict = job.round_ended(number, total, objective, dev_score);
    if (verdict.best) best = policy;
    return verdict.go_on;
  };
  ESPALIER_ASSIGN(search::Mixture policy, tasks::train_search(problem, options, context));
  job.report.interrupted = job.monitor.stop_requested();
  if (best.size() > 0) policy = std::move(best);
  const std::string& wanted = job.values.text("weight-bits");
  const int bits = wanted == "16" || (wanted == "auto" && !job.report.interrupted &&
                                      rounding_is_harmless(problem, shape, policy, decode, job.workers))
                       ? 16
                       : 32;
  SectionWriter out;
  tasks::SearchModelSource source{shape, chunks, policy, encoded.state, decode, bits};
  source.classifier = classifier_text(options);
  std::vector<double> shares;
  for (size_t i = 0; i < policy.size(); ++i) shares.push_back(policy.share(i));
  if (const auto* shown =
          dynamic_cast<const search::RowWeights*>(&policy.classifier(tasks::largest_share(shares)));
      shown != nullptr && job.values.flag("names") && !job.report.interrupted)
    source.history =
        tasks::name_history(problem, tasks::heaviest_hashed(*shown, tasks::kMostHistoryNames), policy);
  ESPALIER_TRY(tasks::save_search_model(source, out));
  ESPALIER_TRY(job.save(out));
  job.report.features = encoded.state.size();
  if (const auto* weights = dynamic_cast<const search::RowWeights*>(&policy.classifier(0)))
    job.report.weights = layout->weights() + weights->hashed().size() * labels;
  return {};
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

Result<SearchLegality> search_legality(TrainingJob& job, const tasks::SequenceShape& shape,
                                       const constrain::Constraints& constraints,
                                       std::span<const constrain::Instance> instances,
                                       const tasks::GoldOf& gold) {
  SearchLegality out;
  ESPALIER_ASSIGN(out.moves, tasks::moves_under(constraints, shape));
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

linear::FeatureMap number_map(const linear::FeatureSpace& features) {
  std::vector<uint32_t> numbers(features.size());
  std::iota(numbers.begin(), numbers.end(), 0);
  return linear::FeatureMap::build(features.hashes, numbers, nullptr);
}

Status train_chunks(TrainingJob& job, tasks::SequenceShape shape) {
  tasks::add_scheme_labels(shape);
  for (const data::Label label : job.training.data.gold)
    if (label == data::kNoLabel)
      return fail(
          "{}: chunks are learned from whole labellings, but a label is '_' (not known); take unit=word",
          job.request.train.front().name());
  tasks::ChunkFeatureOptions options;
  if (!job.about.features.attributes) options.columns = job.about.features.feature_columns;
  const auto meta = tasks::ChunkFamilies::parse(job.values.text("meta"));
  if (!meta.ok()) return fail("meta: {}", meta.error().message);
  // The usual ones go with the default features of words; a template may have anything or nothing of these.
  const bool by_template = !job.about.features.template_text.empty();
  options.meta = by_template && job.values.text("meta") == "yes" ? tasks::ChunkFamilies::all() : *meta;
  options.stemmer = job.values.text("stemmer");
  ESPALIER_ASSIGN(options.lists, tasks::read_word_lists(job.values.text("lists")));
  if (options.meta.none() && (!options.stemmer.empty() || !options.lists.empty()))
    return fail("stems and lists are features that meta=no leaves out: take it away, or stemmer and lists");
  constexpr size_t kUsualLength = 10;
  if (job.values.text("max-length") == "auto") {
    size_t longest = 1;
    for (size_t s = 0; s < job.training.data.sequences(); ++s)
      for (const tasks::Chunk& c : tasks::chunks_of(shape, job.training.data.gold_of(s), 100000))
        longest = std::max<size_t>(longest, c.length);
    shape.max_length = std::min(longest, kUsualLength);
  } else {
    shape.max_length = static_cast<size_t>(job.values.integer("max-length"));
  }
  ESPALIER_ASSIGN(const tasks::ChunkFeatures features, tasks::ChunkFeatures::make(options, shape.max_length));
  features.announce(shape);
  tasks::ChunkTraining training = tasks::encode_chunks(job.sequences, shape, *job.extractor, features,
                                                       static_cast<uint32_t>(job.values.integer("cutoff")),
                                                       pair_options(job, shape.types.size()).full_rows_from);
  if (training.cut > 0)
    job.report.notes.push_back(
        fmt::format("{} chunks have more than {} words and were learned in pieces; max-length "
                    "raises the limit",
                    training.cut, shape.max_length));
  job.training.labels = shape.labels;
  job.training.data = {};  // its place is taken
  std::optional<SearchLegality> legality;
  if (job.request.constraints) {
    // Labels that complete the scheme have joined those of the data.
    ESPALIER_ASSIGN(const constrain::Constraints constraints,
                    job.request.constraints->resolve(job.about, shape.labels));
    std::vector<constrain::Instance> instances;
    for (const data::Sequence& sequence : job.sequences)
      instances.push_back(constrain::instance_of_rows(constraints, sequence));
    ESPALIER_ASSIGN(legality, search_legality(job, shape, constraints, instances, [&](size_t s) {
                      return tasks::labels_of(shape, training.gold[s], training.length[s]);
                    }));
  }
  const size_t types = training.encoded.labels.size();
  linear::StateRows rows =
      chain::make_weights(training.encoded, false, pair_options(job, types), job.workers).state_rows;
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
  const linear::FeatureMap map = number_map(training.encoded.state);
  if (job.values.flag("names"))
    training.encoded.state.names =
        tasks::chunk_feature_names(job.sequences, shape, *job.extractor, features, map, weighty);
  job.sequences = {};
  tasks::ChunkProblem problem = training.problem(shape);
  if (legality) {
    problem.legal = legality->train;
    problem.moves = legality->moves;
  }
  const auto train_on = [&](const tasks::ChunkProblem* dev) {
    return train_problem(job, shape, problem, dev, one_column(job), training.encoded, std::move(rows), types,
                         &features.options());
  };
  if (job.dev.sequences.empty()) return train_on(nullptr);
  const tasks::ChunkTraining dev_data =
      tasks::encode_chunks_with(job.dev.sequences, shape, *job.extractor, features, map);
  tasks::ChunkProblem dev = dev_data.problem(shape);
  if (legality) {
    dev.legal = legality->dev;
    dev.moves = legality->moves;
  }
  return train_on(&dev);
}

Status train_words(TrainingJob& job, const tasks::SequenceShape& shape) {
  job.sequences = {};
  const size_t labels = job.training.labels.size();
  tasks::LabelProblem problem = tasks::label_problem(shape, job.training.data, job.training.edge);
  tasks::LabelProblem dev = tasks::label_problem(shape, job.dev.data, job.training.edge);
  std::optional<SearchLegality> legality;
  if (job.constraints) {
    ESPALIER_ASSIGN(legality, search_legality(job, shape, *job.constraints, job.instances, [&](size_t s) {
                      const std::span<const data::Label> gold = job.training.data.gold_of(s);
                      return std::vector<data::Label>(gold.begin(), gold.end());
                    }));
    problem.legal = legality->train;
    dev.legal = legality->dev;
  }
  const bool any_dev = !job.dev.sequences.empty();
  const auto train_on = [&](const auto& training, const auto& measured_on) {
    auto rows = chain::make_weights(job.training, false, pair_options(job, labels), job.workers).state_rows;
    return train_problem(job, shape, training, any_dev ? &measured_on : nullptr, one_column(job),
                         job.training, std::move(rows), labels, nullptr);
  };
  if (shape.order == tasks::DecisionOrder::kEasiestFirst) {
    return train_on(tasks::EasiestProblem{problem}, tasks::EasiestProblem{dev});
  }
  return train_on(problem, dev);
}

/// Rows for what was seen with the labels of any column.
linear::StateRows joint_rows(TrainingJob& job, const tasks::SequenceShape& shape,
                             const std::vector<data::Label>& gold) {
  linear::StateRows all;
  linear::EncodedTraining& training = job.training;
  const data::LabelSet own = std::exchange(training.labels, shape.labels);
  size_t most = 0;
  for (const data::LabelSet& column : shape.column_labels) most = std::max(most, column.size());
  const size_t C = shape.columns();
  for (size_t c = 0; c < C; ++c) {
    for (size_t t = 0; t < training.data.gold.size(); ++t) training.data.gold[t] = gold[t * C + c];
    const linear::StateRows rows =
        chain::make_weights(training, false, pair_options(job, most), job.workers).state_rows;
    if (c == 0) {
      all = rows;
      continue;
    }
    linear::StateRows both;
    both.width = all.width;
    for (size_t f = 0; f < rows.rows(); ++f) {
      std::set_union(all.column.begin() + all.begin[f], all.column.begin() + all.begin[f + 1],
                     rows.column.begin() + rows.begin[f], rows.column.begin() + rows.begin[f + 1],
                     std::back_inserter(both.column));
      both.begin.push_back(static_cast<uint32_t>(both.column.size()));
    }
    all = std::move(both);
  }
  training.labels = own;
  return all;
}

Status train_joint(TrainingJob& job, tasks::SequenceShape shape) {
  if (!job.about.features.attributes && !job.about.features.feature_columns.empty())
    shape.word_cell = job.about.features.feature_columns.front();
  const tasks::JointProblem problem =
      tasks::joint_problem(shape, job.training.data, job.training.edge, job.sequences, job.label_cells);
  job.sequences = {};
  linear::StateRows rows = joint_rows(job, shape, problem.gold);
  const tasks::JointProblem dev =
      tasks::joint_problem(shape, job.dev.data, job.training.edge, job.dev.sequences, job.label_cells);
  // Hamming: the share of right labels, in all columns together.
  const DevMeasure measure = [&](const std::vector<std::vector<data::Label>>& predicted) {
    size_t at = 0, known = 0, right = 0;
    for (size_t s = 0; s < predicted.size(); ++s) {
      const data::Sequence& sequence = job.dev.sequences[s];
      for (size_t i = 0; i < predicted[s].size(); ++i, ++at) {
        const size_t t = i / shape.columns(), c = i % shape.columns();
        if (sequence.cell(t, job.label_cells[c]) == data::kUnknownLabelText) continue;
        ++known;
        if (dev.gold[at] == predicted[s][i]) ++right;
      }
    }
    return known == 0 ? 0.0 : 100.0 * static_cast<double>(right) / static_cast<double>(known);
  };
  const Status trained = train_problem(job, shape, problem, job.dev.sequences.empty() ? nullptr : &dev,
                                       measure, job.training, std::move(rows), shape.labels.size(), nullptr);
  job.report.labels = shape.labels.size();
  return trained;
}

}  // namespace

Status check_search(const TrainRequest& request, const ParameterValues& values) {
  if (request.start_from != nullptr || request.resume || request.checkpoint_every > 0)
    return fail("learner {} can neither start from a model nor from a checkpoint", request.learner);
  if (!values.is_default("label-weights")) return fail("learner {} takes no label-weights", request.learner);
  if (request.learner != "searn") return {};
  if (values.text("interpolation") == "line-search" && request.dev.empty())
    return fail("interpolation=line-search needs a development set (--dev)");
  const ClassifierChoice choice = classifier_choice(request.task, values);
  return tasks::check_reduction(choice.classifier, choice.reduction, choice.decisions);
}

Status train_search(TrainingJob& job) {
  for (const float weight : job.training.data.weight)
    if (weight != 1) return fail("learner {} takes no sequence weights other than 1", job.request.learner);
  ESPALIER_ASSIGN(const tasks::SequenceShape shape, shape_of_job(job));
  if (shape.unit == tasks::DecisionUnit::kChunk) return train_chunks(job, shape);
  if (shape.columns() > 1) return train_joint(job, shape);
  return train_words(job, shape);
}

}  // namespace espalier::model

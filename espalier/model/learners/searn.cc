// SEARN: a policy that is learned from the states it reaches itself. Tested by
// espalier/model/training/train_search_test.cc.
#include "espalier/search/searn.h"

#include "espalier/model/learners/learners.h"
#include "espalier/model/learners/search_options.h"
#include "espalier/model/training/search_training.h"
#include "espalier/model/training/summary_training.h"
#include "espalier/model/training/tree_training.h"

namespace espalier::model {

namespace {

enum class InitialPolicy { kAnalytic, kSearch };

struct SearnLearnerOptions : SearchLearnerOptions {
  std::optional<tasks::BaseClassifier> classifier;
  std::optional<search::Reduction> reduction;
  std::optional<int> iterations;
  double beta = 1;
  search::Interpolation interpolation = search::Interpolation::kConstant;
  search::CostEstimate costs = search::CostEstimate::kOptimal;
  int samples = 1;
  double oracle_roll_outs = 0;
  InitialPolicy oracle = InitialPolicy::kAnalytic;
  std::optional<size_t> oracle_beam;
  search::RollIn roll_in = search::RollIn::kMixture;
  int folds = 1;
  bool stochastic = false;
  std::optional<int> passes;
  double rate = 0.1;
  std::optional<double> l2;
  int costing_samples = 10;
  std::optional<double> c;
};

/// Summaries that grow word by word.
bool grows(const SearnLearnerOptions& o, tasks::SearchKind kind) {
  return kind == tasks::SearchKind::kSummary && unit_of(o, TaskKind::kSummary) == tasks::DecisionUnit::kWord;
}

tasks::BaseClassifier classifier_of(const SearnLearnerOptions& o, tasks::SearchKind kind) {
  if (!o.classifier && kind == tasks::SearchKind::kSummary) return tasks::BaseClassifier::kLeastSquares;
  const bool many = kind == tasks::SearchKind::kSegment || kind == tasks::SearchKind::kJoint;
  return o.classifier.value_or(many ? tasks::BaseClassifier::kSoftmaxMargin
                                    : tasks::BaseClassifier::kPerceptron);
}

search::Reduction reduction_of(const SearnLearnerOptions& o, tasks::SearchKind kind) {
  return o.reduction.value_or(tasks::best_reduction(classifier_of(o, kind), kind));
}

/// A chunk that is too long cannot be mended by what follows, so a few alternatives are worth a point of F1.
/// They can be compared only where scores are those of probabilities: with margins, the search with the
/// fewest chunks would win.
size_t searn_beam(const SearnLearnerOptions& o, TaskKind task) {
  constexpr size_t kUsualChunkBeam = 5;
  const tasks::SearchKind kind = search_kind(o, task);
  const tasks::BaseClassifier classifier = classifier_of(o, kind);
  const bool probabilities = (classifier == tasks::BaseClassifier::kLogistic ||
                              classifier == tasks::BaseClassifier::kSoftmaxMargin) &&
                             reduction_of(o, kind) == search::Reduction::kDirect;
  const bool chunks = task != TaskKind::kParse && kind == tasks::SearchKind::kSegment;
  return !o.beam && chunks && probabilities && !o.stochastic ? kUsualChunkBeam : beam_of(o, task);
}

/// The trainer's options for a kind of search. What chunks learn with was chosen on held-out parts of the
/// training data of CoNLL-2002 (Spanish) and CoNLL-2000: features of whole chunks are sparse and want a
/// larger penalty, and more passes to get to the optimum that it moves.
tasks::SearchOptions resolve_searn(const SearnLearnerOptions& o, tasks::SearchKind kind, uint64_t seed) {
  tasks::SearchOptions options;
  options.seed = seed;
  options.average = o.average;
  options.laso.width = o.beam.value_or(1);
  options.classifier = classifier_of(o, kind);
  options.reduction = reduction_of(o, kind);
  const bool chunks = kind == tasks::SearchKind::kSegment;
  options.direct.passes = o.passes.value_or(chunks ? 10 : 5);
  options.direct.rate = o.rate;
  options.direct.l2 = o.l2.value_or(kind == tasks::SearchKind::kSummary ? 300.0 : chunks ? 5.0 : 0.0);
  options.costing_samples = o.costing_samples;
  if (o.c) options.liblinear.C = options.libsvm.C = *o.c;
  options.liblinear.seed = options.libsvm.seed = seed;
  search::SearnOptions& searn = options.searn;
  searn.until_independent = !o.iterations;
  searn.iterations = o.iterations.value_or(options.classifier == tasks::BaseClassifier::kPerceptron ? 5 : 2);
  constexpr size_t kUsualOracleBeam = 10;
  if (o.oracle == InitialPolicy::kSearch) options.oracle_beam = o.oracle_beam.value_or(kUsualOracleBeam);
  searn.beta = o.beta;
  searn.interpolation = o.interpolation;
  searn.examples.estimate = o.costs;
  searn.examples.samples = o.samples;
  searn.examples.oracle_share = o.oracle_roll_outs;
  // A word more or less makes little difference; this many states of a summary say all.
  constexpr size_t kStates = 50;
  if (grows(o, kind)) searn.examples.every = std::max<size_t>(1, o.limit / kStates);
  searn.roll_in = o.roll_in;
  searn.folds = o.folds;
  return options;
}

Status train_searn_model(TrainingJob& job, const SearnLearnerOptions& asked) {
  SearnLearnerOptions o = asked;
  if (!o.beam) o.beam = searn_beam(o, job.task->kind);
  if (job.task->kind == TaskKind::kParse) {
    tasks::SearchOptions options;
    options.seed = job.request.seed;
    options.average = o.average;
    constexpr int kUsualPasses = 10;
    options.passes = o.iterations.value_or(kUsualPasses);
    return train_tree_model(job, o, options);
  }
  if (job.task->kind == TaskKind::kSummary) {
    auto options = resolve_searn(o, tasks::SearchKind::kSummary, job.request.seed);
    // Few clusters are passed over more often: their first steps are large ones.
    constexpr size_t kLeastSteps = 45;
    if (!o.passes)
      options.direct.passes =
          std::max(options.direct.passes, static_cast<int>((kLeastSteps - 1) / job.sequences.size() + 1));
    return train_summary_model(job, o, {options, o.oracle_beam.value_or(20)});
  }
  const auto options = resolve_searn(o, search_kind(o, job.task->kind), job.request.seed);
  return train_search_model(job, o, {options, o.stochastic});
}

/// Chunks also look at the labels of words.
DataNeeds searn_needs(const SearnLearnerOptions& options, const Situation& situation) {
  DataNeeds needs = search_needs(options, situation);
  needs.word_labels = search_kind(options, situation.task.kind) == tasks::SearchKind::kSegment;
  return needs;
}

bool by_classifiers(const SearnLearnerOptions& o, const Situation& situation,
                    std::initializer_list<tasks::BaseClassifier> those) {
  const tasks::BaseClassifier own = classifier_of(o, search_kind(o, situation.task.kind));
  return std::find(those.begin(), those.end(), own) != those.end();
}

Status check_searn(const SearnLearnerOptions& o, const Situation& situation) {
  if (o.stochastic && (searn_beam(o, situation.task.kind) > 1 || searches_best_first(o)))
    return fail(
        "policy=stochastic draws each decision again: beam=1 goes with it, decoder=best-first does not");
  if (o.oracle == InitialPolicy::kSearch && o.direction == tasks::DecisionOrder::kEasiestFirst)
    return fail(
        "oracle=search: with direction=easiest-first every order of the right labels is as good as another, "
        "which a beam would fill with; take oracle=analytic");
  if (search::searches_beta(o.interpolation) && !situation.dev)
    return fail("interpolation=line-search and learned-line-search need a development set (--dev)");
  const tasks::SearchKind kind = search_kind(o, situation.task.kind);
  ESPALIER_TRY(search::check_options(resolve_searn(o, kind, 1).searn));
  return tasks::check_reduction(classifier_of(o, kind), reduction_of(o, kind), kind);
}

void add_rules(ParameterTable<SearnLearnerOptions>& table) {
  using O = SearnLearnerOptions;
  table.only_where(
      {"classifier", "reduction", "beta", "interpolation", "costs", "samples", "oracle-roll-outs", "oracle",
       "oracle-beam", "roll-in", "folds", "policy", "passes", "rate", "l2", "costing-samples", "c"},
      [](const O&, const Situation& s) { return s.task.kind != TaskKind::kParse; },
      "tasks that label sequences; a parser is a perceptron that learns from each of its own decisions at "
      "once");
  using enum tasks::BaseClassifier;
  table.only_where(
      {"passes", "average"},
      [](const O& o, const Situation& s) {
        return by_classifiers(o, s, {kPerceptron, kLogistic, kSoftmaxMargin, kSvm, kLeastSquares});
      },
      "classifiers that learn on line: perceptron, logistic, softmax-margin, svm, least-squares");
  table.only_where(
      {"rate", "l2"},
      [](const O& o, const Situation& s) {
        return by_classifiers(o, s, {kLogistic, kSoftmaxMargin, kSvm, kLeastSquares});
      },
      "classifier=logistic, softmax-margin, svm or least-squares");
  table.only_where(
      {"c", "costing-samples"},
      [](const O& o, const Situation& s) {
        return by_classifiers(o, s, {kLiblinear, kQuadraticSvm});
      },
      "classifier=liblinear or quadratic-svm");
  table.clash(
      [](const O& o, const Situation& s) {
        return s.start_from && by_classifiers(o, s, {kLiblinear, kQuadraticSvm});
      },
      "classifier=liblinear and quadratic-svm learn in one go and cannot start from a model");
  table.only_where(
      {"samples", "oracle-roll-outs"},
      [](const O& o, const Situation&) { return o.costs == search::CostEstimate::kSample; }, "costs=sample");
  table.only_where(
      {"oracle-beam"},
      [](const O& o, const Situation& s) {
        return o.oracle == InitialPolicy::kSearch || s.task.kind == TaskKind::kSummary;
      },
      "oracle=search, and task summary, whose oracle is always a search");
  table.only_where(
      {"oracle", "policy"}, [](const O&, const Situation& s) { return s.task.kind != TaskKind::kSummary; },
      "tasks that label sequences");
  table.only_where(
      {"weight-bits", "full-rows"},
      [](const O& o, const Situation& s) { return !by_classifiers(o, s, {kQuadraticSvm}); },
      "classifiers with a weight for each feature; quadratic-svm has none");
  table.only_where(
      {"beta", "interpolation", "folds", "roll-in"},
      [](const O& o, const Situation&) { return o.iterations != 1; },
      "several iterations: the first follows the initial policy, whatever these say");
  const auto constant = [](const O& o, const Situation&) {
    return o.interpolation == search::Interpolation::kConstant;
  };
  const auto mixture = [](const O& o, const Situation&) { return o.roll_in == search::RollIn::kMixture; };
  table.only_where({"beta"}, constant, "interpolation=constant");
  table.only_where({"beta", "interpolation"}, mixture,
                   "roll-in=mixture: with roll-in=aggregate the last classifier decides alone");
  table.only_where(
      {"iterations"},
      [](const O& o, const Situation&) { return o.interpolation != search::Interpolation::kAnalytic; },
      "interpolation=constant, line-search or learned-line-search; the analytical beta has a number of its "
      "own");
  table.only_where(
      {"policy"},
      [](const O& o, const Situation&) {
        const bool mixed = o.interpolation != search::Interpolation::kConstant || o.beta < 1;
        return mixed && o.roll_in == search::RollIn::kMixture;
      },
      "mixtures of classifiers: beta below 1, interpolation=analytic, line-search or learned-line-search");
  table.require(check_searn);
}

}  // namespace

std::unique_ptr<const LearnerSpec> searn_learner() {
  using O = SearnLearnerOptions;
  ParameterTable<O> table;
  table.choice(
      "classifier", &O::classifier, classifier_names(),
      "what decides: averaged perceptron, logistic, logistic with costs as margins, svm or least squares of "
      "the costs on line over all actions; liblinear's SVMs; libsvm's quadratic machines; auto: "
      "least-squares for summaries, softmax-margin for chunks and several columns of labels, perceptron "
      "otherwise");
  table.choice(
      "reduction", &O::reduction, reduction_names(),
      "from costs to what the classifier learns: all actions at once, one against the rest, every two "
      "weighted by the difference of their costs; auto: direct on line, one-vs-all for liblinear, "
      "all-pairs for quadratic-svm",
      kAdvanced);
  table.whole(
      "iterations", &O::iterations, {1, 1e6},
      "iterations at most; auto: 5 for perceptron, 2 for other classifiers; with beta below 1, until hardly "
      "anything is left of the initial policy; 10 for task parse");
  table.number("beta", &O::beta, {1e-9, 1},
               "share of the new classifier in each iteration; 1: policy iteration", kAdvanced);
  table.choice("interpolation", &O::interpolation,
               {{"constant", search::Interpolation::kConstant},
                {"analytic", search::Interpolation::kAnalytic},
                {"line-search", search::Interpolation::kLineSearch},
                {"learned-line-search", search::Interpolation::kLearnedLineSearch}},
               "beta as given; 1/T^3 as the theory has it; or the best on the dev set, for the mixture with "
               "the initial policy (small steps, many iterations) or for the learned classifiers alone",
               kAdvanced);
  table.choice("costs", &O::costs,
               {{"optimal", search::CostEstimate::kOptimal}, {"sample", search::CostEstimate::kSample}},
               "cost of an action: loss of the best completion, or of paths drawn from the policy",
               kAdvanced);
  table.whole("samples", &O::samples, {1, 1e4}, "costs=sample: paths for each action", kAdvanced);
  table.number("oracle-roll-outs", &O::oracle_roll_outs, {0, 1},
               "costs=sample: share of paths that follow the oracle, as in LOLS", kAdvanced);
  table.choice("oracle", &O::oracle,
               {{"analytic", InitialPolicy::kAnalytic}, {"search", InitialPolicy::kSearch}},
               "the initial policy: known for every loss here, or found by a search for the best completion "
               "(slow: for small data)",
               kAdvanced);
  table.whole("oracle-beam", &O::oracle_beam, {1, 1e5},
              "oracle=search: states kept at each step of the search; auto: 10, for task summary 20",
              kAdvanced);
  table.choice(
      "roll-in", &O::roll_in,
      {{"mixture", search::RollIn::kMixture}, {"aggregate", search::RollIn::kAggregate}},
      "states come from the current policy alone, or examples of all iterations are kept, as in DAgger",
      kAdvanced);
  table.whole("folds", &O::folds, {1, 100},
              "above 1: states come from classifiers that did not see the sequence", kAdvanced);
  table.choice("policy", &O::stochastic, {{"vote", false}, {"stochastic", true}},
               "beta below 1: classifiers vote, or are drawn for each decision", kAdvanced);
  table.whole("passes", &O::passes, {1, 1e6},
              "passes over the examples of an iteration (not liblinear, quadratic-svm); auto: 10 for chunks, "
              "otherwise 5; more for summaries of fewer than nine clusters");
  table.number("rate", &O::rate, {1e-9, 1e3}, "step size (logistic, softmax-margin, svm, least-squares)",
               kAdvanced);
  table.number(
      "l2", &O::l2, {0, 1e6},
      "penalty of the weights (logistic, softmax-margin, svm, least-squares); auto: 300 for summaries, "
      "5 for chunks, 0 otherwise",
      kAdvanced);
  table.whole("costing-samples", &O::costing_samples, {1, 1000},
              "liblinear, quadratic-svm, where costs differ: samples drawn by cost, whose classifiers decide "
              "together",
              kAdvanced);
  table.number("c", &O::c, {1e-9, 1e9}, "liblinear, quadratic-svm: weight of the errors", kAdvanced);
  add_search_parameters(table, tasks::SearchLearner::kSearn);
  add_common_parameters(table);
  add_full_rows(table);
  add_rules(table);
  return make_learner<O>({.name = "searn",
                          .summary = "SEARN: learns the decisions of a search, for any loss and any history",
                          .kind = ModelKind::kSearch,
                          .constraints = ConstraintUse::kAny,
                          .keeps_checkpoints = false},
                         std::move(table), {.train = train_searn_model, .needs = searn_needs});
}

}  // namespace espalier::model

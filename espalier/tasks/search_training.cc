#include "espalier/tasks/search_training.h"

#include <algorithm>
#include <numeric>

#include "espalier/search/passes.h"
#include "espalier/search/policy/batch_classifier.h"
#include "espalier/search/policy/pair_classifier.h"
#include "espalier/search/search_oracle.h"

namespace espalier::tasks {

namespace {

using search::Examples;
using search::Mixture;
using search::RowWeights;
using search::Scorer;

Mixture alone(std::shared_ptr<Scorer> classifier) {
  Mixture mixture;
  mixture.interpolate(std::move(classifier), 1);
  return mixture;
}

/// A monitor for a part of the work, [from, from + length) of `total` rounds, that counts its own steps from
/// 0.
Monitor within(const Monitor& whole, double from, double length, int total) {
  Monitor part = whole;
  if (whole.on_progress)
    part.on_progress = [&whole, from, length, total](const Progress& progress) {
      Progress out = progress;
      out.done = from + (progress.total > 0 ? length * progress.done / progress.total : 0);
      out.total = total;
      out.round = static_cast<int>(from) + 1;
      whole.report(out);
    };
  return part;
}

search::DirectLoss direct_loss(BaseClassifier classifier) {
  return classifier == BaseClassifier::kPerceptron      ? search::DirectLoss::kPerceptron
         : classifier == BaseClassifier::kLogistic      ? search::DirectLoss::kLogistic
         : classifier == BaseClassifier::kSoftmaxMargin ? search::DirectLoss::kSoftmaxMargin
         : classifier == BaseClassifier::kLeastSquares  ? search::DirectLoss::kLeastSquares
                                                        : search::DirectLoss::kHinge;
}

template <search::Problem P>
Result<std::shared_ptr<Scorer>> learn_classifier(const P& problem, const SearchOptions& options,
                                                 const SearchContext& context,
                                                 const Examples<typename P::Space>& examples, int iteration,
                                                 int iterations, int without) {
  const int folds = std::max(1, options.searn.folds);
  const auto keep = [&](uint32_t instance) {
    return without < 0 || search::fold_of(instance, folds) != without;
  };
  const uint64_t seed = options.seed + 1000 * static_cast<uint64_t>(iteration);
  // Classifiers of folds come after the one that counts, and are not counted.
  Monitor silent = context.monitor;
  silent.on_progress = nullptr;
  const auto monitor = [&](int part, int parts) {
    return without >= 0 ? silent
                        : within(context.monitor, iteration - 1 + static_cast<double>(part) / parts,
                                 1.0 / parts, iterations);
  };
  const auto as_scorer = [](RowWeights weights) {
    return std::shared_ptr<Scorer>(std::make_shared<RowWeights>(std::move(weights)));
  };
  const search::CostingOptions costing{options.costing_samples, seed};
  const bool linear = options.classifier == BaseClassifier::kLiblinear;
  if constexpr (P::kBatchClassifiers) {
    if (linear && options.reduction == search::Reduction::kAllPairs) {
      search::PairOptions pairs;
      pairs.liblinear = options.liblinear;
      pairs.costing = costing;
      ESPALIER_ASSIGN(RowWeights weights, search::learn_pairs(problem, examples, context.layout,
                                                              context.labels, pairs, keep, monitor));
      return as_scorer(std::move(weights));
    }
    if (linear || options.classifier == BaseClassifier::kQuadraticSvm) {
      const search::ExportedExamples exported =
          search::export_examples(problem, examples, context.static_features, keep);
      if (!linear)
        return search::learn_kernel(exported, context.labels, options.reduction, options.libsvm, costing,
                                    monitor(0, 1));
      ESPALIER_ASSIGN(RowWeights weights,
                      search::learn_liblinear(exported, context.layout, context.labels, options.reduction,
                                              options.liblinear, costing, monitor));
      return as_scorer(std::move(weights));
    }
  }
  search::DirectOptions direct = options.direct;
  direct.seed = seed;
  direct.average = options.average;
  direct.loss = direct_loss(options.classifier);
  direct.reduction = options.reduction;
  const auto from = [&](const Examples<typename P::Space>& some) {
    return std::make_shared<RowWeights>(search::learn_direct(problem, some, context.layout, context.labels,
                                                             direct, monitor(0, 1), context.old));
  };
  return std::shared_ptr<Scorer>(without < 0 ? from(examples)
                                             : from(search::without_fold(examples, without, folds)));
}

/// The steps that a line search took: "0.1 (12 times), 0.4, 1".
std::string steps_text(const std::vector<double>& betas) {
  std::string text;
  for (size_t from = 0; from < betas.size();) {
    size_t to = from;
    while (to < betas.size() && betas[to] == betas[from]) ++to;
    text += fmt::format("{}{}", from > 0 ? ", " : "", betas[from]);
    if (to - from > 1) text += fmt::format(" ({} times)", to - from);
    from = to;
  }
  return text;
}

/// How much of the initial policy π was left at the end, and why it ended there.
std::string about_interpolation(const search::SearnOptions& options, const search::SearnPlan& plan,
                                const std::vector<double>& betas, double oracle_share) {
  const size_t made = betas.size();
  const double chance = static_cast<double>(plan.longest) * oracle_share;
  if (options.interpolation == search::Interpolation::kAnalytic)
    return fmt::format(
        "beta is 1/T³ = {:.3g} for paths of T = {} actions; of its 2T³ ln T = {} iterations {} "
        "were made",
        plan.beta, plan.longest, plan.expected, made);
  std::string text = fmt::format(
      "after {} iterations with {} the initial policy is asked with a chance of at most {:.3g} on "
      "a path of {} actions",
      made,
      options.interpolation == search::Interpolation::kConstant ? fmt::format("beta={}", plan.beta)
                                                                : "beta=" + steps_text(betas),
      std::min(1.0, chance), plan.longest);
  if (chance >= options.dependence)
    text += options.until_independent
                ? fmt::format("; {} iterations is the limit", plan.at_most)
                : fmt::format(", which iterations=auto brings below {}", options.dependence);
  return text;
}

template <search::Problem P>
Result<Mixture> train_searn(const P& problem, const SearchOptions& options, const SearchContext& context,
                            const P* dev) {
  search::SearnHooks hooks;
  hooks.dev_score = context.dev_score;
  Status trouble;  // what a line search cannot return
  if (options.searn.interpolation == search::Interpolation::kLineSearch && dev != nullptr)
    hooks.dev_score = [&](const Mixture& mixture) {
      const Result<double> loss = search::mean_loss(*dev, mixture, options.seed);
      if (loss.ok()) return -*loss;
      if (trouble.ok()) trouble = fail("development set, {}", loss.error().message);
      return 0.0;
    };
  if (context.old.weights) hooks.start = std::make_shared<RowWeights>(*context.old.weights);
  search::SearnPlan plan;
  hooks.planned = [&](const search::SearnPlan& made) { plan = made; };
  // Of a search for β nobody knows beforehand how long it takes.
  const auto iterations = [&](int so_far) { return std::max(plan.expected, so_far); };
  double oracle_share = 1;
  std::vector<double> betas;
  hooks.round_ended = [&](const search::SearnRound& round) {
    std::optional<double> share;  // of π: of interest where there are smaller steps than to be rid of it
    if (round.beta < 1) share = round.oracle_share;
    oracle_share = round.oracle_share;
    betas.push_back(round.beta);
    if (!trouble.ok()) return false;
    if (!context.round_ended) return true;
    return context
        .round_ended({{round.number, share, nullptr, iterations(round.number), "share of the gold policy"},
                      [&] { return round.policy; }})
        .go_on;
  };
  search::SearnOptions searn = options.searn;
  searn.seed = options.seed;
  const search::LearnClassifier<typename P::Space> learn = [&](const Examples<typename P::Space>& examples,
                                                               int iteration, int without) {
    return learn_classifier(search::without_search_oracle(problem), options, context, examples, iteration,
                            iterations(iteration), without);
  };
  ESPALIER_ASSIGN(Mixture policy, search::searn(problem, searn, learn, hooks, context.monitor));
  ESPALIER_TRY(trouble);
  if (context.note && plan.longest > 0) context.note(about_interpolation(searn, plan, betas, oracle_share));
  return policy;
}

template <search::Problem P>
Result<Mixture> train_on_line(const P& problem, const SearchOptions& options, const SearchContext& context) {
  using Space = typename P::Space;
  RowWeights weights =
      context.old.weights ? *context.old.weights : RowWeights(context.layout, context.labels);
  if (context.old.weights) weights.average_with_old(context.old.share_of_new);
  const auto result = [&] {
    return alone(std::make_shared<RowWeights>(options.average ? weights.averaged() : weights));
  };
  const auto learn = [&](const Space& space, RowWeights& w, search::SearchScratch<Space, float>& scratch) {
    return search::learn_while_searching(space, w, options.learner, options.laso, options.incremental,
                                         scratch);
  };
  int made = 0;
  const auto pass_ended = [&](int pass, size_t updates) {
    made = pass;
    const double each =
        static_cast<double>(updates) / static_cast<double>(std::max<size_t>(1, problem.size()));
    return !context.round_ended ||
           context.round_ended({{pass, each, nullptr, 0, "updates per sequence"}, result}).go_on;
  };
  ESPALIER_TRY(search::learn_in_passes(problem, weights, options.passes, options.seed, context.monitor, learn,
                                       pass_ended));
  // A pass without updates is the last, as more of them would change nothing. They still count towards the
  // average of a model that is trained further: a few sentences are learned in the first pass or two.
  if (context.old.weights && !context.monitor.stop_requested())
    for (size_t i = static_cast<size_t>(made) * problem.size();
         i < static_cast<size_t>(options.passes) * problem.size(); ++i)
      weights.tick();
  return result();
}

}  // namespace

template <search::Problem P>
Result<Mixture> train_search(const P& problem, const SearchOptions& options, const SearchContext& context,
                             const P* dev) {
  if (options.learner == SearchLearner::kSearn)
    ESPALIER_TRY(check_reduction(options.classifier, options.reduction, P::kKind));
  if (options.learner == SearchLearner::kSearn && options.oracle_beam > 0) {
    if constexpr (search::LossSpace<typename P::Space>) {
      using Searched = search::SearchOracleProblem<P>;
      const Searched training{problem, options.oracle_beam},
          measured{dev ? *dev : problem, options.oracle_beam};
      return train_searn(training, options, context, dev ? &measured : nullptr);
    } else {
      return fail(
          "oracle=search: with direction=easiest-first every order of the right labels is as good as "
          "another, "
          "which a beam would fill with; take oracle=analytic");
    }
  }
  if (options.learner == SearchLearner::kSearn) return train_searn(problem, options, context, dev);
  return train_on_line(problem, options, context);
}

template Result<Mixture> train_search(const LabelProblem&, const SearchOptions&, const SearchContext&,
                                      const LabelProblem*);
template Result<Mixture> train_search(const JointProblem&, const SearchOptions&, const SearchContext&,
                                      const JointProblem*);
template Result<Mixture> train_search(const EasiestProblem&, const SearchOptions&, const SearchContext&,
                                      const EasiestProblem*);
template Result<Mixture> train_search(const ChunkProblem&, const SearchOptions&, const SearchContext&,
                                      const ChunkProblem*);
template Result<Mixture> train_search(const SummaryProblem&, const SearchOptions&, const SearchContext&,
                                      const SummaryProblem*);

}  // namespace espalier::tasks

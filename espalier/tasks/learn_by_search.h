// The templates behind search_training.h: SEARN, LaSO and the incremental perceptron for any problem whose
// weights are rows. For the sources that compile them, each for some problems, and nobody else:
// search_training.cc for the problems of sequences, summary/summary_search.cc for summaries,
// searched_oracle.cc for oracle=search. Tested in search_training_test.cc.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "espalier/search/passes.h"
#include "espalier/search/policy/batch_classifier.h"
#include "espalier/search/policy/pair_classifier.h"
#include "espalier/search/search_oracle.h"
#include "espalier/tasks/search_training.h"

namespace espalier::tasks {

/// A mixture of one classifier.
search::Mixture alone(std::shared_ptr<search::Scorer> classifier);

/// A monitor for a part of the work, [from, from + length) of `total` rounds, that counts its own steps from
/// 0.
Monitor within(const Monitor& whole, double from, double length, int total);

search::DirectLoss direct_loss(BaseClassifier classifier);

/// How much of the initial policy π was left at the end, and why it ended there.
std::string about_interpolation(const search::SearnOptions& options, const search::SearnPlan& plan,
                                const std::vector<double>& betas, double oracle_share);

/// The classifier of one iteration of SEARN, `without` one fold of the examples or, if that is negative, from
/// all.
template <search::Problem P>
Result<std::shared_ptr<search::Scorer>> learn_classifier(const P& problem, const SearchOptions& options,
                                                         const SearchContext& context,
                                                         const search::Examples<typename P::Space>& examples,
                                                         int iteration, int iterations, int without) {
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
  const auto as_scorer = [](search::RowWeights weights) {
    return std::shared_ptr<search::Scorer>(std::make_shared<search::RowWeights>(std::move(weights)));
  };
  const search::CostingOptions costing{options.costing_samples, seed};
  const bool linear = options.classifier == BaseClassifier::kLiblinear;
  if constexpr (P::kBatchClassifiers) {
    if (linear && options.reduction == search::Reduction::kAllPairs) {
      search::PairOptions pairs;
      pairs.liblinear = options.liblinear;
      pairs.costing = costing;
      ESPALIER_ASSIGN(search::RowWeights weights, search::learn_pairs(problem, examples, context.layout,
                                                                      context.labels, pairs, keep, monitor));
      return as_scorer(std::move(weights));
    }
    if (linear || options.classifier == BaseClassifier::kQuadraticSvm) {
      const search::ExportedExamples exported =
          search::export_examples(problem, examples, context.static_features, keep);
      if (!linear)
        return search::learn_kernel(exported, context.labels, options.reduction, options.libsvm, costing,
                                    monitor(0, 1));
      ESPALIER_ASSIGN(search::RowWeights weights,
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
  const auto from = [&](const search::Examples<typename P::Space>& some) {
    return std::make_shared<search::RowWeights>(search::learn_direct(
        problem, some, context.layout, context.labels, direct, monitor(0, 1), context.old));
  };
  return std::shared_ptr<search::Scorer>(without < 0 ? from(examples)
                                                     : from(search::without_fold(examples, without, folds)));
}

template <search::Problem P>
Result<search::Mixture> train_searn(const P& problem, const SearchOptions& options,
                                    const SearchContext& context, const P* dev) {
  search::SearnHooks hooks;
  hooks.dev_score = context.dev_score;
  Status trouble;  // what a line search cannot return
  if (options.searn.interpolation == search::Interpolation::kLineSearch && dev != nullptr)
    hooks.dev_score = [&](const search::Mixture& mixture) {
      const Result<double> loss = search::mean_loss(*dev, mixture, options.seed);
      if (loss.ok()) return -*loss;
      if (trouble.ok()) trouble = fail("development set, {}", loss.error().message);
      return 0.0;
    };
  if (context.old.weights) hooks.start = std::make_shared<search::RowWeights>(*context.old.weights);
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
  const search::LearnClassifier<typename P::Space> learn =
      [&](const search::Examples<typename P::Space>& examples, int iteration, int without) {
        return learn_classifier(search::without_search_oracle(problem), options, context, examples, iteration,
                                iterations(iteration), without);
      };
  ESPALIER_ASSIGN(search::Mixture policy, search::searn(problem, searn, learn, hooks, context.monitor));
  ESPALIER_TRY(trouble);
  if (context.note && plan.longest > 0) context.note(about_interpolation(searn, plan, betas, oracle_share));
  return policy;
}

template <search::Problem P>
Result<search::Mixture> train_on_line(const P& problem, const SearchOptions& options,
                                      const SearchContext& context) {
  using Space = typename P::Space;
  search::RowWeights weights =
      context.old.weights ? *context.old.weights : search::RowWeights(context.layout, context.labels);
  if (context.old.weights) weights.average_with_old(context.old.share_of_new);
  const auto result = [&] {
    return alone(std::make_shared<search::RowWeights>(options.average ? weights.averaged() : weights));
  };
  const auto last_result = [&] {  // without a copy
    return alone(std::make_shared<search::RowWeights>(options.average ? std::move(weights).averaged()
                                                                      : std::move(weights)));
  };
  const auto learn = [&](const Space& space, search::RowWeights& w,
                         search::SearchScratch<Space, float>& scratch) {
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
  return last_result();
}

/// SEARN whose initial policy finds the best completion by a beam search of options.oracle_beam states.
/// Compiled in searched_oracle.cc for every problem whose space is a LossSpace.
template <search::Problem P>
Result<search::Mixture> train_with_searched_oracle(const P& problem, const SearchOptions& options,
                                                   const SearchContext& context, const P* dev);

template <search::Problem P>
Result<search::Mixture> train_search(const P& problem, const SearchOptions& options,
                                     const SearchContext& context, const P* dev) {
  if (options.learner == SearchLearner::kSearn)
    ESPALIER_TRY(check_reduction(options.classifier, options.reduction, P::kKind));
  if (options.learner == SearchLearner::kSearn && options.oracle_beam > 0) {
    if constexpr (search::LossSpace<typename P::Space>) {
      return train_with_searched_oracle(problem, options, context, dev);
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

}  // namespace espalier::tasks

// SEARN (Daumé, Langford and Marcu 2009): structured prediction by learning the decisions of a search.
#pragma once

#include <cmath>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "espalier/base/progress.h"
#include "espalier/base/result.h"
#include "espalier/search/examples.h"
#include "espalier/search/policy/policy.h"

namespace espalier::search {

/// How β is chosen in each iteration.
enum class Interpolation {
  kConstant,    ///< given; 1 is pure policy iteration
  kAnalytic,    ///< 1/T³ for 2T³ ln T iterations, with T the longest path: what Theorem 2 is about
  kLineSearch,  ///< the best of a grid on the development set
};

/// Which policies the examples of an iteration come from.
enum class RollIn {
  kMixture,    ///< SEARN: the current mixture
  kAggregate,  ///< DAgger: the last classifier, and all examples made so far stay
};

struct SearnOptions {
  int iterations = 5;  ///< at most
  /// Where β is below 1, or searched for: goes on for as long as the policy depends on π, whatever
  /// `iterations` says, up to kMostUntilIndependent; a line search makes `iterations` of them at least.
  bool until_independent = false;
  Interpolation interpolation = Interpolation::kConstant;
  double beta = 1;
  ExampleOptions examples;
  RollIn roll_in = RollIn::kMixture;
  /// Above 1: so many classifiers in each iteration, each without one part of the data, so that roll-ins see
  /// predictions like those on data never seen (section 7).
  int folds = 1;
  /// Ends when the chance that π is asked at all on a path, at most T·(1−β)^n (Lemma 2), is below this.
  double dependence = 0.01;
  uint64_t seed = 1;
};

/// The analytic choice for paths of at most T actions.
struct AnalyticChoice {
  double beta = 1;
  double iterations = 1;  ///< 2T³ ln T
};
inline AnalyticChoice analytic_choice(size_t longest) {
  const double T = static_cast<double>(std::max<size_t>(longest, 2));
  return {1 / (T * T * T), std::ceil(2 * T * T * T * std::log(T))};
}
/// More iterations than this are refused: each is a pass over the data and a classifier to keep.
inline constexpr double kMostIterations = 2000;
inline constexpr int kMostUntilIndependent = 100;

/// What is known before the first iteration.
struct SearnPlan {
  double beta = 1;
  int at_most = 1;     ///< iterations
  int expected = 1;    ///< of these, unless development data end it sooner
  size_t longest = 0;  ///< path under π; 0 where nothing depends on it
};

/// What is known at the end of an iteration.
struct SearnRound {
  int number = 0;
  double beta = 1;
  double oracle_share = 0;  ///< of π in the mixture now
  size_t examples = 0;
  /// The mixture without π.
  const Mixture& policy;
};

/// Learns a classifier from examples; `without` is the fold to leave out, or −1.
template <typename S>
using LearnClassifier =
    std::function<Result<std::shared_ptr<Scorer>>(const Examples<S>& examples, int iteration, int without)>;

struct SearnHooks {
  /// Called once, before anything is learned. May be null.
  std::function<void(const SearnPlan&)> planned;
  /// Score of a policy without π on the development set, higher is better; needed by the line search.
  std::function<double(const Mixture&)> dev_score;
  /// Called after each iteration; false ends training. May be null.
  std::function<bool(const SearnRound&)> round_ended;
};

/// The longest path of any instance under π. Errors name the instance (from 1) whose functions misbehave.
template <Problem P>
Result<size_t> longest_path(const P& problem) {
  size_t longest = 0;
  ActionLists lists;
  for (size_t i = 0; i < problem.size(); ++i) {
    const auto space = problem.space(i);
    auto state = space.initial();
    size_t length = 0;
    for (; !space.is_goal(state); ++length) {
      const Status asked = ask_oracle(space, state, lists);
      if (!asked.ok()) return fail("instance {}: {}", i + 1, asked.error().message);
      state = space.apply(state, lists.optimal[0]);
    }
    longest = std::max(longest, length);
  }
  return longest;
}

/// Choices that do not go together.
inline Status check_options(const SearnOptions& options) {
  if (!(options.beta > 0 && options.beta <= 1))
    return fail("beta is {}, wanted a number above 0, at most 1", options.beta);
  if (options.iterations < 1) return fail("{} iterations learn nothing", options.iterations);
  if (options.examples.samples < 1) return fail("{} samples tell nothing", options.examples.samples);
  if (options.roll_in == RollIn::kAggregate &&
      (options.beta < 1 || options.interpolation != Interpolation::kConstant))
    return fail(
        "roll-in=aggregate follows the last classifier alone: there is nothing to interpolate, so that "
        "beta=1 "
        "and interpolation=constant go with it");
  return {};
}

/// How many iterations there will be, and with which β.
template <Problem P>
Result<SearnPlan> plan_searn(const P& problem, const SearnOptions& options) {
  ESPALIER_TRY(check_options(options));
  SearnPlan plan{options.beta, options.iterations, options.iterations, 0};
  if (options.interpolation == Interpolation::kConstant && options.beta == 1) return plan;
  ESPALIER_ASSIGN(plan.longest, longest_path(problem));
  if (options.interpolation == Interpolation::kAnalytic) {
    const AnalyticChoice choice = analytic_choice(plan.longest);
    if (choice.iterations > kMostIterations)
      return fail(
          "the analytical beta is 1/T³ = {:.3g} with T = {} actions, and takes 2T³ ln T = {:.0f} iterations; "
          "more than {} are refused (beta=NUMBER or a line search on the development set are the practical "
          "choices)",
          choice.beta, plan.longest, choice.iterations, kMostIterations);
    plan.beta = choice.beta;
    plan.at_most = plan.expected = static_cast<int>(choice.iterations);
    return plan;
  }
  if (options.until_independent) plan.at_most = std::max(options.iterations, kMostUntilIndependent);
  if (options.interpolation == Interpolation::kConstant) {
    // The first n with T (1 − β)ⁿ < dependence.
    double chance = static_cast<double>(plan.longest);
    plan.expected = 0;
    do {
      chance *= 1 - plan.beta;
      ++plan.expected;
    } while (chance >= options.dependence && plan.expected < plan.at_most);
  }
  return plan;
}

/// Which fold an instance is in.
inline int fold_of(size_t instance, int folds) {
  return static_cast<int>(instance % static_cast<size_t>(folds));
}
/// The examples of the other folds. Costs stay where they are.
template <SearchSpace S>
Examples<S> without_fold(Examples<S> examples, int fold, int folds) {
  std::erase_if(examples.list, [&](const auto& e) { return fold_of(e.instance, folds) == fold; });
  return examples;
}

/// Figure 1. Returns the policy of the last iteration, without π and renormalised: with β = 1 the last
/// classifier. Errors name the instance (from 1) whose functions misbehave.
template <Problem P>
Result<Mixture> searn(const P& problem, const SearnOptions& options,
                      const LearnClassifier<typename P::Space>& learn, const SearnHooks& hooks,
                      const Monitor& monitor) {
  using Space = typename P::Space;
  const bool line_search = options.interpolation == Interpolation::kLineSearch;
  if (line_search && !hooks.dev_score) return fail("a line search for beta needs a development set");
  ESPALIER_ASSIGN(const SearnPlan plan, plan_searn(problem, options));
  if (hooks.planned) hooks.planned(plan);

  const int folds = std::max(1, options.folds);
  Mixture mixture;                       // trained on everything
  std::vector<Mixture> held_out(folds);  // by fold; used where folds > 1
  Examples<Space> examples;
  for (int n = 1; n <= plan.at_most; ++n) {
    if (options.roll_in == RollIn::kMixture) examples.clear();
    for (uint32_t i = 0; i < problem.size(); ++i) {
      if (monitor.stop_requested()) break;
      const Space space = problem.space(i);
      const Mixture& walker = folds > 1 ? held_out[static_cast<size_t>(fold_of(i, folds))] : mixture;
      walker.begin(problem.blocks(i));
      const Random luck = Random(options.seed).split(static_cast<uint64_t>(n)).split(i);
      const Status added = add_examples(space, i, walker, luck, options.examples, examples);
      if (!added.ok()) return fail("instance {}: {}", i + 1, added.error().message);
    }
    if (monitor.stop_requested() && n > 1) break;  // the first classifier is worth waiting for
    ESPALIER_ASSIGN(std::shared_ptr<Scorer> classifier, learn(examples, n, -1));
    double chosen = plan.beta;
    if (line_search) {
      double best = -std::numeric_limits<double>::infinity();
      for (int step = 10; step >= 1; --step) {
        Mixture trial = mixture;
        trial.interpolate(classifier, step / 10.0);
        const double score = hooks.dev_score(trial.without_oracle());
        if (score > best) {
          best = score;
          chosen = step / 10.0;
        }
      }
    }
    mixture.interpolate(classifier, chosen);
    if (folds > 1)
      for (int fold = 0; fold < folds; ++fold) {
        ESPALIER_ASSIGN(std::shared_ptr<Scorer> part, learn(examples, n, fold));
        held_out[static_cast<size_t>(fold)].interpolate(std::move(part), chosen);
      }
    const Mixture policy = mixture.without_oracle();
    if (hooks.round_ended &&
        !hooks.round_ended({n, chosen, mixture.oracle_share(), examples.list.size(), policy}))
      break;
    if (monitor.stop_requested()) break;
    // With β = 1 π is gone after one iteration, and the rest is policy iteration for as long as was asked, as
    // it is when a line search has chosen 1; smaller steps end when π no longer matters.
    const bool independent = static_cast<double>(plan.longest) * mixture.oracle_share() < options.dependence;
    const bool may_end = line_search ? options.until_independent && n >= options.iterations
                                     : options.interpolation == Interpolation::kConstant && plan.beta < 1;
    if (independent && may_end) break;
  }
  return mixture.without_oracle();
}

}  // namespace espalier::search

// SEARN (Daumé, Langford and Marcu 2009): structured prediction by learning the decisions of a search.
// searn() runs the whole algorithm, and DAgger as a variant; the caller supplies the training set (a Problem,
// examples.h), the learner of cost-sensitive classifiers (online_classifier.h, batch_classifier.h or
// pair_classifier.h) and hooks for progress and development data. Each iteration searches every instance
// once, estimates the cost of every action on the path and learns one classifier, or folds + 1. It does not
// save models. π is the initial policy, the oracle of the training set. Header only; tested in searn_test.cc.
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
#include "espalier/search/roll_out.h"

namespace espalier::search {

/// How the interpolation constant β is chosen in each iteration.
enum class Interpolation {
  kConstant,  ///< a given β; 1 is pure policy iteration
  kAnalytic,  ///< β = 1/T³ for 2T³ ln T iterations, where T is the length of the longest path (Theorem 2)
  /// The best of 1, 0.9, …, 0.1 on the development set for the mixture that SEARN goes on with, π included,
  /// as the paper has it; ties go to the larger. Where π makes no errors, small steps win until little is
  /// left of it.
  kLineSearch,
  kLearnedLineSearch,  ///< the same for the mixture without π, which is what training returns
};
inline bool searches_beta(Interpolation interpolation) {
  return interpolation == Interpolation::kLineSearch || interpolation == Interpolation::kLearnedLineSearch;
}

/// Which policy is followed to create the examples of an iteration.
enum class RollIn {
  kMixture,    ///< SEARN: the current mixture
  kAggregate,  ///< DAgger: the last classifier; examples of earlier iterations are kept
};

struct SearnOptions {
  int iterations = 5;  ///< the largest number of iterations
  /// For β < 1 or a line search: continues as long as the policy depends on π, beyond `iterations` if need
  /// be, up to kMostUntilIndependent. A line search makes at least `iterations` iterations.
  bool until_independent = false;
  Interpolation interpolation = Interpolation::kConstant;
  double beta = 1;
  ExampleOptions examples;
  RollIn roll_in = RollIn::kMixture;
  /// If greater than 1, the number of classifiers trained in each iteration, each without one part of the
  /// data. Paths through an instance then follow a classifier that was not trained on it, so they look like
  /// those on new data (section 7).
  int folds = 1;
  /// Training ends when the probability that π is used at all on a path, at most T·(1−β)^n (Lemma 2), falls
  /// below this.
  double dependence = 0.01;
  uint64_t seed = 1;
};

/// The analytic β and number of iterations for paths of at most T actions.
struct AnalyticChoice {
  double beta = 1;
  double iterations = 1;  ///< 2T³ ln T
};
inline AnalyticChoice analytic_choice(size_t longest) {
  const double T = static_cast<double>(std::max<size_t>(longest, 2));
  return {1 / (T * T * T), std::ceil(2 * T * T * T * std::log(T))};
}
/// More iterations than this are refused: each is a pass over the data and one more classifier in the model.
inline constexpr double kMostIterations = 2000;
inline constexpr int kMostUntilIndependent = 100;

/// What is known before the first iteration.
struct SearnPlan {
  double beta = 1;
  int at_most = 1;     ///< the largest number of iterations
  int expected = 1;    ///< the number of iterations, unless development data end training earlier
  size_t longest = 0;  ///< length of the longest path under π; 0 if it is not needed
};

/// What is known at the end of an iteration.
struct SearnRound {
  int number = 0;
  double beta = 1;
  double oracle_share = 0;  ///< share of π in the current mixture
  size_t examples = 0;
  /// The mixture without π, renormalised.
  const Mixture& policy;
};

/// Learns a classifier from examples. `without` is the fold to leave out, or −1 for none.
template <typename S>
using LearnClassifier =
    std::function<Result<std::shared_ptr<Scorer>>(const Examples<S>& examples, int iteration, int without)>;

struct SearnHooks {
  /// Called once, before training begins. May be null.
  std::function<void(const SearnPlan&)> planned;
  /// The score of a policy on the development set; higher is better. Required by a line search, which hands
  /// it mixtures with π (kLineSearch; mean_loss() can follow them) or without.
  std::function<double(const Mixture&)> dev_score;
  /// The policy that creates the examples of the first iteration, in place of π; null: π does. For a model
  /// that is trained further.
  std::shared_ptr<Scorer> start;
  /// Called after each iteration; returns false to end training. May be null.
  std::function<bool(const SearnRound&)> round_ended;
};

/// The length of the longest path of any instance under π. Errors name the instance, counted from 1, whose
/// functions break their contract.
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

/// The mean loss of a mixture that may contain π, followed once through every instance. Draws depend on the
/// seed alone, so that mixtures are compared under the same ones. Errors name the instance, counted from 1.
template <Problem P>
Result<double> mean_loss(const P& problem, const Mixture& mixture, uint64_t seed) {
  double sum = 0;
  for (size_t i = 0; i < problem.size(); ++i) {
    const auto space = problem.space(i);
    mixture.begin(problem.blocks(i));
    const auto goal = RollOuts(space, mixture, Random(seed).split(i)).goal_from(space.initial(), 0);
    if (!goal.ok()) return fail("instance {}: {}", i + 1, goal.error().message);
    sum += space.loss(*goal);
  }
  return sum / static_cast<double>(std::max<size_t>(1, problem.size()));
}

/// Refuses values out of range and options that contradict each other.
inline Status check_options(const SearnOptions& options) {
  if (!(options.beta > 0 && options.beta <= 1))
    return fail("beta is {}, wanted a number above 0 and at most 1", options.beta);
  if (options.iterations < 1) return fail("iterations is {}, wanted at least 1", options.iterations);
  if (options.examples.samples < 1) return fail("samples is {}, wanted at least 1", options.examples.samples);
  if (options.roll_in == RollIn::kAggregate &&
      (options.beta < 1 || options.interpolation != Interpolation::kConstant))
    return fail(
        "roll-in=aggregate follows only the last classifier, so it requires beta=1 and "
        "interpolation=constant");
  return {};
}

/// Determines β and the number of iterations.
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
          "the analytic beta is 1/T³ = {:.3g} for paths of T = {} actions and needs 2T³ ln T = {:.0f} "
          "iterations; more than {} are refused. Use beta=NUMBER or a line search on the development set",
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

/// The fold that an instance belongs to.
inline int fold_of(size_t instance, int folds) {
  return static_cast<int>(instance % static_cast<size_t>(folds));
}
/// The examples of the other folds. The array of costs is left unchanged.
template <typename State>
ExamplesOf<State> without_fold(ExamplesOf<State> examples, int fold, int folds) {
  std::erase_if(examples.list, [&](const auto& e) { return fold_of(e.instance, folds) == fold; });
  return examples;
}

/// SEARN (Figure 1). Returns the policy of the last iteration without π, renormalised; with β = 1 this is the
/// last classifier. Errors name the instance, counted from 1, whose functions break their contract.
template <Problem P>
Result<Mixture> searn(const P& problem, const SearnOptions& options,
                      const LearnClassifier<typename P::Space>& learn, const SearnHooks& hooks,
                      const Monitor& monitor) {
  using Space = typename P::Space;
  const bool line_search = searches_beta(options.interpolation);
  if (line_search && !hooks.dev_score) return fail("a line search for beta needs a development set");
  ESPALIER_ASSIGN(const SearnPlan plan, plan_searn(problem, options));
  if (hooks.planned) hooks.planned(plan);

  const int folds = std::max(1, options.folds);
  Mixture mixture;  // trained on all instances
  if (hooks.start) mixture.interpolate(hooks.start, 1);
  std::vector<Mixture> held_out(folds, mixture);  // by fold; used if folds > 1
  Examples<Space> examples;
  for (int n = 1; n <= plan.at_most; ++n) {
    if (options.roll_in == RollIn::kMixture) examples.clear();
    for (uint32_t i = 0; i < problem.size(); ++i) {
      if (monitor.stop_requested()) break;
      const Space space = problem.space(i);
      const Mixture& walker = folds > 1 ? held_out[static_cast<size_t>(fold_of(i, folds))] : mixture;
      walker.begin(problem.blocks(i));
      const Random stream = Random(options.seed).split(static_cast<uint64_t>(n)).split(i);
      const Status added = add_examples(space, i, walker, stream, options.examples, examples);
      if (!added.ok()) return fail("instance {}: {}", i + 1, added.error().message);
    }
    if (monitor.stop_requested() && n > 1) break;  // stopping waits for the first classifier
    // The examples are made, and with β = 1 nothing of the policy that made them will be left: its weights
    // make room for those of the next one.
    if (options.interpolation == Interpolation::kConstant && plan.beta == 1 && folds == 1) {
      mixture = Mixture();
      held_out.front() = Mixture();
    }
    ESPALIER_ASSIGN(std::shared_ptr<Scorer> classifier, learn(examples, n, -1));
    double chosen = plan.beta;
    if (line_search) {
      double best = -std::numeric_limits<double>::infinity();
      for (int step = 10; step >= 1; --step) {
        Mixture trial = mixture;
        trial.interpolate(classifier, step / 10.0);
        const double score = hooks.dev_score(
            options.interpolation == Interpolation::kLineSearch ? trial : trial.without_oracle());
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
    // With β = 1, also chosen by a line search, π is gone after one iteration; the remaining iterations are
    // policy iteration and all of them are made. With smaller β, training ends as soon as π no longer
    // matters.
    const bool independent = static_cast<double>(plan.longest) * mixture.oracle_share() < options.dependence;
    const bool may_end = line_search ? options.until_independent && n >= options.iterations
                                     : options.interpolation == Interpolation::kConstant && plan.beta < 1;
    if (independent && may_end) break;
  }
  return mixture.without_oracle();
}

}  // namespace espalier::search

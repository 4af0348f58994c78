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
#include "espalier/search/policy.h"

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
  int iterations = 5;
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

/// The bound of Theorem 2: L(π) + 2T ℓ_avg ln T + (1 + ln T) c_max / T.
inline double theorem_2_bound(double oracle_loss, double T, double average_loss, double largest_loss) {
  return oracle_loss + 2 * T * average_loss * std::log(T) + (1 + std::log(T)) * largest_loss / T;
}
/// The bound of Lemma 1: L(h) + Tβ ℓ + ½ β² T² c_max.
inline double lemma_1_bound(double loss, double T, double beta, double cost_sensitive, double largest_loss) {
  return loss + T * beta * cost_sensitive + 0.5 * beta * beta * T * T * largest_loss;
}

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
  /// Score of a policy without π on the development set, higher is better; needed by the line search.
  std::function<double(const Mixture&)> dev_score;
  /// Called after each iteration; false ends training. May be null.
  std::function<bool(const SearnRound&)> round_ended;
};

/// The longest path of any instance under π.
template <Problem P>
size_t longest_path(const P& problem) {
  size_t longest = 0;
  std::vector<Action> actions;
  std::vector<float> scores;
  for (size_t i = 0; i < problem.size(); ++i) {
    const auto space = problem.space(i);
    auto state = space.initial();
    size_t length = 0;
    for (; !space.is_goal(state); ++length)
      state = space.apply(state, act(space, state, Mixture(), Mixture::kOracle, actions, scores));
    longest = std::max(longest, length);
  }
  return longest;
}

/// Which fold an instance is in.
inline int fold_of(size_t instance, int folds) {
  return static_cast<int>(instance % static_cast<size_t>(folds));
}

/// Figure 1. Returns the policy of the last iteration, without π and renormalised: with β = 1 the last
/// classifier. Errors name the instance (from 1) whose functions misbehave.
template <Problem P>
Result<Mixture> searn(const P& problem, const SearnOptions& options,
                      const LearnClassifier<typename P::Space>& learn, const SearnHooks& hooks,
                      const Monitor& monitor) {
  using Space = typename P::Space;
  if (!(options.beta > 0 && options.beta <= 1))
    return fail("beta is {}, wanted a number above 0, at most 1", options.beta);
  const size_t longest = longest_path(problem);
  int iterations = options.iterations;
  double beta = options.beta;
  if (options.interpolation == Interpolation::kAnalytic) {
    const AnalyticChoice choice = analytic_choice(longest);
    if (choice.iterations > kMostIterations)
      return fail(
          "the analytical beta is 1/T³ = {:.3g} with T = {} actions, and takes 2T³ ln T = {:.0f} iterations; "
          "more than {} are refused (beta=NUMBER or a line search on the development set are the practical "
          "choices)",
          choice.beta, longest, choice.iterations, kMostIterations);
    beta = choice.beta;
    iterations = static_cast<int>(choice.iterations);
  }
  if (options.interpolation == Interpolation::kLineSearch && !hooks.dev_score)
    return fail("a line search for beta needs a development set");

  const int folds = std::max(1, options.folds);
  Mixture mixture;                       // trained on everything
  std::vector<Mixture> held_out(folds);  // by fold; used where folds > 1
  Examples<Space> examples;
  double chance_of_oracle = static_cast<double>(longest);
  for (int n = 1; n <= iterations; ++n) {
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
    double chosen = options.roll_in == RollIn::kAggregate ? 1.0 : beta;
    if (options.interpolation == Interpolation::kLineSearch) {
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
    chance_of_oracle = static_cast<double>(longest) * mixture.oracle_share();
    const Mixture policy = mixture.without_oracle();
    if (hooks.round_ended &&
        !hooks.round_ended({n, chosen, mixture.oracle_share(), examples.list.size(), policy}))
      break;
    if (monitor.stop_requested()) break;
    // With β = 1 π is gone after one iteration, and the rest is policy iteration for as long as was asked;
    // smaller steps end when π no longer matters.
    if (beta < 1 && options.interpolation == Interpolation::kConstant &&
        chance_of_oracle < options.dependence)
      break;
  }
  return mixture.without_oracle();
}

}  // namespace espalier::search

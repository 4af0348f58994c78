// Cost-sensitive examples, which SEARN makes from structured ones: add_examples() follows the current policy
// through an instance and records each state with the cost of every action. The Problem concept, a training
// set of search spaces, is defined here too. Header only; tested in roll_out_test.cc and searn_test.cc.
#pragma once

#include <cmath>
#include <concepts>
#include <memory>
#include <vector>

#include "espalier/base/progress.h"
#include "espalier/search/easiest_walk.h"
#include "espalier/search/policy/policy.h"
#include "espalier/search/roll_out.h"

namespace espalier::search {

/// A training set: one search space per instance. Spaces are cheap to make and made when needed.
template <typename P>
concept Problem = TrainingSpace<typename P::Space> && requires(const P& problem, size_t i) {
  { problem.size() } -> std::convertible_to<size_t>;
  { problem.space(i) } -> std::same_as<typename P::Space>;
  { problem.blocks(i) } -> std::same_as<StaticBlocks>;
};

/// Reports the progress of a pass over the given number of instances, a hundred times per pass.
class PassProgress {
 public:
  explicit PassProgress(size_t instances) : instances_(instances) {}
  /// Call before each instance; passes count from 1.
  void report(const Monitor& monitor, int pass, int passes) {
    constexpr size_t kReports = 100;
    const size_t at = seen_++;
    if (at * kReports / instances_ == (at + 1) * kReports / instances_) return;
    monitor.report(pass_progress(pass, passes, static_cast<double>(at) / static_cast<double>(instances_)));
  }

 private:
  size_t instances_, seen_ = 0;
};

/// One example per state on a path: the state itself (computing its features again is cheaper than storing
/// them) and the cost of each action, in the order of example_actions(). Costs are regrets: the least cost is
/// 0.
template <typename State>
struct ExamplesOf {
  struct Example {
    uint32_t instance;
    uint64_t first_cost;  ///< index of its first cost
    State state;
  };
  std::vector<Example> list;  ///< ordered by instance, then along the path
  std::vector<float> costs;
  /// Keeps the memory, since the next iteration makes about as many examples.
  void clear() {
    list.clear();
    costs.clear();
  }
};

/// Spaces that differ only in their oracle share this type, and with it all that learns from examples.
template <SearchSpace S>
using Examples = ExamplesOf<typename S::State>;

/// How the expected loss of an action is estimated (section 3.2.2).
enum class CostEstimate {
  kOptimal,  ///< the loss of the best completion, as if π were followed from there
  kSample,   ///< mean over paths sampled from the current policy; all actions use the same random numbers
};

struct ExampleOptions {
  CostEstimate estimate = CostEstimate::kOptimal;
  int samples = 1;
  /// kSample: the probability of following π instead of the policy, as in LOLS.
  double oracle_share = 0;
  /// The first state of a path and from there, with a drawn start, every n-th are examples. For long paths
  /// whose states differ little.
  size_t every = 1;
};

/// The actions that an example is about: all actions of its state. With separate candidates, only those of
/// fresh ones; the others have not changed since they last were an example.
template <SearchSpace S>
void example_actions(const S& space, const typename S::State& state, std::vector<Action>& actions) {
  if constexpr (HasSeparateCandidates<S>) {
    std::vector<uint32_t> candidates;
    fresh_actions(space, state, candidates, actions);
  } else {
    actions.clear();
    space.actions(state, actions);
  }
}

/// Follows the mixture through one instance and appends an example for every state on the path (or every
/// n-th). Visits O(T) states and computes O(T·L) costs with the optimal estimate; RollOuts states the cost of
/// sampling. Errors say how the task's functions break their contract.
template <TrainingSpace S>
Status add_examples(const S& space, uint32_t instance, const Mixture& mixture, const Random& random,
                    const ExampleOptions& options, Examples<S>& out) {
  std::vector<Action> actions;
  ActScratch scratch;
  std::vector<double> losses;
  std::vector<RollOuts<S>> roll_outs;
  if (options.estimate == CostEstimate::kSample)
    for (int n = 1; n <= options.samples; ++n)
      roll_outs.emplace_back(space, mixture, random.split(static_cast<uint64_t>(n)));
  typename S::State state = space.initial();
  const Random walk = random.split(0);
  [[maybe_unused]] auto easiest = walk_of(space, mixture);
  const size_t first = options.every > 1 ? walk.split(~uint64_t{0}).below(options.every) : 0;
  for (size_t depth = 0; !space.is_goal(state); ++depth) {
    const size_t who = mixture.draw(walk, depth);
    if constexpr (!HasSeparateCandidates<S>)
      if (depth > 0 && depth % options.every != first) {
        ESPALIER_ASSIGN(const Action next, act(space, state, mixture, who, scratch));
        advance(space, state, next);
        continue;
      }
    example_actions(space, state, actions);
    if constexpr (HasSeparateCandidates<S>) {
      if (!labels_exist(space, std::span<const Action>(actions)))
        ESPALIER_TRY(check_actions(space, actions, actions));
    } else {
      // Asked in every state, whichever policy acts, so that no fault of a task goes unnoticed.
      scratch.lists.optimal.clear();
      space.optimal_actions(state, scratch.lists.optimal);
      ESPALIER_TRY(check_actions(space, actions, scratch.lists.optimal));
    }
    losses.assign(actions.size(), 0.0);
    for (size_t i = 0; i < actions.size(); ++i) {
      if (options.estimate == CostEstimate::kOptimal) {
        if constexpr (HasBestLossAfter<S>) {
          losses[i] = space.best_loss_after(state, actions[i]);
        } else {
          losses[i] = space.best_loss(space.apply(state, actions[i]));
        }
      } else {
        const typename S::State next = space.apply(state, actions[i]);
        for (int n = 1; n <= options.samples; ++n) {
          const Random stream = random.split(static_cast<uint64_t>(n));
          if (options.oracle_share > 0 && stream.split(~depth).uniform() < options.oracle_share) {
            losses[i] += static_cast<double>(space.best_loss(next)) / options.samples;
          } else {
            ESPALIER_ASSIGN(const typename S::State goal,
                            roll_outs[static_cast<size_t>(n - 1)].goal_from(next, depth + 1));
            losses[i] += static_cast<double>(space.loss(goal)) / options.samples;
          }
        }
      }
      if (!is_loss(losses[i])) return bad_loss(losses[i], actions[i]);
    }
    if (!actions.empty()) {
      const double least = *std::min_element(losses.begin(), losses.end());
      out.list.push_back({instance, out.costs.size(), state});
      for (const double loss : losses) out.costs.push_back(static_cast<float>(loss - least));
    }
    Action action;
    if constexpr (HasSeparateCandidates<S>) {
      ESPALIER_ASSIGN(action, act(space, state, easiest, who, scratch));
    } else if (who == Mixture::kOracle) {
      action = scratch.lists.optimal[0];
    } else {
      ESPALIER_ASSIGN(action, act(space, state, mixture, who, scratch));
    }
    for (RollOuts<S>& done : roll_outs) done.forget(state, depth);
    advance(space, state, action);
  }
  return {};
}

}  // namespace espalier::search

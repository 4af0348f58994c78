// Cost-sensitive examples: what SEARN makes of structured ones.
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

/// A training set: one search space an instance. Spaces are cheap to make, and not kept.
template <typename P>
concept Problem = TrainingSpace<typename P::Space> && requires(const P& problem, size_t i) {
  { problem.size() } -> std::convertible_to<size_t>;
  { problem.space(i) } -> std::same_as<typename P::Space>;
  { problem.blocks(i) } -> std::same_as<StaticBlocks>;
};

/// Tells how far a pass over so many instances has come, a hundred times on the way.
class Steps {
 public:
  explicit Steps(size_t instances) : instances_(instances) {}
  /// Before each instance; passes count from 1.
  void report(const Monitor& monitor, int pass, int passes) {
    constexpr size_t kReports = 100;
    const size_t at = seen_++;
    if (at * kReports / instances_ == (at + 1) * kReports / instances_) return;
    monitor.report(pass_progress(pass, passes, static_cast<double>(at) / static_cast<double>(instances_)));
  }

 private:
  size_t instances_, seen_ = 0;
};

/// One example for each state on a path: the state itself (features are found again from it, which is cheaper
/// than storing them) and what each of its actions costs, in the order of example_actions(). Costs are
/// regrets: the least is 0.
template <SearchSpace S>
struct Examples {
  struct Example {
    uint32_t instance;
    uint64_t first_cost;  ///< where its costs begin
    typename S::State state;
  };
  std::vector<Example> list;  ///< by instance, along its path
  std::vector<float> costs;
  /// The memory stays: the next iteration makes about as many.
  void clear() {
    list.clear();
    costs.clear();
  }
};

/// How the expected loss of an action is estimated (section 3.2.2).
enum class CostEstimate {
  kOptimal,  ///< the loss of the best completion: as if π were followed from there
  kSample,   ///< mean over paths drawn from the current policy; one path a draw, shared luck
};

struct ExampleOptions {
  CostEstimate estimate = CostEstimate::kOptimal;
  int samples = 1;
  /// kSample: the share of paths that follow π instead, as LOLS has it.
  double oracle_share = 0;
};

/// What an example is about: all actions of its state; where candidates stand apart, those of fresh ones, for
/// the others have not changed since they were examples themselves.
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

/// Follows the mixture through one instance and appends an example for every state on the way. With the
/// optimal estimate that is O(T) states and O(T·L) costs; with sampled ones, see RollOuts. Errors say what
/// the task's functions did wrong.
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
  for (size_t depth = 0; !space.is_goal(state); ++depth) {
    example_actions(space, state, actions);
    if constexpr (HasSeparateCandidates<S>) {
      if (!labels_exist(space, std::span<const Action>(actions)))
        ESPALIER_TRY(check_actions(space, actions, actions));
    } else {
      // Asked for in every state, whoever goes on from here, so that no error of a task stays hidden.
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
          const Random luck = random.split(static_cast<uint64_t>(n));
          if (options.oracle_share > 0 && luck.split(~depth).uniform() < options.oracle_share) {
            losses[i] += static_cast<double>(space.best_loss(next)) / options.samples;
          } else {
            ESPALIER_ASSIGN(const typename S::State goal,
                            roll_outs[static_cast<size_t>(n - 1)].goal_from(next, depth + 1));
            losses[i] += static_cast<double>(space.loss(goal)) / options.samples;
          }
        }
      }
      if (!is_loss(losses[i])) return no_loss(losses[i], actions[i]);
    }
    if (!actions.empty()) {
      const double least = *std::min_element(losses.begin(), losses.end());
      out.list.push_back({instance, out.costs.size(), state});
      for (const double loss : losses) out.costs.push_back(static_cast<float>(loss - least));
    }
    const size_t who = mixture.draw(walk, depth);
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

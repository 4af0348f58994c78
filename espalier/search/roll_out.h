// Roll-outs: from a state to a goal under a mixture of policies. RollOuts::goal_from() follows one sampled
// path and reuses the parts that paths have in common; act() takes a single decision. Header only; tested in
// roll_out_test.cc against exhaustive.h.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "espalier/base/random.h"
#include "espalier/search/policy/policy.h"
#include "espalier/search/task_checks.h"

namespace espalier::search {

/// Buffers reused from decision to decision.
struct ActScratch {
  ActionLists lists;
  std::vector<float> scores;
};

/// The action that member `who` of the mixture takes in a state that is not a goal. Precondition: the mixture
/// has begun this input. Errors say how the task's functions break their contract.
template <TrainingSpace S>
Result<Action> act(const S& space, const typename S::State& state, const Mixture& mixture, size_t who,
                   ActScratch& scratch) {
  if (who == Mixture::kOracle) {
    ESPALIER_TRY(ask_oracle(space, state, scratch.lists));
    return scratch.lists.optimal[0];
  }
  const auto best = best_of(space, mixture.classifier(who), state, scratch.lists.actions, scratch.scores);
  if (best) return best->action;
  scratch.lists.actions.clear();
  space.actions(state, scratch.lists.actions);
  ESPALIER_TRY(check_actions(space, scratch.lists.actions, scratch.lists.actions));
  return fail("free_labels() returns labels that the space does not have");  // only free_labels() is wrong
}

/// A walk for spaces with separate candidates; a null pointer for others.
template <SearchSpace S>
auto walk_of(const S& space, const Mixture& mixture) {
  if constexpr (HasSeparateCandidates<S>) {
    return MixtureWalk<S>(space, mixture);
  } else {
    return nullptr;
  }
}

/// The action that member `who` takes in the next state of a walk.
template <TrainingSpace S>
Result<Action> act(const S& space, const typename S::State& state, MixtureWalk<S>& walk, size_t who,
                   ActScratch& scratch) {
  const bool any = walk.enter(state);
  if (who == Mixture::kOracle) {
    ESPALIER_TRY(ask_oracle(space, state, scratch.lists));
    return scratch.lists.optimal[0];
  }
  if (any) return walk.best_of(who).action;
  scratch.lists.actions.clear();
  space.actions(state, scratch.lists.actions);
  ESPALIER_TRY(check_actions(space, scratch.lists.actions, scratch.lists.actions));
  return fail("a state has actions of candidates that fresh_candidates() never listed");
}

/// Continues from states of one input to goals under a mixture. All paths use the same random numbers: the
/// member that decides at the n-th action from the root (or at level n, if the space has levels) is drawn
/// from stream.split(n). Costs of different actions are therefore compared under the same draws (tied
/// randomness, as in Pegasus).
///
/// If the space has future_key and goal_like, a path is followed only until it reaches a state whose future
/// is known from an earlier path. If features look back a few labels, paths merge after a few decisions, so
/// the roll-outs of all actions of all states of a path take O(T·L) decisions instead of O(T²·L). With
/// separate candidates, each path first scores every candidate and then only those that change.
template <TrainingSpace S>
class RollOuts {
 public:
  using State = typename S::State;
  RollOuts(const S& space, const Mixture& mixture, const Random& stream)
      : space_(space), mixture_(mixture), stream_(stream) {}

  /// The goal reached from a state that has `depth` actions before it.
  Result<State> goal_from(State state, size_t depth) {
    path_.clear();
    [[maybe_unused]] auto easiest = walk_of(space_, mixture_);
    for (; !space_.is_goal(state); ++depth) {
      const size_t now = when(state, depth);
      if constexpr (HasFutureKey<S>) {
        const uint64_t key = space_.future_key(state);
        if (const KnownGoal* before = find(now, key)) {
          state = space_.goal_like(state, before->state, before->goal);
          break;
        }
        path_.push_back({now, key, state});
      }
      const size_t who = mixture_.draw(stream_, now);
      if constexpr (HasSeparateCandidates<S>) {
        ESPALIER_ASSIGN(const Action action, act(space_, state, easiest, who, scratch_));
        state = space_.apply(state, action);
      } else {
        ESPALIER_ASSIGN(const Action action, act(space_, state, mixture_, who, scratch_));
        state = space_.apply(state, action);
      }
    }
    for (Step& step : path_) insert(std::move(step), state);
    return state;
  }

  /// Drops the goals recorded at this depth (or level). Call it when no more paths will begin there.
  void forget(const State& state, size_t depth) { known_goals_.erase(when(state, depth)); }

 private:
  struct Step {
    size_t when;
    uint64_t key;
    State state;
  };
  /// A state on an earlier path, and the goal that path reached.
  struct KnownGoal {
    uint64_t key;
    State state, goal;
  };
  /// The known goals of one depth or level; the oldest is replaced when the list is full.
  struct KnownGoals {
    std::vector<KnownGoal> list;
    size_t oldest = 0;
  };
  /// Policies that look far back may never merge; this bounds the memory per level.
  static constexpr size_t kMostKnownGoals = 32;

  size_t when(const State& state, size_t depth) const {
    if constexpr (HasLevel<S>) {
      return space_.level(state);
    } else {
      return depth;
    }
  }
  const KnownGoal* find(size_t when, uint64_t key) const {
    const auto known = known_goals_.find(when);
    if (known == known_goals_.end()) return nullptr;
    for (const KnownGoal& one : known->second.list)
      if (one.key == key) return &one;
    return nullptr;
  }
  void insert(Step step, const State& goal) {
    KnownGoals& known = known_goals_[step.when];
    if (known.list.size() < kMostKnownGoals) {
      known.list.push_back({step.key, std::move(step.state), goal});
    } else {
      known.list[known.oldest] = {step.key, std::move(step.state), goal};
      known.oldest = (known.oldest + 1) % kMostKnownGoals;
    }
  }

  const S& space_;
  const Mixture& mixture_;
  const Random stream_;
  ActScratch scratch_;
  std::vector<Step> path_;
  std::unordered_map<size_t, KnownGoals> known_goals_;
};

}  // namespace espalier::search

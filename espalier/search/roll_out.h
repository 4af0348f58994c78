// From a state to a goal under a mixture, with what paths have in common followed once.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "espalier/base/random.h"
#include "espalier/search/policy/policy.h"
#include "espalier/search/task_checks.h"

namespace espalier::search {

/// Buffers that live from decision to decision.
struct ActScratch {
  ActionLists lists;
  std::vector<float> scores;
};

/// The action that member `who` of the mixture takes in a state that is no goal. Precondition: the mixture
/// has begun this input. Errors say what the task's functions did wrong.
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
  return fail("a state offers labels that there are not");  // free_labels() alone said so
}

/// A walk through a space whose candidates stand apart; nothing for others.
template <SearchSpace S>
auto walk_of(const S& space, const Mixture& mixture) {
  if constexpr (HasSeparateCandidates<S>) {
    return MixtureWalk<S>(space, mixture);
  } else {
    return nullptr;
  }
}

/// The action that member `who` takes in the state that a walk comes to next.
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
  return fail("a state has actions of candidates that were never fresh");
}

/// Goes on from states of one input to goals under a mixture, all with the same luck: who answers is drawn
/// from split(n) of it at the n-th action from the root, or at level n where the space has levels, so that
/// paths that are compared share their luck (tied randomness, Pegasus).
///
/// Where the space says when two states have the same future, a path is followed until it meets one that was
/// followed before. Roll-outs of all actions of all states of a path then take as many decisions as it takes
/// them to meet, a few each where features look a few labels back: O(T·L) instead of O(T²·L) altogether.
/// Where candidates stand apart, a path costs what changes along it, and a new one what there is to begin
/// with.
template <TrainingSpace S>
class RollOuts {
 public:
  using State = typename S::State;
  RollOuts(const S& space, const Mixture& mixture, const Random& luck)
      : space_(space), mixture_(mixture), luck_(luck) {}

  /// The goal that is reached from a state with `depth` actions behind it.
  Result<State> goal_from(State state, size_t depth) {
    path_.clear();
    [[maybe_unused]] auto easiest = walk_of(space_, mixture_);
    for (; !space_.is_goal(state); ++depth) {
      const size_t now = when(state, depth);
      if constexpr (HasFutureKey<S>) {
        const uint64_t key = space_.future_key(state);
        if (const Meeting* before = find(now, key)) {
          state = space_.goal_like(state, before->state, before->goal);
          break;
        }
        path_.push_back({now, key, state});
      }
      const size_t who = mixture_.draw(luck_, now);
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

  /// No more paths will begin at this state or at others with as many actions behind them.
  void forget(const State& state, size_t depth) { meetings_.erase(when(state, depth)); }

 private:
  struct Step {
    size_t when;
    uint64_t key;
    State state;
  };
  struct Meeting {
    uint64_t key;
    State state, goal;
  };
  struct Shelf {
    std::vector<Meeting> list;
    size_t oldest = 0;
  };
  /// Policies that look far back may never meet; their paths shall not all be kept.
  static constexpr size_t kMostMeetings = 32;

  size_t when(const State& state, size_t depth) const {
    if constexpr (HasLevel<S>) {
      return space_.level(state);
    } else {
      return depth;
    }
  }
  const Meeting* find(size_t when, uint64_t key) const {
    const auto shelf = meetings_.find(when);
    if (shelf == meetings_.end()) return nullptr;
    for (const Meeting& m : shelf->second.list)
      if (m.key == key) return &m;
    return nullptr;
  }
  void insert(Step step, const State& goal) {
    Shelf& shelf = meetings_[step.when];
    if (shelf.list.size() < kMostMeetings) {
      shelf.list.push_back({step.key, std::move(step.state), goal});
    } else {
      shelf.list[shelf.oldest] = {step.key, std::move(step.state), goal};
      shelf.oldest = (shelf.oldest + 1) % kMostMeetings;
    }
  }

  const S& space_;
  const Mixture& mixture_;
  const Random luck_;
  ActScratch scratch_;
  std::vector<Step> path_;
  std::unordered_map<size_t, Shelf> meetings_;
};

/// E[loss] of the mixture from a state on, exactly: every draw is followed. Exponential; for small spaces.
/// Precondition: the task keeps its contract.
template <TrainingSpace S>
double expected_loss(const S& space, const typename S::State& state, const Mixture& mixture) {
  if (space.is_goal(state)) return space.loss(state);
  ActScratch scratch;
  const auto after = [&](size_t who) {
    return expected_loss(space, space.apply(state, act(space, state, mixture, who, scratch).value()),
                         mixture);
  };
  double sum = 0;
  if (mixture.oracle_share() > 0) sum += mixture.oracle_share() * after(Mixture::kOracle);
  for (size_t i = 0; i < mixture.size(); ++i) sum += mixture.share(i) * after(i);
  return sum;
}

}  // namespace espalier::search

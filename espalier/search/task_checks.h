// Checks of the contract that a task's functions must keep (space.h), made by the learners as they use them.
// The errors say which function is wrong, so that someone who writes a task can fix it. A check costs a scan
// of the state's actions. Header only; tested in task_checks_test.cc.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "espalier/base/result.h"
#include "espalier/search/space.h"

namespace espalier::search {

/// Checks the actions of a state that is not a goal, and the oracle's choice among them.
template <TrainingSpace S>
Status check_actions(const S& space, std::span<const Action> actions, std::span<const Action> optimal) {
  if (actions.empty()) return fail("a state that is not a goal has no actions");
  if (optimal.empty()) return fail("the oracle returns no action");
  for (const Action& a : optimal)
    if (std::find(actions.begin(), actions.end(), a) == actions.end())
      return fail("the oracle returns the action (candidate {}, label {}), which is not legal in its state",
                  a.candidate, a.label);
  if (!labels_exist(space, actions))
    return fail("an action has label {}, but there are only {} labels",
                std::max_element(actions.begin(), actions.end(),
                                 [](const Action& a, const Action& b) { return a.label < b.label; })
                    ->label,
                static_cast<size_t>(space.labels()));
  return {};
}

inline bool is_loss(double loss) { return loss >= 0 && std::isfinite(loss); }
inline Error bad_loss(double loss, Action action) {
  if (!std::isfinite(loss))
    return fail("the loss after action (candidate {}, label {}) is not a finite number", action.candidate,
                action.label);
  return fail("the loss after action (candidate {}, label {}) is {}, wanted at least 0", action.candidate,
              action.label, loss);
}

/// Buffers reused from state to state.
struct ActionLists {
  std::vector<Action> actions, optimal;
};

/// Asks the oracle in a state that is not a goal. The optimal actions are then in lists.optimal, the one to
/// imitate first.
template <TrainingSpace S>
Status ask_oracle(const S& space, const typename S::State& state, ActionLists& lists) {
  lists.actions.clear();
  lists.optimal.clear();
  space.optimal_actions(state, lists.optimal);
  if constexpr (HasSeparateCandidates<S>) {
    // Listing all actions of all candidates would take long, and only the one to imitate is needed.
    if (!lists.optimal.empty()) {
      lists.optimal.resize(1);
      space.candidate_actions(state, lists.optimal[0].candidate, lists.actions);
      if (lists.actions.empty())
        return fail("the oracle's candidate {} has no actions", lists.optimal[0].candidate);
      return check_actions(space, lists.actions, lists.optimal);
    }
  }
  space.actions(state, lists.actions);
  return check_actions(space, lists.actions, lists.optimal);
}

}  // namespace espalier::search

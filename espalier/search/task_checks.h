// What goes wrong with a task's own functions, found where learners use them.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "espalier/base/result.h"
#include "espalier/search/space.h"

namespace espalier::search {

/// The actions of a state that is no goal, and the oracle's among them.
template <TrainingSpace S>
Status check_actions(const S& space, std::span<const Action> actions, std::span<const Action> optimal) {
  if (actions.empty()) return fail("a state that is no goal has no actions");
  if (optimal.empty()) return fail("the oracle gives no action");
  for (const Action& a : optimal)
    if (std::find(actions.begin(), actions.end(), a) == actions.end())
      return fail("the oracle gives the action (candidate {}, label {}), which is not legal in its state",
                  a.candidate, a.label);
  if (!labels_exist(space, actions))
    return fail("an action has label {}, there are {}",
                std::max_element(actions.begin(), actions.end(),
                                 [](const Action& a, const Action& b) { return a.label < b.label; })
                    ->label,
                static_cast<size_t>(space.labels()));
  return {};
}

inline bool is_loss(double loss) { return loss >= 0 && std::isfinite(loss); }
inline Error no_loss(double loss, Action action) {
  if (!std::isfinite(loss))
    return fail("the loss after action (candidate {}, label {}) is not a finite number", action.candidate,
                action.label);
  return fail("the loss after action (candidate {}, label {}) is {}, below 0", action.candidate, action.label,
              loss);
}

/// Lists that live from state to state.
struct ActionLists {
  std::vector<Action> actions, optimal;
};

/// What the oracle would do in a state that is no goal, the action to imitate first, in lists.optimal.
template <TrainingSpace S>
Status ask_oracle(const S& space, const typename S::State& state, ActionLists& lists) {
  lists.actions.clear();
  lists.optimal.clear();
  space.optimal_actions(state, lists.optimal);
  if constexpr (HasSeparateCandidates<S>) {
    // All actions of all candidates would be a long list; only the one to imitate is taken.
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

// Search over the states of another search's queue, so that a greedy policy can take back what it did
// (section 3.4.3).
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "espalier/search/space.h"

namespace espalier::search {

/// The abstract space S* of a space S: a state is a queue of at most `width` states of S; an action takes one
/// of them out of it, and puts its children in its place or, where it is a goal, ends the search with it.
/// New children stand in front; what no longer fits falls off the end. The features of taking a state are
/// those of the step that led to it, under the label of that step; the root has none.
template <TrainingSpace S>
class QueueSpace {
 public:
  struct Item {
    typename S::State state;
    typename S::State parent;
    Action action;
    bool is_root;
  };
  struct State {
    std::vector<Item> queue;
    bool finished = false;  ///< then queue[0] is the goal
  };

  QueueSpace(S space, size_t width) : space_(std::move(space)), width_(width) {}
  const S& inner() const { return space_; }

  State initial() const {
    const auto root = space_.initial();
    return {{{root, root, {}, true}}, false};
  }
  bool is_goal(const State& s) const { return s.finished; }
  void actions(const State& s, std::vector<Action>& out) const {
    for (uint32_t i = 0; i < s.queue.size(); ++i) {
      if (!space_.is_goal(s.queue[i].state)) {
        scratch_.clear();
        space_.actions(s.queue[i].state, scratch_);
        if (scratch_.empty() && s.queue.size() > 1) continue;  // a dead end is left where it is
      }
      out.push_back({i, s.queue[i].action.label});
    }
  }
  State apply(const State& s, Action action) const {
    const Item& taken = s.queue[action.candidate];
    if (space_.is_goal(taken.state)) return {{taken}, true};
    State next;
    std::vector<Action> inner_actions;
    space_.actions(taken.state, inner_actions);
    for (const Action& a : inner_actions)
      next.queue.push_back({space_.apply(taken.state, a), taken.state, a, false});
    for (uint32_t i = 0; i < s.queue.size(); ++i)
      if (i != action.candidate) next.queue.push_back(s.queue[i]);
    if (next.queue.size() > width_)
      next.queue.erase(next.queue.begin() + static_cast<ptrdiff_t>(width_), next.queue.end());
    return next;
  }
  size_t labels() const { return space_.labels(); }
  void features(const State& s, uint32_t candidate, FeatureSink& sink) const {
    const Item& item = s.queue[candidate];
    if (!item.is_root) space_.features(item.parent, item.action.candidate, sink);
  }

  double loss(const State& s) const { return space_.loss(s.queue[0].state); }
  double best_loss(const State& s) const {
    double best = space_.best_loss(s.queue[0].state);
    for (const Item& item : s.queue) best = std::min(best, static_cast<double>(space_.best_loss(item.state)));
    return best;
  }
  /// Whatever leaves the best loss within reach.
  void optimal_actions(const State& s, std::vector<Action>& out) const {
    std::vector<Action> all;
    actions(s, all);
    std::vector<double> losses;
    for (const Action& a : all) losses.push_back(best_loss(apply(s, a)));
    const double least = *std::min_element(losses.begin(), losses.end());
    // Of several, the deepest is first in the queue: going on with it ends the search soonest.
    for (size_t i = 0; i < all.size(); ++i)
      if (losses[i] == least && space_.best_loss(s.queue[all[i].candidate].state) == least)
        out.push_back(all[i]);
    for (size_t i = 0; i < all.size() && out.empty(); ++i)
      if (losses[i] == least) out.push_back(all[i]);
  }

 private:
  S space_;
  size_t width_;
  mutable std::vector<Action> scratch_;
};

}  // namespace espalier::search

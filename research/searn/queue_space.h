// QueueSpace: a search over the queue of another search, so that a greedy policy can take back decisions
// (SEARN, section 3.4.3). Each action costs O(width) copies of states. Header only; tested in
// queue_space_test.cc.
#pragma once

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "espalier/base/result.h"
#include "espalier/search/space.h"

namespace espalier::research {

/// The abstract space S* of a space S. A state is a queue of at most `width` states of S. An action takes one
/// of them and replaces it by its children or, if it is a goal, ends the search with it. The queue is ordered
/// by a ranking, which are weights for S (such as a policy trained earlier): the highest sum of scores along
/// the path first; ties go to the older one. States at the end of that order are dropped if the queue is
/// full. Dead ends are not put into the queue.
///
/// The features of taking a state are those of the step that led to it, under the label of that step (the
/// root has none), and kRank: how far the ranking puts it below the first of the queue, a number of at most
/// 0. A policy that uses only kRank always takes the first and is the best-first beam search of the ranking's
/// weights; what it learns in addition is when to do otherwise. Taking an action costs O(width) copies of
/// states. The ranking keeps scratch and must outlive the space.
template <search::TrainingSpace S, search::ScorerOf<S> W>
class QueueSpace {
 public:
  /// The hash of that feature.
  static constexpr uint64_t kRank = 0x71 * 0x9E3779B97F4A7C15ull;

  struct Item {
    typename S::State state;
    typename S::State parent;
    search::Action action;
    double rank = 0;
    uint32_t depth = 0;  ///< number of actions from the root
  };
  struct State {
    std::vector<Item> queue;  ///< best rank first
    bool finished = false;    ///< if true, queue[0] is the goal
  };

  QueueSpace(S space, size_t width, W& ranking)
      : space_(std::move(space)), width_(width), ranking_(&ranking) {
    ESPALIER_CHECK(width > 0);
  }
  const S& inner() const { return space_; }

  State initial() const {
    const auto root = space_.initial();
    State s;
    if (leads_on(root)) s.queue.push_back({root, root, {}, 0, 0});
    return s;
  }
  bool is_goal(const State& s) const { return s.finished; }
  /// The queue is in order of preference.
  void actions(const State& s, std::vector<search::Action>& out) const {
    for (uint32_t i = 0; i < s.queue.size(); ++i) out.push_back({i, s.queue[i].action.label});
  }
  State apply(const State& s, search::Action action) const {
    const Item& taken = s.queue[action.candidate];
    if (space_.is_goal(taken.state)) return {{taken}, true};
    State next;
    for (uint32_t i = 0; i < s.queue.size(); ++i)
      if (i != action.candidate) next.queue.push_back(s.queue[i]);
    inner_actions_.clear();
    space_.actions(taken.state, inner_actions_);
    if (!search::labels_exist(space_, std::span<const search::Action>(inner_actions_)))
      return {};  // the task is faulty
    search::score_actions(space_, *ranking_, taken.state, std::span<const search::Action>(inner_actions_),
                          scores_);
    for (size_t i = 0; i < inner_actions_.size(); ++i) {
      auto child = space_.apply(taken.state, inner_actions_[i]);
      if (leads_on(child))
        next.queue.push_back({std::move(child), taken.state, inner_actions_[i],
                              taken.rank + double{scores_[i]}, taken.depth + 1});
    }
    // Older items come first already, and a stable sort keeps them so if ranks are equal.
    std::stable_sort(next.queue.begin(), next.queue.end(),
                     [](const Item& a, const Item& b) { return a.rank > b.rank; });
    if (next.queue.size() > width_)
      next.queue.erase(next.queue.begin() + static_cast<ptrdiff_t>(width_), next.queue.end());
    return next;
  }
  size_t labels() const { return space_.labels(); }
  void features(const State& s, uint32_t candidate, search::FeatureSink& sink) const {
    const Item& item = s.queue[candidate];
    if (item.depth > 0) space_.features(item.parent, item.action.candidate, sink);
    sink.add(kRank, item.rank - s.queue[0].rank);
  }

  double loss(const State& s) const { return space_.loss(s.queue[0].state); }
  /// Infinite if every state is a dead end.
  double best_loss(const State& s) const {
    double best = std::numeric_limits<double>::infinity();
    for (const Item& item : s.queue) best = std::min(best, static_cast<double>(space_.best_loss(item.state)));
    return best;
  }
  /// Taking a state from which the best loss can be reached and can still be reached afterwards; if pruning
  /// leaves no such state, whatever keeps the smallest loss. The one farthest from the root comes first,
  /// since it ends the search soonest.
  void optimal_actions(const State& s, std::vector<search::Action>& out) const {
    std::vector<search::Action> all;
    actions(s, all);
    std::vector<double> losses;
    for (const search::Action& a : all) losses.push_back(best_loss(apply(s, a)));
    if (all.empty()) return;
    const double least = *std::min_element(losses.begin(), losses.end());
    const size_t before = out.size();
    for (size_t i = 0; i < all.size(); ++i)
      if (losses[i] == least && static_cast<double>(space_.best_loss(s.queue[i].state)) == least)
        out.push_back(all[i]);
    for (size_t i = 0; i < all.size() && out.size() == before; ++i)
      if (losses[i] == least) out.push_back(all[i]);
    std::stable_sort(out.begin() + static_cast<ptrdiff_t>(before), out.end(),
                     [&](search::Action a, search::Action b) {
                       return s.queue[a.candidate].depth > s.queue[b.candidate].depth;
                     });
  }

 private:
  /// Whether the state is a goal or has actions.
  bool leads_on(const typename S::State& state) const {
    if (space_.is_goal(state)) return true;
    leads_.clear();
    space_.actions(state, leads_);
    return !leads_.empty();
  }
  S space_;
  size_t width_;
  W* ranking_;
  mutable std::vector<search::Action> inner_actions_, leads_;
  mutable std::vector<typename W::Value> scores_;
};

}  // namespace espalier::research

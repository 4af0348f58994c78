// The tree of states that a beam search builds: nodes, children that are scored but not yet built, their
// order, and the scratch memory of a search. expand() and keep_best() are the two steps of every beam search
// in decode.h and laso.h. Header only; tested in decode_test.cc.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

#include "espalier/search/space.h"

namespace espalier::search {

inline constexpr uint32_t kNoNode = 0xFFFFFFFF;

/// How a search ended.
enum class Ended {
  kExact,        ///< at a goal proved to have the highest score
  kApproximate,  ///< at a goal; others may have higher scores
  kDeadEnd,      ///< no state in the beam had an action
  kOutOfSteps,   ///< the limit on expansions was reached before a goal
  kNoSuchLabel,  ///< an action had a label outside the space's: the task is faulty
};

/// A state and the action that led to it. Scores add up along the path.
template <SearchSpace S>
struct Node {
  typename S::State state;
  uint32_t parent = kNoNode;
  Action action;  ///< the action that led here from the parent
  double score = 0;
};

template <SearchSpace S>
using Nodes = std::vector<Node<S>>;

/// A child whose state has not been computed yet: most children are dropped, so only the kept ones become
/// nodes.
struct Child {
  uint32_t parent;
  Action action;
  double score;
  uint64_t preference = 0;
};

/// Highest score first; ties go to the larger preference, then (with a stable sort) to the one found first.
inline bool ranks_higher(const Child& a, const Child& b) {
  return a.score != b.score ? a.score > b.score : a.preference > b.preference;
}

/// Children that wait for their level to come. There are few levels at a time.
class WaitingLevels {
 public:
  bool empty() const { return levels_.empty(); }
  void clear() {
    while (!levels_.empty()) drop_lowest();
  }
  std::vector<Child>& at(size_t level) {
    auto place = levels_.end();
    while (place != levels_.begin() && std::prev(place)->first < level) --place;
    if (place != levels_.begin() && std::prev(place)->first == level) return std::prev(place)->second;
    std::vector<Child> fresh;
    if (!spare_.empty()) {
      fresh = std::move(spare_.back());
      spare_.pop_back();
    }
    return levels_.insert(place, {level, std::move(fresh)})->second;
  }
  /// The lowest level, whose children end up in `children`. Precondition: not empty.
  size_t take_lowest(std::vector<Child>& children) {
    std::swap(children, levels_.back().second);
    const size_t level = levels_.back().first;
    drop_lowest();
    return level;
  }

 private:
  void drop_lowest() {
    spare_.push_back(std::move(levels_.back().second));
    spare_.back().clear();
    levels_.pop_back();
  }
  std::vector<std::pair<size_t, std::vector<Child>>> levels_;  ///< highest first
  std::vector<std::vector<Child>> spare_;                      ///< memory to reuse
};

/// Buffers reused from search to search.
template <SearchSpace S, typename Value>
struct SearchScratch {
  Nodes<S> nodes;
  std::vector<Action> actions;
  std::vector<Value> scores;
  std::vector<Child> children;
  std::vector<uint32_t> order;
  std::vector<uint32_t> beam;
  WaitingLevels waiting;
  std::vector<uint32_t> goals;  ///< the goals that a breadth-first search reached, in that order

  /// Forgets the last search. The initial state becomes node 0.
  Nodes<S>& start(const S& space) {
    nodes.clear();
    nodes.push_back({space.initial(), kNoNode, {}, 0});
    return nodes;
  }
};

/// Calls visit(child) for the children of a node. Returns false if an action has a label outside the space's.
template <SearchSpace S, ScorerOf<S> W, typename Visit>
bool visit_children(const S& space, W& scorer, SearchScratch<S, typename W::Value>& scratch, uint32_t node,
                    const Visit& visit) {
  const Node<S>& parent = scratch.nodes[node];
  scratch.actions.clear();
  space.actions(parent.state, scratch.actions);
  if (!labels_exist(space, std::span<const Action>(scratch.actions))) return false;
  score_actions(space, scorer, parent.state, scratch.actions, scratch.scores);
  for (size_t i = 0; i < scratch.actions.size(); ++i) {
    Child child{node, scratch.actions[i], parent.score + double{scratch.scores[i]}};
    if constexpr (HasPreference<S>)
      child.preference = space.preference(space.apply(parent.state, child.action));
    visit(child);
  }
  return true;
}

/// Appends the children of a node to `out`. Returns false if an action has a label outside the space's.
template <SearchSpace S, ScorerOf<S> W>
bool expand(const S& space, W& scorer, SearchScratch<S, typename W::Value>& scratch, uint32_t node,
            std::vector<Child>& out) {
  return visit_children(space, scorer, scratch, node, [&](const Child& child) { out.push_back(child); });
}

/// The same for a search that keeps the `width` best children of a level: others may be left out, and
/// `complete` becomes false if any are.
template <SearchSpace S, ScorerOf<S> W>
bool expand_best(const S& space, W& scorer, SearchScratch<S, typename W::Value>& scratch, uint32_t node,
                 size_t width, std::vector<Child>& out, bool& complete) {
  if constexpr (RankingScorerOf<W, S> && !HasPreference<S>) {
    const Node<S>& parent = scratch.nodes[node];
    scratch.actions.clear();
    scratch.scores.clear();
    if (!scorer.best_actions(space, parent.state, width, scratch.actions, scratch.scores)) complete = false;
    for (size_t i = 0; i < scratch.actions.size(); ++i)
      out.push_back({node, scratch.actions[i], parent.score + double{scratch.scores[i]}});
    return true;
  } else {
    return expand(space, scorer, scratch, node, out);
  }
}

/// Adds the child to the nodes and returns its number.
template <SearchSpace S>
uint32_t make_node(const S& space, Nodes<S>& nodes, const Child& child) {
  nodes.push_back(
      {space.apply(nodes[child.parent].state, child.action), child.parent, child.action, child.score});
  return static_cast<uint32_t>(nodes.size() - 1);
}

/// Up to this width, beams are kept in order child by child; wider ones are sorted.
inline constexpr size_t kNarrowBeam = 32;

/// Adds a child to the best `width` of those that came before it, best first; ties go to those. False if one
/// was dropped: this child or the last.
inline bool add_ranked(const Child& child, size_t width, std::vector<Child>& best) {
  const bool full = best.size() == width;
  if (full && !ranks_higher(child, best.back())) return false;
  if (full) best.pop_back();
  size_t place = best.size();
  while (place > 0 && ranks_higher(child, best[place - 1])) --place;
  best.insert(best.begin() + static_cast<ptrdiff_t>(place), child);
  return !full;
}

/// Puts the indexes of the `width` highest-ranking children first in `order`, best first. `order` may omit
/// the others.
inline void keep_best(const std::vector<Child>& children, size_t width, std::vector<uint32_t>& order) {
  if (width <= kNarrowBeam) {
    // Most children rank below all kept ones, which one comparison shows. Ties go to the one found first.
    order.clear();
    for (uint32_t i = 0; i < children.size(); ++i) {
      if (order.size() == width) {
        if (!ranks_higher(children[i], children[order.back()])) continue;
        order.pop_back();
      }
      size_t place = order.size();
      while (place > 0 && ranks_higher(children[i], children[order[place - 1]])) --place;
      order.insert(order.begin() + static_cast<ptrdiff_t>(place), i);
    }
    return;
  }
  // Sorting indexes keeps ties in the order of discovery without the memory that a stable sort needs.
  order.resize(children.size());
  for (uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  const size_t n = std::min(width, children.size());
  const auto before = [&](uint32_t a, uint32_t b) {
    if (ranks_higher(children[a], children[b])) return true;
    if (ranks_higher(children[b], children[a])) return false;
    return a < b;
  };
  if (n < order.size())
    std::nth_element(order.begin(), order.begin() + static_cast<ptrdiff_t>(n), order.end(), before);
  std::sort(order.begin(), order.begin() + static_cast<ptrdiff_t>(n), before);
}

/// The order of existing nodes: by score, then by preference, then older nodes first.
template <SearchSpace S>
struct NodeOrder {
  const S& space;
  const Nodes<S>& nodes;
  bool operator()(uint32_t a, uint32_t b) const {
    if (nodes[a].score != nodes[b].score) return nodes[a].score > nodes[b].score;
    if constexpr (HasPreference<S>) {
      const uint64_t pa = space.preference(nodes[a].state), pb = space.preference(nodes[b].state);
      if (pa != pb) return pa > pb;
    }
    return a < b;
  }
};

/// Recomputes the score of a node after weights have changed. O(depth).
template <SearchSpace S, ScorerOf<S> W>
void rescore(const S& space, W& scorer, Nodes<S>& nodes, uint32_t node) {
  double score = 0;
  std::vector<typename W::Value> one;
  for (uint32_t n = node; nodes[n].parent != kNoNode; n = nodes[n].parent) {
    score_actions(space, scorer, nodes[nodes[n].parent].state, std::span<const Action>(&nodes[n].action, 1),
                  one);
    score += double{one[0]};
  }
  nodes[node].score = score;
}

/// The actions from the root to a node.
template <SearchSpace S>
std::vector<Action> path_to(const Nodes<S>& nodes, uint32_t node) {
  std::vector<Action> path;
  for (; nodes[node].parent != kNoNode; node = nodes[node].parent) path.push_back(nodes[node].action);
  std::reverse(path.begin(), path.end());
  return path;
}

}  // namespace espalier::search

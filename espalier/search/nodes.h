// The tree that a search has seen so far.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "espalier/search/space.h"

namespace espalier::search {

inline constexpr uint32_t kNoNode = 0xFFFFFFFF;

/// How a search ended.
enum class Ended {
  kExact,        ///< at a goal that is proved to have the highest score
  kApproximate,  ///< at a goal; there may be better ones
  kDeadEnd,      ///< every state that was kept had no action left
  kOutOfSteps,   ///< the horizon was reached before a goal
  kNoSuchLabel,  ///< at an action whose label is none of the space's: its task is at fault
};

/// A state with the way to it. Scores add up along the path.
template <SearchSpace S>
struct Node {
  typename S::State state;
  uint32_t parent = kNoNode;
  Action action;  ///< that led here from the parent
  double score = 0;
};

template <SearchSpace S>
using Nodes = std::vector<Node<S>>;

/// A child that has not been made yet: most of them are never wanted, so the state is only computed for those
/// that are.
struct Child {
  uint32_t parent;
  Action action;
  double score;
  uint64_t preference = 0;
};

/// Highest score first; equals by preference, then in the order in which they were found (stable sorting).
inline bool ranks_higher(const Child& a, const Child& b) {
  return a.score != b.score ? a.score > b.score : a.preference > b.preference;
}

/// Buffers that live from search to search.
template <SearchSpace S, typename Value>
struct SearchScratch {
  Nodes<S> nodes;
  std::vector<Action> actions;
  std::vector<Value> scores;
  std::vector<Child> children;
  std::vector<uint32_t> order;
  std::vector<uint32_t> beam;
  std::vector<uint32_t> goals;  ///< that a breadth-first search came upon, in that order
};

/// Appends the children of a node to `out`. False: an action has a label that there is not.
template <SearchSpace S, ScorerOf<S> W>
bool expand(const S& space, W& scorer, SearchScratch<S, typename W::Value>& scratch, uint32_t node,
            std::vector<Child>& out) {
  const Node<S>& parent = scratch.nodes[node];
  scratch.actions.clear();
  space.actions(parent.state, scratch.actions);
  if (!labels_exist(space, std::span<const Action>(scratch.actions))) return false;
  score_actions(space, scorer, parent.state, scratch.actions, scratch.scores);
  for (size_t i = 0; i < scratch.actions.size(); ++i) {
    Child child{node, scratch.actions[i], parent.score + double{scratch.scores[i]}};
    if constexpr (HasPreference<S>)
      child.preference = space.preference(space.apply(parent.state, child.action));
    out.push_back(child);
  }
  return true;
}

/// Makes the child a node.
template <SearchSpace S>
uint32_t make_node(const S& space, Nodes<S>& nodes, const Child& child) {
  nodes.push_back(
      {space.apply(nodes[child.parent].state, child.action), child.parent, child.action, child.score});
  return static_cast<uint32_t>(nodes.size() - 1);
}

/// The places of the `width` highest ranking children come first in `order`, best first; the others may be
/// missing.
inline void keep_best(const std::vector<Child>& children, size_t width, std::vector<uint32_t>& order) {
  constexpr size_t kNarrow = 32;
  if (width <= kNarrow) {
    // Most children rank below all that are kept, which takes one look. Of equals the first found stays
    // ahead.
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
  // Sorting positions makes the order of equals that of discovery, without a stable sort's memory.
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

/// The order of nodes that exist: by score, then by preference, then older ones first.
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

/// Computes a node's score afresh, after weights have changed. O(depth).
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

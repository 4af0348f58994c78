// Decoders for search spaces: decode_greedily(), decode_breadth_first() and decode_best_first() with a beam.
// Each returns a Found, which says how the search ended. Greedy decoding visits O(T) states for a path of T
// actions, a beam of width b O(b·T). Learners use search_breadth_first() and step_best_first() with an
// observer. Header only; tested in decode_test.cc against exhaustive.h.
#pragma once

#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "espalier/base/result.h"
#include "espalier/search/easiest_walk.h"
#include "espalier/search/nodes.h"
#include "espalier/search/space.h"

namespace espalier::search {

/// The result of a search. Without a goal, `state` is the last state visited.
template <SearchSpace S>
struct Found {
  typename S::State state;
  std::vector<Action> actions;
  double score = 0;
  Ended ended = Ended::kDeadEnd;
  bool reached_goal() const { return ended == Ended::kExact || ended == Ended::kApproximate; }
};

/// Follows the action that best_in(state) returns in each state until a goal is reached or it returns
/// nothing.
template <SearchSpace S, typename BestIn>
Found<S> follow(const S& space, size_t expected, const BestIn& best_in) {
  Found<S> found{space.initial(), {}, 0, Ended::kApproximate};
  found.actions.reserve(expected);
  while (!space.is_goal(found.state)) {
    const auto best = best_in(found.state);
    if (!best) {
      std::vector<Action> actions;
      space.actions(found.state, actions);
      found.ended =
          labels_exist(space, std::span<const Action>(actions)) ? Ended::kDeadEnd : Ended::kNoSuchLabel;
      break;
    }
    found.score += double{best->score};
    found.actions.push_back(best->action);
    advance(space, found.state, best->action);
  }
  return found;
}

/// Takes the best action in every state. Visits O(T) states. `expected` is the number of actions to reserve
/// memory for.
template <SearchSpace S, ScorerOf<S> W>
Found<S> decode_greedily(const S& space, W& scorer, size_t expected = 0) {
  if constexpr (HasSeparateCandidates<S> && RowScorerOf<W, S> && !ActionScorerOf<W, S> && !HasPreference<S>) {
    EasiestWalk<S, W> walk(space, scorer);
    return follow(space, expected, [&](const typename S::State& state) { return walk.best(state); });
  } else {
    std::vector<Action> actions;
    std::vector<typename W::Value> scores;
    return follow(space, expected, [&](const typename S::State& state) {
      return best_of(space, scorer, state, actions, scores);
    });
  }
}

/// What a breadth-first beam search shows its observer after it has pruned a level. `children` holds all
/// children of the level in the order they were found. The first `kept` entries of `order` are the kept ones,
/// best first. They are not nodes yet.
struct Level {
  size_t number;
  std::span<const Child> children;
  std::span<const uint32_t> order;
  size_t kept;
};

/// What the observer decides after a level: continue with the kept children, continue with others, or stop.
struct LevelDecision {
  bool stop = false;
  bool replace = false;
  std::vector<uint32_t> with = {};  ///< indexes into Level::children
};

/// Always continues with the kept children.
struct NoObserver {
  LevelDecision operator()(const Level&) const { return {}; }
};

/// Breadth-first beam search: keeps and expands the `width` best children of each level. In a space with
/// level(s), levels are visited in ascending order and only states of the same level compete. Goals compete
/// within their level; those that are kept are recorded and not expanded. The result is the recorded goal
/// with the highest score.
///
/// The observer is called once per level. `scratch.nodes` then holds the tree, with the root as node 0;
/// learners use this to see what the beam keeps. Returns the node of the goal, or kNoNode and the reason. The
/// result is exact if no child was ever dropped. All goals are in `scratch.goals`. Precondition: width > 0.
template <SearchSpace S, ScorerOf<S> W, typename Observer>
std::pair<uint32_t, Ended> search_breadth_first(const S& space, W& scorer, size_t width,
                                                SearchScratch<S, typename W::Value>& scratch,
                                                Observer&& observer) {
  ESPALIER_CHECK(width > 0);
  Nodes<S>& nodes = scratch.start(space);
  uint32_t best = kNoNode;
  bool complete = true;
  scratch.goals.clear();
  const auto put_aside = [&](uint32_t node) {
    if (!space.is_goal(nodes[node].state)) return false;
    scratch.goals.push_back(node);
    if (best == kNoNode || nodes[node].score > nodes[best].score) best = node;
    return true;
  };
  if (put_aside(0)) return {0, Ended::kExact};
  scratch.beam.assign(1, 0);

  if constexpr (!HasLevel<S>) {
    std::vector<uint32_t>& beam = scratch.beam;
    for (size_t level = 1; !beam.empty(); ++level) {
      scratch.children.clear();
      for (const uint32_t node : beam)
        if (!expand(space, scorer, scratch, node, scratch.children)) return {kNoNode, Ended::kNoSuchLabel};
      if (scratch.children.empty()) break;
      keep_best(scratch.children, width, scratch.order);
      const size_t kept = std::min(width, scratch.children.size());
      LevelDecision next = observer(Level{level, scratch.children, scratch.order, kept});
      complete = complete && kept == scratch.children.size() && !next.stop && !next.replace;
      if (next.stop) break;
      beam.clear();
      const auto take = [&](uint32_t index) {
        const uint32_t node = make_node(space, nodes, scratch.children[index]);
        if (!put_aside(node)) beam.push_back(node);
      };
      if (next.replace) {
        for (const uint32_t index : next.with) take(index);
        // The weights may have changed. A single node's outdated score shifts all its descendants equally and
        // does no harm; several nodes must be made comparable again.
        if (beam.size() > 1)
          for (const uint32_t node : beam) rescore(space, scorer, nodes, node);
      } else {
        for (size_t i = 0; i < kept; ++i) take(scratch.order[i]);
      }
    }
  } else {
    // Without an observer nobody sees the children that are not kept, so they are dropped as they come.
    constexpr bool kAlone = std::is_same_v<std::remove_cvref_t<Observer>, NoObserver>;
    WaitingLevels& waiting = scratch.waiting;
    waiting.clear();
    const auto expand_into_levels = [&](uint32_t node) {
      // Children of the same level follow each other: the actions of a candidate are adjacent.
      std::vector<Child>* same = nullptr;
      size_t last = 0;
      const auto put = [&](const Child& child) {
        size_t level = 0;
        if constexpr (HasLevelAfter<S>) {
          level = space.level_after(nodes[node].state, child.action);
        } else {
          level = space.level(space.apply(nodes[node].state, child.action));
        }
        if (same == nullptr || level != last) same = &waiting.at(level);
        last = level;
        if (kAlone && width <= kNarrowBeam) {
          if (!add_ranked(child, width, *same)) complete = false;
        } else {
          same->push_back(child);
        }
      };
      if constexpr (!kAlone) return visit_children(space, scorer, scratch, node, put);
      scratch.children.clear();
      if (!expand_best(space, scorer, scratch, node, width, scratch.children, complete)) return false;
      for (const Child& child : scratch.children) put(child);
      return true;
    };
    std::vector<Child> children;
    if (!expand_into_levels(0)) return {kNoNode, Ended::kNoSuchLabel};
    while (!waiting.empty()) {
      const size_t level = waiting.take_lowest(children);
      keep_best(children, width, scratch.order);
      const size_t kept = std::min(width, children.size());
      LevelDecision next = observer(Level{level, children, scratch.order, kept});
      complete = complete && kept == children.size() && !next.stop && !next.replace;
      if (next.stop) break;
      if (next.replace) {
        waiting.clear();  // children waiting on later levels are dropped too
        scratch.order.assign(next.with.begin(), next.with.end());
      } else {
        scratch.order.resize(kept);
      }
      scratch.beam.assign(scratch.order.begin(), scratch.order.end());
      for (const uint32_t index : scratch.beam) {
        const uint32_t node = make_node(space, nodes, children[index]);
        if (next.replace && scratch.beam.size() > 1) rescore(space, scorer, nodes, node);
        if (!put_aside(node) && !expand_into_levels(node)) return {kNoNode, Ended::kNoSuchLabel};
      }
    }
  }
  return {best, best == kNoNode ? Ended::kDeadEnd : complete ? Ended::kExact : Ended::kApproximate};
}

template <SearchSpace S>
Found<S> found_at(const Nodes<S>& nodes, uint32_t node, Ended ended) {
  if (node == kNoNode) return {nodes.back().state, {}, 0, ended};
  return {nodes[node].state, path_to(nodes, node), nodes[node].score, ended};
}

template <SearchSpace S, ScorerOf<S> W>
Found<S> decode_breadth_first(const S& space, W& scorer, size_t width,
                              SearchScratch<S, typename W::Value>& scratch) {
  const auto [node, ended] = search_breadth_first(space, scorer, width, scratch, NoObserver());
  return found_at(scratch.nodes, node, ended);
}
template <SearchSpace S, ScorerOf<S> W>
Found<S> decode_breadth_first(const S& space, W& scorer, size_t width) {
  SearchScratch<S, typename W::Value> scratch;
  return decode_breadth_first(space, scorer, width, scratch);
}

/// One step of a best-first beam search. Replaces the first node of `beam`, which is the best one, by its
/// children (by nothing if it is a goal). `candidates` becomes the resulting list, `beam` its `width` best;
/// both are sorted, best first. Returns false if an action has a label outside the space's.
template <SearchSpace S, ScorerOf<S> W>
bool step_best_first(const S& space, W& scorer, size_t width, SearchScratch<S, typename W::Value>& scratch,
                     std::vector<uint32_t>& beam, std::vector<uint32_t>& candidates) {
  Nodes<S>& nodes = scratch.nodes;
  const uint32_t top = beam.front();
  candidates.assign(beam.begin() + 1, beam.end());
  if (!space.is_goal(nodes[top].state)) {
    scratch.children.clear();
    if (!expand(space, scorer, scratch, top, scratch.children)) return false;
    for (const Child& child : scratch.children) candidates.push_back(make_node(space, nodes, child));
  }
  std::sort(candidates.begin(), candidates.end(), NodeOrder<S>{space, nodes});
  const size_t kept = std::min(width, candidates.size());
  beam.assign(candidates.begin(), candidates.begin() + static_cast<ptrdiff_t>(kept));
  return true;
}

/// Best-first beam search: in each step the best node of the beam is replaced by its children and the beam is
/// pruned to `width`. Ends when the best node is a goal, or after `horizon` expansions. The observer sees the
/// nodes of the beam after each step. Precondition: width > 0.
template <SearchSpace S, ScorerOf<S> W, typename Observer>
std::pair<uint32_t, Ended> search_best_first(const S& space, W& scorer, size_t width, size_t horizon,
                                             SearchScratch<S, typename W::Value>& scratch,
                                             Observer&& observer) {
  ESPALIER_CHECK(width > 0);
  Nodes<S>& nodes = scratch.start(space);
  std::vector<uint32_t>& beam = scratch.beam;
  beam.assign(1, 0);
  std::vector<uint32_t> candidates;
  for (size_t step = 0; !beam.empty(); ++step) {
    const uint32_t top = beam.front();
    if (space.is_goal(nodes[top].state)) return {top, Ended::kApproximate};
    if (step == horizon) return {kNoNode, Ended::kOutOfSteps};
    if (!step_best_first(space, scorer, width, scratch, beam, candidates))
      return {kNoNode, Ended::kNoSuchLabel};
    observer(std::span<const uint32_t>(beam));
  }
  return {kNoNode, Ended::kDeadEnd};
}

inline constexpr size_t kNoHorizon = std::numeric_limits<size_t>::max();

template <SearchSpace S, ScorerOf<S> W>
Found<S> decode_best_first(const S& space, W& scorer, size_t width, size_t horizon = kNoHorizon) {
  SearchScratch<S, typename W::Value> scratch;
  const auto [node, ended] =
      search_best_first(space, scorer, width, horizon, scratch, [](std::span<const uint32_t>) {});
  return found_at(scratch.nodes, node, ended);
}

}  // namespace espalier::search

// Ways through a search space: greedy, breadth-first beam, best-first beam, and all of it for tests.
#pragma once

#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "espalier/base/result.h"
#include "espalier/search/easiest_walk.h"
#include "espalier/search/nodes.h"
#include "espalier/search/space.h"

namespace espalier::search {

/// Where a search ended and how it got there. Without a goal, `state` is the last one that was looked at.
template <SearchSpace S>
struct Found {
  typename S::State state;
  std::vector<Action> actions;
  double score = 0;
  Ended ended = Ended::kDeadEnd;
  bool reached_goal() const { return ended == Ended::kExact || ended == Ended::kApproximate; }
};

/// The path on which every state gets the action that best_in(state) has for it, if any.
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

/// The best action of every state in turn. O(T) states; room is made for as many as are expected.
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

/// What a breadth-first beam search shows its observer after each level has been cut down.
/// `children` are all candidates of the level in the order they were found; the first `kept` entries of
/// `order` are those that were kept, best first. They are not nodes yet.
struct Level {
  size_t number;
  std::span<const Child> children;
  std::span<const uint32_t> order;
  size_t kept;
};

/// What to do after a level: go on with what was kept, go on with other children, or end here.
struct GoOn {
  bool stop = false;
  bool replace = false;
  std::vector<uint32_t> with = {};  ///< indexes into Level::children
};

/// Lets every level be.
struct NoObserver {
  GoOn operator()(const Level&) const { return {}; }
};

/// Breadth-first beam search: of all candidates of a level, the `width` best are kept and expanded. With
/// level(s), levels are visited in ascending order, and only states of the same one compete. Goals are put
/// aside as they come up (they take part in their level's competition); the best of them is the result.
///
/// The observer is called for each level, which is how learners look over a search's shoulder;
/// `scratch.nodes` then holds the tree, and node 0 is the root. Returns the goal's node, or kNoNode and why;
/// the result is exact where no candidate was ever left out. All goals are in `scratch.goals`.
/// Precondition: width > 0.
template <SearchSpace S, ScorerOf<S> W, typename Observer>
std::pair<uint32_t, Ended> search_breadth_first(const S& space, W& scorer, size_t width,
                                                SearchScratch<S, typename W::Value>& scratch,
                                                Observer&& observer) {
  ESPALIER_CHECK(width > 0);
  Nodes<S>& nodes = scratch.nodes;
  nodes.clear();
  nodes.push_back({space.initial(), kNoNode, {}, 0});
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
      GoOn next = observer(Level{level, scratch.children, scratch.order, kept});
      complete = complete && kept == scratch.children.size() && !next.stop && !next.replace;
      if (next.stop) break;
      beam.clear();
      const auto take = [&](uint32_t index) {
        const uint32_t node = make_node(space, nodes, scratch.children[index]);
        if (!put_aside(node)) beam.push_back(node);
      };
      if (next.replace) {
        for (const uint32_t index : next.with) take(index);
        // One node's stale score shifts all its descendants alike; several must be made comparable again.
        if (beam.size() > 1)
          for (const uint32_t node : beam) rescore(space, scorer, nodes, node);
      } else {
        for (size_t i = 0; i < kept; ++i) take(scratch.order[i]);
      }
    }
  } else {
    std::map<size_t, std::vector<Child>> waiting;
    const auto expand_into_levels = [&](uint32_t node) {
      scratch.children.clear();
      if (!expand(space, scorer, scratch, node, scratch.children)) return false;
      for (const Child& child : scratch.children)
        waiting[space.level(space.apply(nodes[node].state, child.action))].push_back(child);
      return true;
    };
    if (!expand_into_levels(0)) return {kNoNode, Ended::kNoSuchLabel};
    while (!waiting.empty()) {
      const auto first = waiting.begin();
      const size_t level = first->first;
      std::vector<Child> children = std::move(first->second);
      waiting.erase(first);
      keep_best(children, width, scratch.order);
      const size_t kept = std::min(width, children.size());
      GoOn next = observer(Level{level, children, scratch.order, kept});
      complete = complete && kept == children.size() && !next.stop && !next.replace;
      if (next.stop) break;
      if (next.replace) {
        waiting.clear();  // what was kept so far is given up, on later levels too
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

/// One step of a best-first beam search: the first node of `beam`, its best, is replaced by its children (by
/// nothing where it is a goal), and of what is then there, the `candidates`, the `width` best are the new
/// beam; both best first. False: an action has a label that there is not.
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

/// Best-first beam search: the best node of the beam is replaced by its children, then the beam is cut down
/// to `width`. Ends when the best node is a goal, or after `horizon` expansions. The observer is shown the
/// nodes of the beam after each step.
/// Precondition: width > 0.
template <SearchSpace S, ScorerOf<S> W, typename Observer>
std::pair<uint32_t, Ended> search_best_first(const S& space, W& scorer, size_t width, size_t horizon,
                                             SearchScratch<S, typename W::Value>& scratch,
                                             Observer&& observer) {
  ESPALIER_CHECK(width > 0);
  Nodes<S>& nodes = scratch.nodes;
  nodes.clear();
  nodes.push_back({space.initial(), kNoNode, {}, 0});
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

/// The goal of the highest score, by looking at every path: for tests and small spaces. Gives up, as
/// kOutOfSteps, after `budget` nodes.
template <SearchSpace S, ScorerOf<S> W>
Found<S> decode_exhaustively(const S& space, W& scorer, size_t budget = 1'000'000) {
  SearchScratch<S, typename W::Value> scratch;
  Nodes<S>& nodes = scratch.nodes;
  nodes.push_back({space.initial(), kNoNode, {}, 0});
  uint32_t best = kNoNode;
  for (uint32_t next = 0; next < nodes.size(); ++next) {
    if (space.is_goal(nodes[next].state)) {
      if (best == kNoNode || nodes[next].score > nodes[best].score) best = next;
      continue;
    }
    scratch.children.clear();
    if (!expand(space, scorer, scratch, next, scratch.children))
      return found_at(nodes, kNoNode, Ended::kNoSuchLabel);
    if (nodes.size() + scratch.children.size() > budget) return found_at(nodes, kNoNode, Ended::kOutOfSteps);
    for (const Child& child : scratch.children) make_node(space, nodes, child);
  }
  return found_at(nodes, best, best == kNoNode ? Ended::kDeadEnd : Ended::kExact);
}

}  // namespace espalier::search

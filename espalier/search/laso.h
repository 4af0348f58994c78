// Learners that update weights while a beam search runs, whenever the beam loses the target:
// learn_breadth_first() (LaSO-BR), learn_best_first() (LaSO-BST and the original LaSO) and
// learn_incrementally() (the incremental perceptron with early or max-violation updates);
// learn_while_searching() calls the one that is asked for. Each handles one
// instance and costs one beam search plus its updates; passes.h runs them over a training set. They use the
// optimal actions of the task, never its losses. Header only; tested in laso_test.cc.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <queue>
#include <span>
#include <utility>
#include <vector>

#include "espalier/search/decode.h"
#include "espalier/search/nodes.h"
#include "espalier/search/space.h"
#include "espalier/search/task_checks.h"

namespace espalier::search {

struct LasoOptions {
  size_t width = 10;            ///< b, the width of the beam
  double rate = 1;              ///< α, the size of an update
  size_t horizon = kNoHorizon;  ///< best-first search: the largest number of expansions
};

/// Tells which nodes lie on target paths: the root, and every node that an optimal action leads to from such
/// a node. An instance has as many target paths as its oracle allows. Remembers the first fault of the oracle
/// in status(); the learner returns it as its error.
template <TrainingSpace S>
class Targets {
 public:
  Targets(const S& space, const Nodes<S>& nodes) : space_(space), nodes_(nodes) {}

  bool node(uint32_t n) {
    while (known_.size() <= n) {
      const Node<S>& next = nodes_[known_.size()];
      const bool target =
          next.parent == kNoNode || (known_[next.parent] != kOther && optimal(next.parent, next.action));
      known_.push_back(target ? kTarget : kOther);
    }
    return known_[n] != kOther;
  }
  bool child(const Child& child) { return node(child.parent) && optimal(child.parent, child.action); }
  const Status& status() const { return status_; }

 private:
  enum Known : uint8_t { kOther, kTarget, kCheckedTarget };
  bool optimal(uint32_t parent, Action action) {
    if (parent != of_) {
      if (known_[parent] == kTarget) {
        known_[parent] = kCheckedTarget;
        const Status asked = ask_oracle(space_, nodes_[parent].state, lists_);
        if (status_.ok() && !asked.ok()) status_ = asked;
      } else {
        lists_.optimal.clear();
        space_.optimal_actions(nodes_[parent].state, lists_.optimal);
      }
      of_ = parent;
    }
    return std::find(lists_.optimal.begin(), lists_.optimal.end(), action) != lists_.optimal.end();
  }
  const S& space_;
  const Nodes<S>& nodes_;
  std::vector<Known> known_;
  uint32_t of_ = kNoNode;
  ActionLists lists_;
  Status status_;
};

/// The error of a learner whose target paths end before a goal: it has nothing to learn from.
template <TrainingSpace S>
Error target_is_lost(const Targets<S>& targets) {
  if (!targets.status().ok()) return targets.status().error();
  return fail("the oracle leads to a dead end: a state that is not a goal and has no actions");
}
inline Error no_such_label() { return fail("an action has a label that its space does not have"); }
inline Status check_width(size_t width) {
  return width > 0 ? Status() : Status(fail("the beam width is 0, wanted at least 1"));
}

/// w += Σ x · f(v) over nodes or children v, where f(v) is the sum of the features along the path to v.
/// Shares of common ancestors are summed first, so the common part of two paths costs nothing.
template <TrainingSpace S, LearnerOf<S> W>
class PathUpdate {
 public:
  PathUpdate(const S& space, const Nodes<S>& nodes) : space_(space), nodes_(nodes) {}
  void add(const Child& child, double x) { steps_.push_back({child.parent, child.action, x}); }
  void add_node(uint32_t node, double x) { share(node, x); }
  void apply(W& weights) {
    for (const Step& step : steps_) {
      weights.add(space_, nodes_[step.from].state, step.action, step.x);
      share(step.from, step.x);
    }
    steps_.clear();
    while (!queue_.empty()) {
      auto [node, x] = queue_.top();
      queue_.pop();
      while (!queue_.empty() && queue_.top().first == node) {
        x += queue_.top().second;
        queue_.pop();
      }
      // The shares of one update cancel, up to rounding, on the common part of the paths.
      if (std::abs(x) < kNothing || nodes_[node].parent == kNoNode) continue;
      weights.add(space_, nodes_[nodes_[node].parent].state, nodes_[node].action, x);
      queue_.emplace(nodes_[node].parent, x);
    }
  }

 private:
  static constexpr double kNothing = 1e-9;
  struct Step {
    uint32_t from;
    Action action;
    double x;
  };
  void share(uint32_t node, double x) { queue_.emplace(node, x); }
  const S& space_;
  const Nodes<S>& nodes_;
  std::vector<Step> steps_;
  std::priority_queue<std::pair<uint32_t, double>> queue_;  // children come out before their parents
};

/// LaSO-BR (Xu and Fern 2007, Figure 3) on one instance: breadth-first beam search. When the beam B of a
/// level holds no target although the level's candidates C do,
///   w += α (mean of f over the targets in C − Σ_{v ∈ B} f(v) / b),
/// and the search continues from those targets. Returns the number of updates. Errors say how the task's
/// functions break their contract.
template <TrainingSpace S, LearnerOf<S> W>
Result<size_t> learn_breadth_first(const S& space, W& weights, const LasoOptions& options,
                                   SearchScratch<S, typename W::Value>& scratch) {
  ESPALIER_TRY(check_width(options.width));
  Targets<S> targets(space, scratch.nodes);
  size_t updates = 0;
  const auto [best, ended] =
      search_breadth_first(space, weights, options.width, scratch, [&](const Level& level) {
        LevelDecision next;
        next.stop = !targets.status().ok();
        for (size_t i = 0; i < level.kept; ++i)
          if (targets.child(level.children[level.order[i]])) return next;
        for (uint32_t i = 0; i < level.children.size(); ++i)
          if (targets.child(level.children[i])) next.with.push_back(i);
        if (next.with.empty()) return next;  // no target path passes through this level
        PathUpdate<S, W> update(space, scratch.nodes);
        const double share = options.rate / static_cast<double>(next.with.size());
        for (const uint32_t i : next.with) update.add(level.children[i], share);
        const double each = options.rate / static_cast<double>(options.width);
        for (size_t i = 0; i < level.kept; ++i) update.add(level.children[level.order[i]], -each);
        update.apply(weights);
        ++updates;
        next.replace = true;
        return next;
      });
  if (ended == Ended::kNoSuchLabel) return no_such_label();
  // Every beam contained a target, so one of the goals must be a target.
  const bool reached = std::any_of(scratch.goals.begin(), scratch.goals.end(),
                                   [&](uint32_t goal) { return targets.node(goal); });
  if (!reached || !targets.status().ok()) return target_is_lost(targets);
  return updates;
}

/// What best-first learning counts as an error, and the share of each node of the beam in the update.
enum class BestFirstRule {
  kXuFern,      ///< LaSO-BST: no target in the beam; each node counts 1/b
  kDaumeMarcu,  ///< LaSO (2005): also if the best node is a goal but no target; each node counts 1/|beam|
};

/// LaSO-BST (Figure 4) and the original LaSO on one instance: best-first beam search until a target goal is
/// found (LaSO-BST: anywhere in the beam; LaSO: as its best node) or the horizon is reached. After an error
/// the search continues from the targets among the candidates. Returns the number of updates. Errors say how
/// the task's functions break their contract.
template <TrainingSpace S, LearnerOf<S> W>
Result<size_t> learn_best_first(const S& space, W& weights, BestFirstRule rule, const LasoOptions& options,
                                SearchScratch<S, typename W::Value>& scratch) {
  ESPALIER_TRY(check_width(options.width));
  Nodes<S>& nodes = scratch.nodes;
  nodes.clear();
  nodes.push_back({space.initial(), kNoNode, {}, 0});
  Targets<S> targets(space, nodes);
  const NodeOrder<S> before{space, nodes};
  std::vector<uint32_t> beam{0}, candidates, good;
  size_t updates = 0;
  const auto is_goal = [&](uint32_t n) { return space.is_goal(nodes[n].state); };
  const auto finished = [&] {
    if (rule == BestFirstRule::kDaumeMarcu) return is_goal(beam.front()) && targets.node(beam.front());
    return std::any_of(beam.begin(), beam.end(), [&](uint32_t n) { return is_goal(n) && targets.node(n); });
  };
  for (size_t step = 0; step < options.horizon && !finished(); ++step) {
    if (!step_best_first(space, weights, options.width, scratch, beam, candidates)) return no_such_label();
    good.clear();
    for (const uint32_t n : candidates)
      if (targets.node(n)) good.push_back(n);
    const bool lost = std::none_of(beam.begin(), beam.end(), [&](uint32_t n) { return targets.node(n); });
    const bool wrong_goal = rule == BestFirstRule::kDaumeMarcu && !beam.empty() && is_goal(beam.front()) &&
                            !targets.node(beam.front());
    if (!targets.status().ok()) return targets.status().error();
    if (!lost && !wrong_goal) continue;
    if (good.empty())
      return target_is_lost(targets);  // the oracle's paths end here, so the search cannot continue
    PathUpdate<S, W> update(space, nodes);
    for (const uint32_t n : good) update.add_node(n, options.rate / static_cast<double>(good.size()));
    const size_t share = rule == BestFirstRule::kDaumeMarcu ? beam.size() : options.width;
    for (const uint32_t n : beam) update.add_node(n, -options.rate / static_cast<double>(share));
    update.apply(weights);
    ++updates;
    beam = good;
    if (beam.size() > 1) {
      for (const uint32_t n : beam) rescore(space, weights, nodes, n);
      std::sort(beam.begin(), beam.end(), before);  // all targets stay, even if there are more than b
    }
  }
  return updates;
}

/// When the incremental perceptron (Collins and Roark 2004; Huang et al. 2012) updates.
enum class IncrementalUpdate {
  kEarly,         ///< as soon as the target falls out of the beam; the rest of the instance is skipped
  kMaxViolation,  ///< after the whole search, where the best of the beam is farthest above the target
};

/// The incremental perceptron on one instance: breadth-first beam search with at most one update w += α
/// (f(target prefix) − f(best prefix)). The target is the path of first optimal actions. Returns the number
/// of updates, 0 or 1. Errors say how the task's functions break their contract.
template <TrainingSpace S, LearnerOf<S> W>
Result<size_t> learn_incrementally(const S& space, W& weights, IncrementalUpdate when,
                                   const LasoOptions& options, SearchScratch<S, typename W::Value>& scratch) {
  struct Prefix {
    typename S::State state;  ///< before the action
    Action action;
    double score;  ///< after it
    size_t level;  ///< after it
  };
  ESPALIER_TRY(check_width(options.width));
  std::vector<Prefix> gold;
  typename S::State state = space.initial();
  ActionLists lists;
  double score = 0;
  while (!space.is_goal(state)) {
    ESPALIER_TRY(ask_oracle(space, state, lists));
    const Action action = lists.optimal[0];
    score += double{weights.row(space, state, action.candidate)[action.label]};
    gold.push_back({state, action, score, gold.size() + 1});
    state = space.apply(state, action);
    if constexpr (HasLevel<S>) gold.back().level = space.level(state);
  }
  Child worst{};
  size_t prefix = 0;
  double violation = -std::numeric_limits<double>::infinity();
  const auto prefix_at = [&](size_t level) -> size_t {
    const auto it = std::lower_bound(gold.begin(), gold.end(), level,
                                     [](const Prefix& p, size_t l) { return p.level < l; });
    return it == gold.end() || it->level != level ? 0 : static_cast<size_t>(it - gold.begin()) + 1;
  };
  Targets<S> targets(space, scratch.nodes);
  const auto [goal, ended] =
      search_breadth_first(space, weights, options.width, scratch, [&](const Level& l) {
        LevelDecision next;
        const size_t at = prefix_at(l.number);
        if (at == 0 || l.kept == 0) return next;
        const Child& best = l.children[l.order[0]];
        bool kept = false;
        for (size_t i = 0; i < l.kept && !kept; ++i) kept = targets.child(l.children[l.order[i]]);
        if (when == IncrementalUpdate::kEarly) {
          if (kept) return next;
          next.stop = true;
        } else if (targets.child(best) || best.score - gold[at - 1].score <= violation) {
          return next;
        }
        violation = best.score - gold[at - 1].score;
        worst = best;
        prefix = at;
        return next;
      });
  if (ended == Ended::kNoSuchLabel) return no_such_label();
  const bool best_is_wrong = goal != kNoNode && !targets.node(goal);
  if (!targets.status().ok()) return targets.status().error();
  if (prefix == 0 && !best_is_wrong) return 0;
  if (when == IncrementalUpdate::kMaxViolation && !best_is_wrong) return 0;  // the result is right, no update
  if (prefix == 0 || (best_is_wrong && scratch.nodes[goal].score - gold.back().score > violation)) {
    worst = {scratch.nodes[goal].parent, scratch.nodes[goal].action, scratch.nodes[goal].score};
    prefix = gold.size();
  }
  std::vector<std::pair<const typename S::State*, Action>> found{
      {&scratch.nodes[worst.parent].state, worst.action}};
  for (uint32_t n = worst.parent; scratch.nodes[n].parent != kNoNode; n = scratch.nodes[n].parent)
    found.emplace_back(&scratch.nodes[scratch.nodes[n].parent].state, scratch.nodes[n].action);
  std::reverse(found.begin(), found.end());
  size_t common = 0;
  while (common < found.size() && common < prefix && found[common].second == gold[common].action) ++common;
  for (size_t i = common; i < prefix; ++i) weights.add(space, gold[i].state, gold[i].action, options.rate);
  for (size_t i = common; i < found.size(); ++i)
    weights.add(space, *found[i].first, found[i].second, -options.rate);
  return 1;
}

/// The learners of searches by the names that users know: searn, laso-br, laso-bst, laso, incremental.
enum class SearchLearner { kSearn, kLasoBr, kLasoBst, kLaso, kIncremental };

/// One instance by the learner of the family that is asked for. Precondition: not kSearn, which learns from
/// all instances together (searn.h).
template <TrainingSpace S, LearnerOf<S> W>
Result<size_t> learn_while_searching(const S& space, W& weights, SearchLearner learner,
                                     const LasoOptions& options, IncrementalUpdate when,
                                     SearchScratch<S, typename W::Value>& scratch) {
  switch (learner) {
    case SearchLearner::kLasoBr:
      return learn_breadth_first(space, weights, options, scratch);
    case SearchLearner::kLasoBst:
      return learn_best_first(space, weights, BestFirstRule::kXuFern, options, scratch);
    case SearchLearner::kLaso:
      return learn_best_first(space, weights, BestFirstRule::kDaumeMarcu, options, scratch);
    default:
      return learn_incrementally(space, weights, when, options, scratch);
  }
}

}  // namespace espalier::search

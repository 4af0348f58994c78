#include "research/beam/theory_consistency.h"

#include <algorithm>
#include <cmath>

#include "espalier/base/result.h"
#include "research/beam/theory_trajectories.h"

namespace espalier::research {
namespace {

/// Depth-first enumeration. `w_` always meets all of `demands_`: demands are only added together with a w
/// that meets them, and removing some does no harm.
class TrajectorySearch {
 public:
  TrajectorySearch(const BeamProblem& problem, const ConsistencyOptions& options)
      : problem_(problem), options_(options), w_(problem.dimension(), 0.0) {
    for (const TreeSpace& tree : problem.instances) depths_.push_back(target_depth(tree));
  }

  Consistency run() {
    const bool found = begin_instance(0);
    answer_.decision = found ? Decision::kYes : doubt_ ? Decision::kUndecided : Decision::kNo;
    if (found) answer_.w = w_;
    // Running the search itself shows whether rounding matters for features that are not small fractions.
    if (found && !solves(problem_, w_)) answer_.decision = Decision::kUndecided;
    if (answer_.decision != Decision::kYes) answer_.w.clear();
    return std::move(answer_);
  }

 private:
  /// The pruning of one step: candidates are decided one after the other.
  struct Cut {
    size_t instance, step;
    TreeNodes candidates;  ///< targets first
    size_t targets;        ///< the number of targets
    size_t kept;           ///< the number kept in the beam
    TreeNodes in = {}, out = {};
  };

  const TreeSpace& tree(size_t i) const { return problem_.instances[i]; }

  bool begin_instance(size_t i) {
    if (i == problem_.instances.size()) return true;
    return after_step(i, 0, {0});
  }

  /// Continues from the beam after `step` steps.
  bool after_step(size_t i, size_t step, const TreeNodes& beam) {
    if (problem_.mode == BeamMode::kBreadthFirst) {
      if (step == depths_[i]) return begin_instance(i + 1);
      return cut(i, step, expand_beam(tree(i), problem_.mode, beam, search::kNoNode));
    }
    const auto is_goal = [&](TreeState v) { return tree(i).is_target(v) && tree(i).depth(v) == depths_[i]; };
    if (std::any_of(beam.begin(), beam.end(), is_goal)) return begin_instance(i + 1);
    if (step >= problem_.horizon) return false;
    TreeNodes tops = beam;
    rank(i, tops);
    for (const TreeState top : tops) {
      const size_t before = demands_.size();
      for (const TreeState v : beam)
        if (v != top) demands_.push_back(ranks_above(tree(i), top, v));
      if (can_be_met(before) && cut(i, step, expand_beam(tree(i), problem_.mode, beam, top))) return true;
      demands_.resize(before);
      if (gave_up_) return false;
    }
    return false;
  }

  bool cut(size_t i, size_t step, TreeNodes candidates) {
    rank(i, candidates);
    const auto others = std::stable_partition(candidates.begin(), candidates.end(),
                                              [&](TreeState v) { return tree(i).is_target(v); });
    const size_t targets = static_cast<size_t>(others - candidates.begin());
    const size_t kept = std::min(problem_.width, candidates.size());
    Cut state{i, step, std::move(candidates), targets, kept};
    return decide(state, 0);
  }

  /// Decides candidate `next` and those after it.
  bool decide(Cut& state, size_t next) {
    if (next >= state.targets && !holds_target(state)) return false;
    const size_t undecided = state.candidates.size() - next;
    if (state.in.size() == state.kept || state.in.size() + undecided == state.kept)
      return decide_rest(state, next, state.in.size() < state.kept);
    const bool first = kept_by_w(state, state.candidates[next]);
    return take(state, next, first) || (!gave_up_ && take(state, next, !first));
  }

  bool take(Cut& state, size_t next, bool in) {
    const size_t before = demands_.size();
    place(state, state.candidates[next], in);
    const bool found = can_be_met(before) && decide(state, next + 1);
    (in ? state.in : state.out).pop_back();
    if (!found) demands_.resize(before);
    return found;
  }

  bool decide_rest(Cut& state, size_t next, bool in) {
    const size_t before = demands_.size();
    for (size_t k = next; k < state.candidates.size(); ++k) place(state, state.candidates[k], in);
    bool found = holds_target(state) && can_be_met(before);
    if (found) {
      ++answer_.beams;
      found = after_step(state.instance, state.step + 1, state.in);
    }
    TreeNodes& side = in ? state.in : state.out;
    side.resize(side.size() - (state.candidates.size() - next));
    if (!found) demands_.resize(before);
    return found;
  }

  void place(Cut& state, TreeState v, bool in) {
    for (const TreeState u : in ? state.out : state.in)
      demands_.push_back(in ? ranks_above(tree(state.instance), v, u)
                            : ranks_above(tree(state.instance), u, v));
    (in ? state.in : state.out).push_back(v);
  }

  bool holds_target(const Cut& state) const {
    return std::any_of(state.in.begin(), state.in.end(),
                       [&](TreeState v) { return tree(state.instance).is_target(v); });
  }

  /// Whether the demands from number `from` on can be met together with the earlier ones.
  bool can_be_met(size_t from) {
    const auto met = [&](const Demand& demand) { return surely_met(demand, w_); };
    if (std::all_of(demands_.begin() + static_cast<ptrdiff_t>(from), demands_.end(), met)) return true;
    if (answer_.programs >= options_.max_programs || options_.monitor.stop_requested()) {
      gave_up_ = doubt_ = true;
      return false;
    }
    DemandsMet found = meet_demands(problem_.dimension(), demands_);
    answer_.programs += found.programs;
    if (found.decision == Decision::kUndecided) doubt_ = true;
    if (found.decision != Decision::kYes) return false;
    w_ = std::move(found.w);
    return true;
  }

  bool ranks_before(size_t i, TreeState a, TreeState b) const {
    const double value_a = node_value(tree(i), w_, a), value_b = node_value(tree(i), w_, b);
    return value_a != value_b ? value_a > value_b : tree(i).preference(a) > tree(i).preference(b);
  }
  void rank(size_t i, TreeNodes& nodes) const {
    std::sort(nodes.begin(), nodes.end(), [&](TreeState a, TreeState b) { return ranks_before(i, a, b); });
  }
  /// Whether the beam search guided by w_ would keep v.
  bool kept_by_w(const Cut& state, TreeState v) const {
    const auto above = std::count_if(state.candidates.begin(), state.candidates.end(),
                                     [&](TreeState u) { return ranks_before(state.instance, u, v); });
    return static_cast<size_t>(above) < state.kept;
  }

  const BeamProblem& problem_;
  const ConsistencyOptions& options_;
  std::vector<size_t> depths_;
  std::vector<double> w_;
  std::vector<Demand> demands_;
  Consistency answer_;
  bool doubt_ = false;    ///< some branch was left undecided
  bool gave_up_ = false;  ///< and all other branches are to be skipped
};

}  // namespace

Consistency decide_consistency(const BeamProblem& problem, const ConsistencyOptions& options) {
  ESPALIER_CHECK(check_problem(problem).ok());
  return TrajectorySearch(problem, options).run();
}

double certificates_log10(const BeamProblem& problem) {
  size_t children = 0, depth = 0;
  for (const TreeSpace& tree : problem.instances) {
    depth = std::max(depth, target_depth(tree));
    for (TreeState v = 0; v < tree.size(); ++v) children = std::max(children, tree.children(v).size());
  }
  return static_cast<double>(problem.width * depth * problem.instances.size()) *
         std::log10(static_cast<double>(children * problem.width));
}

}  // namespace espalier::research

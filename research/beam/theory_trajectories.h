// TestTrajectories: could some weights have led beam search along given trajectories? (Xu and Fern 2007,
// Figure 1, Lemma 1) test_trajectories() decides it with one linear program.
#pragma once

#include <span>
#include <vector>

#include "research/beam/theory_demands.h"
#include "research/beam/theory_problem.h"

namespace espalier::research {

/// The demand that v ranks above u: w·(f(v) − f(u)) ≥ 0 if v is preferred, > 0 if u is.
Demand ranks_above(const TreeSpace& tree, TreeState v, TreeState u);

/// Appends the demands that w must meet to generate the trajectory; they are necessary and sufficient. In
/// each step, every kept node ranks above every other; in best-first search, the expanded node ranks above
/// the rest of its beam. Returns false if no w can: a beam that is not among the candidates, has the wrong
/// size or names a node twice, or an expanded node that was not in the beam. The order of nodes within a beam
/// has no meaning.
bool trajectory_demands(const BeamProblem& problem, const TreeSpace& tree, const BeamTrajectory& trajectory,
                        std::vector<Demand>& demands);

/// Decides whether one w generates all trajectories, one per instance, and finds it. One linear program with
/// m variables and at most n·d·c·b² rows. Targets are not used. Precondition: as many trajectories as
/// instances.
DemandsMet test_trajectories(const BeamProblem& problem, std::span<const BeamTrajectory> trajectories);

/// The tractable class b = t = 1 (Theorem 3): the only trajectory that keeps to the target is the target
/// path, so one call of test_trajectories decides consistency. Holds in both modes: with a beam of one node,
/// best-first search is breadth-first search (and cannot reach level d with a horizon below d).
/// Preconditions: check_problem holds, width 1, one target on every level.
DemandsMet solve_single_paths(const BeamProblem& problem);

}  // namespace espalier::research

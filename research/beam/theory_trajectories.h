// TestTrajectories: could some weights have led beam search this way? (Xu and Fern 2007, Figure 1, Lemma 1)
#pragma once

#include <span>
#include <vector>

#include "research/beam/theory_demands.h"
#include "research/beam/theory_problem.h"

namespace espalier::research {

/// That v ranks above u: w·(f(v) − f(u)) ≥ 0 where v is preferred, > 0 where u is.
Demand ranks_above(const TreeSpace& tree, TreeState v, TreeState u);

/// Appends what w must meet to generate the trajectory, no more and no less: in each step, whatever is kept
/// ranks above whatever is not; in best-first search, the node expanded ranks above the rest of its beam.
/// Returns false where no w can: a beam that is not among the candidates, of the wrong size, with a node
/// named twice, or an expanded node that was not in the beam. The order of nodes within a beam means nothing.
bool trajectory_demands(const BeamProblem& problem, const TreeSpace& tree, const BeamTrajectory& trajectory,
                        std::vector<Demand>& demands);

/// Decides whether one w generates all trajectories, one for each instance, and finds it. One linear program
/// of m variables and at most n·d·c·b² rows. Targets play no part.
/// Precondition: as many trajectories as instances.
DemandsMet test_trajectories(const BeamProblem& problem, std::span<const BeamTrajectory> trajectories);

/// The tractable class b = t = 1 (Theorem 3): the only trajectory that keeps to the target is the target
/// path, so that one call of test_trajectories decides consistency. In either mode: with a beam of one node,
/// best-first search is breadth-first search (and cannot reach level d in a horizon below d).
/// Preconditions: check_problem holds, width 1, one target on every level.
DemandsMet solve_single_paths(const BeamProblem& problem);

}  // namespace espalier::research

// Learning to rank for beam search as a decision problem: instances, beams and trajectories (Xu and Fern
// 2007, section 2). beam_trajectory() runs the search of the definitions; solves() says whether weights solve
// a problem.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "espalier/base/result.h"
#include "espalier/search/decode.h"
#include "espalier/search/nodes.h"
#include "espalier/search/tree_space.h"

namespace espalier::research {

using search::TreeSpace;
using TreeState = TreeSpace::State;
using TreeNodes = std::vector<TreeState>;

enum class BeamMode {
  kBreadthFirst,  ///< C = union of s(v) over v in B
  kBestFirst,     ///< C = B ∪ s(v*) − v*, where v* is the highest-ranking node of B
};

/// ⟨{⟨S_i, P_i⟩}, b⟩, or ⟨{⟨S_i, P_i⟩}, b, h⟩ for best-first search: find w such that the beam search of
/// every instance keeps to its targets. P_ij are the marked nodes at depth j. d is the deepest marked level,
/// and its marked nodes are the goals. Marks need not form paths.
struct BeamProblem {
  std::vector<TreeSpace> instances;
  size_t width = 1;  ///< b
  BeamMode mode = BeamMode::kBreadthFirst;
  size_t horizon = search::kNoHorizon;  ///< h, best-first only: the largest number of steps

  size_t dimension() const { return instances.empty() ? 0 : instances[0].dimension(); }
};

/// An error if the problem has no instance or no width, if features have different or no dimensions or values
/// that are not finite, or if an instance has no targets below its root or a level without targets above
/// others.
Status check_problem(const BeamProblem& problem);

/// The deepest level with a target: d.
size_t target_depth(const TreeSpace& tree);
/// The largest number of targets on one level: t.
size_t target_width(const TreeSpace& tree);
/// Whether every target above level d has a target below it, and every target below the root one above it.
bool dead_end_free(const TreeSpace& tree);

/// w·f(v).
double node_value(const TreeSpace& tree, std::span<const double> w, TreeState v);

/// One step of a beam search.
struct BeamStep {
  TreeState expanded = search::kNoNode;  ///< v*; best-first only
  TreeNodes beam;                        ///< B after the step
  bool operator==(const BeamStep&) const = default;
};
/// (B_1, B_2, …); B_0 is only the root.
using BeamTrajectory = std::vector<BeamStep>;

/// The candidates that follow a beam, in ascending order, each once. `expanded` is only used in best-first
/// search.
TreeNodes expand_beam(const TreeSpace& tree, BeamMode mode, std::span<const TreeState> beam,
                      TreeState expanded);

/// The trajectory that w generates, with beams sorted best first: d steps in breadth-first search; in
/// best-first search until the beam holds a goal or the horizon is reached; shorter if the beam runs empty.
/// Written directly from the definitions; decoders are tested against it.
BeamTrajectory beam_trajectory(const BeamProblem& problem, const TreeSpace& tree, std::span<const double> w);

/// Definition 1 for one instance: every B_j holds a target of level j, up to d. Definition 2: every beam
/// holds a target of some level, and the last one a goal, after at most h steps.
bool keeps_to_targets(const BeamProblem& problem, const TreeSpace& tree, const BeamTrajectory& trajectory);

/// Whether w is a witness of consistency: its trajectory keeps to the targets in every instance.
bool solves(const BeamProblem& problem, std::span<const double> w);

}  // namespace espalier::research

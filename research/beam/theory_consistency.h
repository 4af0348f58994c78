// Is there a ranking function at all? The exhaustive algorithm over beam trajectories, with cuts (Xu and Fern
// 2007, Figure 1; Definition 1 for breadth-first, Definition 2 for best-first search).
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "espalier/base/progress.h"
#include "research/beam/theory_demands.h"
#include "research/beam/theory_problem.h"

namespace espalier::research {

struct ConsistencyOptions {
  size_t max_programs =
      std::numeric_limits<size_t>::max();  ///< calls of meet_demands, after which it gives up
  Monitor monitor;
};

struct Consistency {
  Decision decision = Decision::kUndecided;
  std::vector<double> w;  ///< solves the problem; empty unless kYes
  size_t beams = 0;       ///< beams that were completed on the way
  size_t programs = 0;    ///< systems of demands that were put to meet_demands
};

/// Decides whether some w solves the problem, and finds one.
///
/// Beam trajectories are enumerated instance by instance, step by step, and within a step node by node: each
/// candidate is kept or not. A branch is cut where no target can be in the beam any more, and where no w
/// meets the demands made so far (the test of test_trajectories, on the part of the trajectories that
/// stands). So only trajectories that some w generates are ever completed: with m features and N comparable
/// pairs of nodes there are at most O(N^m) of them, whatever b, d and n are, where plain enumeration has
/// (cb)^{bdn}. A w that meets the demands so far is at hand all the time; what it would do itself is tried
/// first and costs no linear program.
///
/// kUndecided where a limit is reached, where the monitor asks to stop, or where double precision does not
/// suffice (meet_demands). Precondition: check_problem holds.
Consistency decide_consistency(const BeamProblem& problem, const ConsistencyOptions& options = {});

/// log10 of (cb)^{bdn}, the number of certificates in Theorem 2; c is the largest number of children, d the
/// largest depth of targets.
double certificates_log10(const BeamProblem& problem);

}  // namespace espalier::research

// Decides whether a ranking function exists at all: decide_consistency(), the exhaustive algorithm over beam
// trajectories, with pruning (Xu and Fern 2007, Figure 1; Definition 1 for breadth-first, Definition 2 for
// best-first search). NP-hard, so limit the number of programs.
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
      std::numeric_limits<size_t>::max();  ///< gives up after this many calls of meet_demands
  Monitor monitor;
};

struct Consistency {
  Decision decision = Decision::kUndecided;
  std::vector<double> w;  ///< solves the problem; empty unless kYes
  size_t beams = 0;       ///< number of beams completed on the way
  size_t programs = 0;    ///< number of systems of demands given to meet_demands
};

/// Decides whether some w solves the problem, and finds one.
///
/// Beam trajectories are enumerated instance by instance, step by step and, within a step, node by node: each
/// candidate is kept or not. A branch is pruned if the beam cannot contain a target any more, or if no w
/// meets the demands made so far (the test of test_trajectories on the partial trajectories). Only
/// trajectories that some w generates are therefore completed: with m features and N comparable pairs of
/// nodes, at most O(N^m) of them, whatever b, d and n are. Plain enumeration has (cb)^{bdn}. A w that meets
/// the current demands is always at hand; what it would do is tried first and costs no linear program.
///
/// kUndecided if a limit is reached, if the monitor asks to stop, or if double precision is not enough
/// (meet_demands). Precondition: check_problem holds.
Consistency decide_consistency(const BeamProblem& problem, const ConsistencyOptions& options = {});

/// log10 of (cb)^{bdn}, the number of certificates in Theorem 2; c is the largest number of children, d the
/// largest depth of targets.
double certificates_log10(const BeamProblem& problem);

}  // namespace espalier::research

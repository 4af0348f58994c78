// Runs perceptron learners on explicit trees until they converge, to compare the number of updates with the
// theorems: learn_until_unchanged(). Ends after a limit on sweeps.
#pragma once

#include <vector>

#include "espalier/base/progress.h"
#include "research/beam/theory_problem.h"

namespace espalier::research {

enum class BeamLearner {
  kLasoBr,   ///< Figure 3; breadth-first
  kLasoBst,  ///< Figure 4; best-first
  kLaso,     ///< Daumé and Marcu's original; best-first
};

struct ConvergenceOptions {
  double rate = 1;  ///< α
  size_t max_sweeps = 100'000;
  Monitor monitor;
};

struct Convergence {
  std::vector<double> w;
  size_t updates = 0;      ///< null updates included
  size_t sweeps = 0;       ///< over all instances, including the last one without change
  bool unchanged = false;  ///< the last sweep left w unchanged, bit for bit
  bool solves = false;     ///< w is consistent with the training set
};

/// Sweeps over the instances from w = 0 until a sweep leaves w unchanged. The mode of the problem is replaced
/// by the learner's, and its horizon is not used: every search continues until its goal. Preconditions:
/// check_problem holds; instances are trees without dead ends whose goals are leaves.
Convergence learn_until_unchanged(const BeamProblem& problem, BeamLearner learner,
                                  const ConvergenceOptions& options = {});

}  // namespace espalier::research

// Perceptron learners run to the end on explicit trees, to be held against the theorems about them.
#pragma once

#include <vector>

#include "espalier/base/progress.h"
#include "research/beam/theory_problem.h"

namespace espalier::research {

enum class BeamLearner {
  kLasoBr,   ///< Figure 3; breadth-first
  kLasoBst,  ///< Figure 4; best-first
  kLaso,     ///< Daumé and Marcu's own; best-first
};

struct ConvergenceOptions {
  double rate = 1;  ///< α
  size_t max_sweeps = 100'000;
  Monitor monitor;
};

struct Convergence {
  std::vector<double> w;
  size_t updates = 0;      ///< null updates among them
  size_t sweeps = 0;       ///< over all instances, the last one without change
  bool unchanged = false;  ///< the last sweep left w as it was, bit for bit
  bool solves = false;     ///< w is consistent with the training set
};

/// Sweeps over the instances from w = 0 until a sweep leaves w unchanged. The problem's mode is the learner's
/// and the problem's horizon is not used: every search goes on until its goal.
/// Preconditions: check_problem holds; instances are dead-end free trees whose goals are leaves.
Convergence learn_until_unchanged(const BeamProblem& problem, BeamLearner learner,
                                  const ConvergenceOptions& options = {});

}  // namespace espalier::research

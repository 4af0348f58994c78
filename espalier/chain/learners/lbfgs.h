// Log-loss learners by batch optimisation: L-BFGS, or OWL-QN where weights are to be exactly 0.
#pragma once

#include "espalier/chain/learners/stochastic.h"

namespace espalier::chain {

struct LbfgsOptions {
  LogLoss loss = LogLoss::kSequence;
  double l1 = 0;  ///< above 0: OWL-QN (Andrew and Gao 2007)
  double l2 = 1;
  int passes = 200;       ///< iterations at most; one costs little more than one pass over the data
  double epsilon = 1e-5;  ///< converged when |gradient| < epsilon · max(1, |w|)
  int period = 10;        ///< iterations over which `delta` looks; 0: it does not
  double delta =
      1e-5;        ///< converged when the objective fell by less than this part of itself over the period
  int memory = 6;  ///< steps that the curvature is told from
};

/// Minimises Σ loss + l1·|w| + l2·|w|² (the objective of train_stochastic, to convergence and with no
/// approximation); the objective reported is all of it, per token. Deterministic at any number of threads. A
/// resumed run starts from the saved weights with its curvature forgotten, so that it ends near where an
/// uninterrupted one does, not at the same bytes. An error where the state to resume from is not of such a
/// run, or where the optimiser cannot start.
Result<ChainWeights> train_lbfgs(TrainingContext context, const LbfgsOptions& options);

}  // namespace espalier::chain

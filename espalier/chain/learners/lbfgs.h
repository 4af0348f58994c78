// Log-loss learners by batch optimisation: L-BFGS, or OWL-QN with an L1 penalty. Call train_lbfgs. Slower
// than train_stochastic, but exact: it runs until convergence.
#pragma once

#include "espalier/chain/learners/stochastic.h"

namespace espalier::chain {

struct LbfgsOptions {
  LogLoss loss = LogLoss::kSequence;
  double l1 = 0;  ///< above 0: OWL-QN (Andrew and Gao 2007)
  double l2 = 1;
  int passes = 200;       ///< iterations at most; one costs little more than one pass over the data
  double epsilon = 1e-5;  ///< converged when |gradient| < epsilon · max(1, |w|)
  int period = 10;        ///< iterations over which `delta` is measured; 0: not measured
  double delta =
      1e-5;        ///< converged when the objective fell by less than this part of itself over the period
  int memory = 6;  ///< past steps used to estimate the curvature
};

/// The memory that training takes for each weight, in bytes: seven vectors of liblbfgs and two for each past
/// step, the gradient and the last weights, in double; the weights and their best copy; the column.
inline constexpr double kLbfgsBytes = (7 + 2 * 6 + 2) * sizeof(double) + 2 * sizeof(float) + sizeof(uint16_t);

/// Minimises Σ loss + l1·|w| + l2·|w|² (the objective of train_stochastic, but without approximation and
/// until convergence). The objective reported includes the penalties, per token. Deterministic at any number
/// of threads. A resumed run starts from the saved weights without the curvature estimate, so it ends near an
/// uninterrupted run but not with the same bytes. An error if the saved state is from another kind of run or
/// the optimiser cannot start.
Result<ChainWeights> train_lbfgs(TrainingContext context, const LbfgsOptions& options);

}  // namespace espalier::chain

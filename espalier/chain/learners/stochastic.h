// Log-loss learners by stochastic gradient: CRF, MEMM and independent logistic regressions. Call
// train_stochastic. Tested in learners_test.cc.
#pragma once

#include "espalier/chain/learners/round.h"

namespace espalier::chain {

enum class LogLoss {
  kSequence,  ///< CRF: the whole labelling is normalised
  kPosition,  ///< MEMM: each label given the one before it; independent positions where there are no
              ///< transitions
};

struct StochasticOptions {
  LogLoss loss = LogLoss::kSequence;
  double l1 = 0;
  double l2 = 1;
  double rate = 0.2;  ///< η of AdaGrad
  int passes = 6;
  size_t batch = 8;           ///< sequences whose gradient is taken at the same weights
  double average_from = 0.2;  ///< the part of the passes after which weights are averaged
  double dropout = 0;         ///< share of state features left out at random; see linear::Dropout
  double ignore = 1e-2;       ///< tokens whose gradient is smaller for every label are not updated
  bool mixing = false;  ///< several ranks: each makes a pass by itself, then weights are mixed (mixing.h)
};

/// Mini-batch AdaGrad, with penalties applied implicitly a few times per pass and the weights of the later
/// passes averaged. Deterministic at any number of threads. Objective minimised: Σ loss + l1·|w| + l2·|w|²,
/// of which the loss is reported. An error if the saved state is from another kind of run.
Result<ChainWeights> train_stochastic(TrainingContext context, const StochasticOptions& options);

/// The memory that training takes for each weight, in bytes: the weight, its square and sum, the average, the
/// best average so far, and the column.
inline constexpr double kStochasticBytes =
    3 * sizeof(float) + sizeof(double) + sizeof(float) + sizeof(uint16_t);

/// The memory that the pairs of so many labels take at most while a CRF is trained, in bytes: the transitions
/// with what AdaGrad keeps about each, the averaged copy, and the gradients of a batch. With thousands of
/// labels this is more than everything else.
double bytes_of_label_pairs(size_t labels);

}  // namespace espalier::chain

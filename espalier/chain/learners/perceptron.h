// The averaged structured perceptron (Collins 2002). Tested in learners_test.cc.
#pragma once

#include "espalier/chain/learners/round.h"

namespace espalier::chain {

struct PerceptronOptions {
  int passes = 15;
  size_t batch = 4;  ///< sequences decoded with the same weights; more than 1 lets threads share the work
  bool average = true;
};

/// Decode, and where the answer is wrong step from it towards gold; the average of the weights after every
/// batch is what is used. Without transitions this is a multi-class perceptron at each position. The
/// objective reported is the share of tokens decoded wrongly before their update. Labels with a weight are
/// decoded with a margin (importance.h). Unknown labels are completed by the best labelling under the current
/// weights. An error where the state to resume from is not of such a run.
Result<ChainWeights> train_perceptron(TrainingContext context, const PerceptronOptions& options);

}  // namespace espalier::chain

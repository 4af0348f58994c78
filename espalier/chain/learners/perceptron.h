// The averaged structured perceptron (Collins 2002). Call train_perceptron. Tested in learners_test.cc.
#pragma once

#include "espalier/chain/learners/round.h"

namespace espalier::chain {

struct PerceptronOptions {
  int passes = 15;
  size_t batch = 4;  ///< sequences decoded with the same weights; more than 1 lets threads share the work
  bool average = true;
  bool mixing = false;  ///< several ranks: each makes a pass by itself, then weights are mixed (mixing.h)
};

/// The memory that training takes for each weight, in bytes: the weight, its lagging sum, the average, the
/// best average so far, and the column.
inline constexpr double kPerceptronBytes = 4 * sizeof(float) + sizeof(uint16_t);

/// Decodes each sequence and, if the answer is wrong, steps from it towards the gold labelling. The result is
/// the average of the weights after every batch. Without transitions this is a multi-class perceptron at each
/// position. The objective reported is the share of tokens decoded wrongly before their update. Labels with a
/// weight are decoded with a margin (importance.h). Unknown labels are completed by the best labelling under
/// the current weights. An error if the saved state is from another kind of run.
Result<ChainWeights> train_perceptron(TrainingContext context, const PerceptronOptions& options);

}  // namespace espalier::chain

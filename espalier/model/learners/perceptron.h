// Options of the averaged perceptron, as a learner of chains and as a classifier of single tokens (local).
// Tested by train_test.cc and learner_test.cc.
#pragma once

#include <optional>

#include "espalier/chain/learners/round.h"
#include "espalier/model/learner.h"
#include "espalier/model/learners/mixing.h"

namespace espalier::model {

struct PerceptronOptions : CommonOptions {
  std::optional<int> passes;
  size_t batch = 4;
  bool average = true;
  Mixing mixing = Mixing::kNone;
  bool calibrate = true;
};

/// `passes` are already decided (defaults.h).
Result<chain::ChainWeights> learn_perceptron(int passes, size_t batch, bool average, Mixing mixing,
                                             chain::TrainingContext context);

}  // namespace espalier::model

// What all chain learners are given (TrainingContext) and report after each pass (Round). A learner reports
// every round, stops when the verdict is not to go on, draws random numbers from the seed only, and can
// resume from what Round::save wrote.
#pragma once

#include <cstdint>
#include <vector>

#include "espalier/base/parallel.h"
#include "espalier/base/team.h"
#include "espalier/base/training_round.h"
#include "espalier/chain/learners/restriction.h"
#include "espalier/chain/weights.h"
#include "espalier/linear/encoding/dataset.h"

namespace espalier::chain {

/// The end of one pass or iteration. The objective is per token, weighted by sequence.
using Round = TrainingRound<ChainWeights>;

/// What a learner is given. References outlive the call; round_ended is never null.
struct TrainingContext : RoundContext<ChainWeights> {
  const linear::EncodedTraining& training;
  ChainWeights start;  ///< layout and starting point (0, or the weights of a trained model)
  const Workers& workers;
  uint64_t seed = 1;
  /// The saved state to resume from, or null.
  const SectionFile* resume = nullptr;
  /// The cost of a mistake on a token, by its gold label; empty: 1 each. See importance.h.
  std::vector<float> label_weight = {};
  /// Restricts training to the labellings that constraints allow (inference-based training); null: all are
  /// allowed.
  const Restriction* restriction = nullptr;
  /// How many tokens the model was trained on that `start` comes from; 0: training starts from zero. A
  /// trained model is trained further by steps that fit it, is pulled towards its own weights in place of 0,
  /// and every weight counts towards averages from the first step on.
  double learned_tokens = 0;
  /// The ranks that learn together, each from its part of the data; null: this one alone. All learners but
  /// those of batch.h and lbfgs.h need all the data here.
  const Team* team = nullptr;
};

}  // namespace espalier::chain

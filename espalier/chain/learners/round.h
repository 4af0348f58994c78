// The protocol of all chain learners: TrainingContext is what they are given, Round is what they report after
// each pass. A learner reports every round, stops when round_ended returns false, draws random numbers from
// the seed only, and can resume from what Round::save wrote.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "espalier/base/parallel.h"
#include "espalier/base/progress.h"
#include "espalier/base/section_file.h"
#include "espalier/chain/learners/restriction.h"
#include "espalier/chain/weights.h"
#include "espalier/linear/dataset.h"

namespace espalier::chain {

/// The end of one pass or iteration.
struct Round {
  int number = 0;        ///< from 1
  double objective = 0;  ///< the learner's own measure, per token (weighted by sequence)
  /// The weights to use if training ended here (averaged, if the learner averages).
  std::function<ChainWeights()> weights;
  /// Writes what is needed to resume from here.
  std::function<void(SectionWriter&)> save;
};

/// What a learner is given. References outlive the call.
struct TrainingContext {
  const linear::EncodedTraining& training;
  ChainWeights start;  ///< layout and starting point (0, or a warm start)
  const Workers& workers;
  const Monitor& monitor;
  uint64_t seed = 1;
  /// Called after each round; false ends training. Never null.
  std::function<bool(const Round&)> round_ended;
  /// The saved state to resume from, or null.
  const SectionFile* resume = nullptr;
  /// The cost of a mistake on a token, by its gold label; empty: 1 each. See importance.h.
  std::vector<float> label_weight = {};
  /// Restricts training to the labellings that constraints allow (inference-based training); null: all are
  /// allowed.
  const Restriction* restriction = nullptr;
};

}  // namespace espalier::chain

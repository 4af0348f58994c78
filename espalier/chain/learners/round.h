// What all chain learners share: what they are given and how they report at the end of a round.
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
  double objective = 0;  ///< the learner's own measure, per token (as often as its sequence's weight says)
  /// The weights as they would be used if training ended here (averaged where the learner averages).
  std::function<ChainWeights()> weights;
  /// Writes what is needed to go on from here after an interruption.
  std::function<void(SectionWriter&)> save;
};

/// What a learner gets. References outlive the call.
struct TrainingContext {
  const linear::EncodedTraining& training;
  ChainWeights start;  ///< layout and starting point (0, or a warm start)
  const Workers& workers;
  const Monitor& monitor;
  uint64_t seed = 1;
  /// Called after each round; false ends training. Never null.
  std::function<bool(const Round&)> round_ended;
  /// Where to go on from, or null.
  const SectionFile* resume = nullptr;
  /// What a mistake on a token costs, by its gold label; empty: 1 each. importance.h says what learners make
  /// of it.
  std::vector<float> label_weight = {};
  /// Which labellings may be, where not all may (inference-based training); null: all.
  const Restriction* restriction = nullptr;
};

}  // namespace espalier::chain

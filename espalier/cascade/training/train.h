// Trains a cascade level by level, each on what the levels before leave alive. Call train_cascade.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "espalier/base/parallel.h"
#include "espalier/base/result.h"
#include "espalier/base/training_round.h"
#include "espalier/cascade/options.h"
#include "espalier/cascade/restriction.h"
#include "espalier/cascade/training/further.h"

namespace espalier::cascade {

/// Gives a sequence of the dev set the labels of the cascade as it is; any thread may call it.
using DevDecoder = std::function<void(size_t sequence, std::vector<data::Label>& labels)>;
/// The end of a pass over the last level; the objective is its loss per token. The model is a decoder of the
/// dev set, valid until the call returns: the trainer itself keeps the weights of the best round, as the
/// verdict says.
using Round = TrainingRound<DevDecoder>;

/// References outlive the call; round_ended is never null.
struct TrainContext : RoundContext<DevDecoder> {
  const linear::EncodedTraining& training;
  const linear::Dataset* dev = nullptr;  ///< decoded after each round; null: Round::model must not be called
  const Workers& workers;
  /// Restricts the last level to allowed labellings; null: all that the filters leave. Filters are trained
  /// without constraints because they also run without them in use.
  const LatticeRestriction* restriction = nullptr;
  /// The same for the dev set when it is decoded.
  const LatticeRestriction* dev_restriction = nullptr;
  /// True: rounds can be saved, for which the filters of all folds stay in memory, and round 0 is reported
  /// after each filter. Only for train_cascade.
  bool checkpoints = false;
  /// The cascade that is trained further, with the layout of all weights; null: training starts from zero.
  const OldCascade* old = nullptr;
  /// A checkpoint to resume from; the result is that of an uninterrupted run.
  const SectionFile* resume = nullptr;
};

/// Learns a cascade (Weiss and Taskar 2010, section 4, with the authors' later practice).
///
/// Every level but the last learns to filter: the convex loss (8) by stochastic subgradient (9), for several
/// training α. The best one by the trade-off (7) on held-out data is used, and likewise the best number of
/// passes. The training data is cut into folds; a level's training lattices come from filters that have not
/// seen the sequence (jackknife), with the gold path put back. The α for use is chosen from the losses of the
/// same held-out filters. The last level is an ordinary structured predictor over what is left.
///
/// Time: a few passes per level and fold. Memory: the lattices of all training sequences, linear in what is
/// alive. Sequences with unknown labels are left out. The result is the same at any number of threads.
Result<Cascade> train_cascade(const TrainContext& context, const Options& options);

/// One cascade ending at each level; shared filters are learned once. With the same seed, the last is the
/// result of train_cascade.
Result<std::vector<Cascade>> train_cascades(const TrainContext& context, const Options& options);

}  // namespace espalier::cascade

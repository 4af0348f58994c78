// Trains a cascade level by level, each on what the levels before leave alive. Call train_cascade.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "espalier/base/parallel.h"
#include "espalier/base/progress.h"
#include "espalier/base/result.h"
#include "espalier/base/section_file.h"
#include "espalier/cascade/options.h"
#include "espalier/cascade/restriction.h"

namespace espalier::cascade {

/// The end of a pass over the last level.
struct Round {
  int number = 0;
  double objective = 0;  ///< loss per token
  /// The labels the cascade gives to a sequence of the dev set; any thread may call it. Null without a dev
  /// set.
  std::function<void(size_t sequence, std::vector<data::Label>& labels)> decode_dev;
};
struct Verdict {
  bool best = true;  ///< keep these weights
  bool go_on = true;
};

/// Keeps a checkpoint: `save` adds its sections. `pass` is the pass of the last level that has just ended, or
/// 0 after a filter.
using KeepCheckpoint = std::function<Status(int pass, const std::function<void(SectionWriter&)>& save)>;

struct TrainContext {
  const linear::EncodedTraining& training;
  const linear::Dataset* dev = nullptr;  ///< decoded after each round; may be null
  const Workers& workers;
  const Monitor& monitor;
  /// Called after each pass over the last level. Never null.
  std::function<Verdict(const Round&)> round_ended;
  /// Restricts the last level to allowed labellings; null: all that the filters leave. Filters are trained
  /// without constraints because they also run without them in use.
  const LatticeRestriction* restriction = nullptr;
  /// The same for the dev set when it is decoded.
  const LatticeRestriction* dev_restriction = nullptr;
  /// Called after each filter and each pass of the last level; null: no checkpoints. Only for train_cascade.
  KeepCheckpoint checkpoint = nullptr;
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

// Training a cascade: level after level, each on what the ones before leave alive.
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
  /// Labels the cascade gives a sequence of the dev set; any thread may ask. Null without a dev set.
  std::function<void(size_t sequence, std::vector<data::Label>& labels)> decode_dev;
};
struct Verdict {
  bool best = true;  ///< keep these weights
  bool go_on = true;
};

/// Keeps a checkpoint: `save` adds its sections. `pass` is that of the last level which has just ended, or 0
/// after a filter.
using KeepCheckpoint = std::function<Status(int pass, const std::function<void(SectionWriter&)>& save)>;

struct TrainContext {
  const linear::EncodedTraining& training;
  const linear::Dataset* dev = nullptr;  ///< decoded after each round; may be null
  const Workers& workers;
  const Monitor& monitor;
  /// Called after each pass over the last level. Never null.
  std::function<Verdict(const Round&)> round_ended;
  /// What the last level learns among; null: everything that filters leave. Filters learn without, as they
  /// run without when the model is used: what may be is looked for among what they leave.
  const LatticeRestriction* restriction = nullptr;
  /// The same for the dev set when it is decoded.
  const LatticeRestriction* dev_restriction = nullptr;
  /// Called after each filter and each pass of the last level; null: nobody wants checkpoints. Only for
  /// train_cascade.
  KeepCheckpoint checkpoint = nullptr;
  /// A checkpoint to go on from: the result is that of a run that was never cut off.
  const SectionFile* resume = nullptr;
};

/// Learns a cascade (Weiss and Taskar 2010, section 4, with the authors' later practice).
///
/// Every level but the last learns to filter: the convex loss (8) by stochastic subgradient (9), for several
/// α of training, of which the one that does best by the trade-off (7) on held-out data is taken, as is the
/// pass after which to stop. The training data is cut into folds; a level's lattices come from filters that
/// have not seen their sequence (jackknife), with the truth put back in. The same held-out filters give the
/// losses from which the α of use is chosen. The last level is an ordinary structured predictor over what is
/// left.
///
/// Time: a few passes a level for each fold. Memory: the lattices of all training sequences, which is linear
/// in what is alive. Sequences with labels not known are left out. The same result at any number of threads.
Result<Cascade> train_cascade(const TrainContext& context, const Options& options);

/// The cascades that end at each of the levels: the filters they share are learned once. With the same seed
/// the last of them is what train_cascade gives.
Result<std::vector<Cascade>> train_cascades(const TrainContext& context, const Options& options);

}  // namespace espalier::cascade

// Chooses the thresholds of a trained cascade again, on new data, without training. Call tune(). Tested in
// espalier/model/training/train_cascade_test.cc and apps/tests/tune_test.sh.
#pragma once

#include <span>
#include <vector>

#include "espalier/base/parallel.h"
#include "espalier/base/progress.h"
#include "espalier/cascade/model/model.h"

namespace espalier::cascade {

struct TuneOptions {
  std::vector<double> filter_loss = {0.0005};  ///< per level; the last one holds for all further levels
  double budget = 0;                           ///< above 0: alive per position, in place of filter_loss
};

struct TuneResult {
  std::vector<double> alphas;        ///< of the levels that filter
  std::vector<LevelReport> reports;  ///< what they lose and leave alive on the data
  std::vector<std::vector<TradeOff::Point>> curves;
};

/// Filter loss and efficiency of the level after the first alphas.size() filters, at every point of its grid.
Result<std::vector<TradeOff::Point>> level_curve(const CascadePredictor& cascade,
                                                 std::span<const data::Sequence> sequences,
                                                 std::span<const double> alphas, const Workers& workers);

/// Runs the cascade over labelled sequences level by level; each level's α is chosen given those before it.
/// An error if the filter loss or budget cannot be met (it names the nearest), if the cascade has no filter,
/// or if no label of the data is known.
Result<TuneResult> tune(const CascadePredictor& cascade, std::span<const data::Sequence> sequences,
                        const TuneOptions& options, const Workers& workers, const Monitor& monitor);

}  // namespace espalier::cascade

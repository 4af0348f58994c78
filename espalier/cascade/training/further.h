// A trained cascade that is trained further: its weights in the layout of the new data. Made by
// CascadePredictor::further, used by train_cascade and save_model. Tested in
// espalier/model/training/train_cascade_test.cc.
#pragma once

#include <cstdint>
#include <vector>

#include "espalier/cascade/weights.h"
#include "espalier/linear/encoding/feature_map.h"

namespace espalier::cascade {

/// Views the tables of the old model, which must outlive it.
struct OldCascade {
  Layout layout;  ///< of the new data and of the old model
  std::vector<LevelWeights>
      levels;                  ///< the old weights; those of features, labels and n-grams that are new are 0
  std::vector<double> alphas;  ///< thresholds of the levels that filter
  double temperature = 1;
  double old_counts = 1;  ///< as chain::old_counts
  const linear::FeatureMap* state_map = nullptr;
  const linear::FeatureMap* edge_map = nullptr;
  std::vector<uint32_t> state_value, edge_value;  ///< the features' numbers in these (linear/grown_rows.h)
};

}  // namespace espalier::cascade

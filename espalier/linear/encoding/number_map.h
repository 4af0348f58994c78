// The table from the hashes of features to their numbers, 0 up: what encoders of further data look features
// up in. Tested by feature_map_test.cc.
#pragma once

#include <numeric>
#include <span>
#include <vector>

#include "espalier/linear/encoding/feature_map.h"

namespace espalier::linear {

/// hashes[i] becomes first + i. Linear time; of two features that the table cannot tell apart the first is
/// found.
inline FeatureMap number_map(std::span<const uint64_t> hashes, uint32_t first = 0) {
  std::vector<uint32_t> numbers(hashes.size());
  std::iota(numbers.begin(), numbers.end(), first);
  return FeatureMap::build(hashes, numbers, nullptr);
}

}  // namespace espalier::linear

// For tests only: rows of every kind (full, sparse, empty) with random weights; random hashes.
#pragma once

#include <cmath>
#include <vector>

#include "espalier/base/random.h"
#include "espalier/linear/rows.h"

namespace espalier::linear {

inline std::vector<uint64_t> random_hashes(uint64_t seed, size_t n) {
  Random random(seed);
  std::vector<uint64_t> hashes(n);
  for (uint64_t& h : hashes) h = random.next();
  return hashes;
}

template <typename Column>
struct BasicRandomRows {
  RowLayout<Column> layout;
  AlignedVector<float> weights;
  mutable Random random;

  BasicRandomRows(uint64_t seed, size_t rows, uint32_t width) : random(seed) {
    layout.width = width;
    for (size_t r = 0; r < rows; ++r) {
      const uint64_t kind = random.below(4);  // 0 full, 1 empty, else some columns
      for (uint32_t c = 0; c < width; ++c)
        if (kind == 0 || (kind > 1 && random.below(3) == 0)) layout.column.push_back(static_cast<Column>(c));
      layout.begin.push_back(static_cast<uint32_t>(layout.column.size()));
    }
    weights = make_weights(layout.weights());
    for (size_t i = 0; i < layout.weights(); ++i) weights[i] = static_cast<float>(random.gaussian());
  }
  std::vector<uint32_t> draw_features(size_t n) const {
    std::vector<uint32_t> features(n);
    for (uint32_t& f : features) f = static_cast<uint32_t>(random.below(layout.rows()));
    return features;
  }
  std::vector<float> draw_values(size_t n) const {
    std::vector<float> values(n);
    for (float& v : values) v = static_cast<float>(random.gaussian());
    return values;
  }
};
using RandomRows = BasicRandomRows<uint16_t>;

}  // namespace espalier::linear

// For tests only: small datasets for classifiers of single tokens.
#pragma once

#include <vector>

#include "espalier/base/random.h"
#include "espalier/linear/encoding/dataset.h"

namespace espalier::linear {

/// Adds a sequence of one token.
inline void add_token(Dataset& data, const std::vector<uint32_t>& features, data::Label gold,
                      const std::vector<float>& values = {}) {
  data.state.append(features);
  data.state_values.insert(data.state_values.end(), values.begin(), values.end());
  data.edge.close();
  data.gold.push_back(gold);
  data.weight.push_back(1.0f);
  data.sequence_begin.push_back(data.gold.size());
}

/// Exclusive or of two bits, each written as one of two features (0 or 1, 2 or 3).
inline Dataset exclusive_or() {
  Dataset data;
  for (uint32_t a = 0; a < 2; ++a)
    for (uint32_t b = 0; b < 2; ++b) add_token(data, {a, 2 + b}, static_cast<data::Label>(a ^ b));
  return data;
}

/// Tokens of `labels` labels whose features 3k … 3k+2 hint at label k, among noise.
inline Dataset noisy_hints(size_t labels, size_t tokens, uint64_t seed) {
  Dataset data;
  Random random(seed);
  for (size_t i = 0; i < tokens; ++i) {
    const size_t gold = random.below(labels);
    std::vector<uint32_t> features;
    for (uint32_t f = 0; f < 3 * labels; ++f)
      if (random.uniform() < (f / 3 == gold ? 0.7 : 0.15)) features.push_back(f);
    add_token(data, features, static_cast<data::Label>(gold));
  }
  return data;
}

}  // namespace espalier::linear

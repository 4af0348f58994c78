// Whether scaled probabilities (kernels.cc) have lost a label that matters. Tested in kernels_test.cc.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>

#include "espalier/chain/kernels.h"

namespace espalier::chain {

/// exp of a score that is further below the largest one becomes 0.
inline constexpr float kLostBeyond = 87.0f;

/// How far below the largest number the smallest finite one of a K×K matrix is.
inline float spread_of(const float* matrix, size_t labels, size_t stride, float largest) {
  float least = largest;
  for (size_t i = 0; i < labels; ++i)
    for (size_t j = 0; j < labels; ++j)
      if (const float x = matrix[i * stride + j]; x > -std::numeric_limits<float>::infinity())
        least = std::min(least, x);
  return largest - least;
}

/// A label whose score became 0 at one position is lost to forward and backward alike, so that comparing them
/// does not tell. It matters if the transitions into and out of it can make up for its own score; with the
/// given spread of their scores they are worth exp(2 · spread) at most.
inline bool loses_labels(const ChainScores& scores, float spread) {
  constexpr float kNothing = 14.0f;  // e^−14 is about 1e-6
  if (2 * spread <= kLostBeyond - kNothing) return false;
  if (spread > kLostBeyond) return true;
  for (size_t t = 0; t < scores.length; ++t) {
    const float* const node = scores.node + t * scores.stride;
    float least = std::numeric_limits<float>::infinity(), largest = -least;
    for (size_t j = 0; j < scores.labels; ++j)
      if (node[j] > -std::numeric_limits<float>::infinity()) {
        least = std::min(least, node[j]);
        largest = std::max(largest, node[j]);
      }
    if (largest - least > kLostBeyond) return true;
  }
  return false;
}

}  // namespace espalier::chain

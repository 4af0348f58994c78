// The filter of a first level of order 1 over up to 64 labels: what find_unigram_ratings and keep_labels do
// together, to the last bit, without a rating for each of the labels that are far below the best. Tested in
// label_level_test.cc against these.
#pragma once

#include <cstdint>
#include <vector>

#include "espalier/cascade/max_pass.h"
#include "espalier/cascade/trellis.h"

namespace espalier::cascade {

/// Keeps labels by max-marginals. Buffers are reused: one object per thread.
class LabelLevel {
 public:
  static constexpr size_t kMostLabels = 64;

  /// `node` is T×stride, on 32 bytes, padding finite. `alive` gets no ratings. Preconditions: α ≤ 1, at most
  /// kMostLabels.
  void filter(const float* node, size_t positions, size_t labels, size_t stride, const PriorMean& prior,
              double alpha, AliveLabels& alive);

 private:
  std::vector<float> best_;
  std::vector<uint64_t> near_;
};

}  // namespace espalier::cascade

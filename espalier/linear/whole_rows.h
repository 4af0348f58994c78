// WholeRows: sums of weight rows in training while all weights are whole numbers, as a perceptron with steps
// of 1 makes them. Tell set() every change; add_to() then does what add_rows does, to the last bit, in about
// half the time or less: it passes over rows that have no weight yet, and reads the others in 16 bits.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "espalier/base/growing_array.h"
#include "espalier/linear/rows.h"

namespace espalier::linear {

/// A copy in 16 bits of the full rows at the beginning of a layout, where the frequent features are, and a
/// bit per row that says whether it ever had a weight. Sums of whole numbers this small are exact in any
/// order and in any type, so they are those of the weights themselves. A weight that does not fit ends it for
/// good. Takes memory for rows that have a weight, by the page. Any number of threads may read.
class WholeRows {
 public:
  static constexpr float kLargest = 32767;      ///< a weight's size
  static constexpr size_t kMostFeatures = 512;  ///< of a sum: 512 · 32767 < 2^24, which a float holds exactly
  static constexpr uint32_t kWidest = 64;       ///< columns

  /// For no rows: not in use.
  WholeRows() = default;
  /// For rows that are all 0.
  explicit WholeRows(const StateRows& layout);

  /// The weight of a column of row f is w now.
  void set(uint32_t f, size_t column, float w) {
    if (!in_use_) return;
    if (!fits(w)) return stop();
    has_weight_[f / 64] |= uint64_t{1} << f % 64;
    if (f < copied_) rows_[f * stride_ + column] = static_cast<int16_t>(w);
  }
  /// Ends it, and frees the memory.
  void stop() { *this = WholeRows(); }

  bool in_use() const { return in_use_; }
  /// Whether add_to() can sum that many features.
  bool can_sum(size_t features) const { return in_use_ && features <= kMostFeatures; }
  static bool fits(float w) {
    return w >= -kLargest && w <= kLargest && w == static_cast<float>(static_cast<int32_t>(w));
  }

  /// scores[c] += weight for every weight of every feature's row, as add_rows without values. `layout` and
  /// `weights` are those whose changes set() was told. Precondition: can_sum(features.size()).
  void add_to(const StateRows& layout, const float* weights, std::span<const uint32_t> features,
              float* scores) const;

 private:
  bool in_use_ = false;
  size_t stride_ = 0;
  uint32_t copied_ = 0;  ///< rows
  std::vector<uint64_t> has_weight_;
  GrowingArray<int16_t> rows_;
};

}  // namespace espalier::linear

// Weight rows in training: for each feature, the weights of the labels it has been seen with. RowLayout says
// which weights exist; add_rows sums the rows of a token.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "espalier/base/array.h"

namespace espalier::linear {

/// Vectors are at most this many floats wide (256 bits); score arrays are padded to a multiple of it. Wider
/// vectors would waste lanes on typical label sets (22 chunk tags, 17 parts of speech).
inline constexpr size_t kLanes = 8;
inline size_t padded(size_t columns) { return round_up(columns, kLanes); }

/// Which columns (labels, or pairs of labels) each feature has a weight for. Row r owns the weights
/// [begin[r], begin[r+1]) of a weight array, and column[i] tells which label weight i belongs to, ascending
/// in a row. A full row (every column present) is summed with vector instructions, others weight by weight.
/// Holding only the pairs seen in training keeps the whole table in the cache: a feature occurs with 1.3 of
/// 22 chunk tags on average.
template <typename Column>
struct RowLayout {
  uint32_t width = 0;  ///< number of columns
  std::vector<uint32_t> begin{0};
  std::vector<Column> column;

  size_t rows() const { return begin.size() - 1; }
  size_t weights() const { return column.size(); }
  bool full(size_t row) const { return begin[row + 1] - begin[row] == width; }
};

using StateRows = RowLayout<uint16_t>;
using EdgeRows = RowLayout<uint32_t>;

/// A weight array for a layout, with padding at the end so that a vector load may read past the last row.
inline AlignedVector<float> make_weights(size_t n) { return AlignedVector<float>(n + kLanes, 0.0f); }

/// to[c] += from[c] for rows padded to a whole number of vectors. (In blocks of fixed size, so that every
/// compiler vectorises them.)
inline void add_padded(const float* __restrict from, size_t stride, float* __restrict to) {
  for (size_t c = 0; c < stride; c += kLanes)
    for (size_t i = 0; i < kLanes; ++i) to[c + i] += from[c + i];
}
inline void add_padded(float value, const float* __restrict from, size_t stride, float* __restrict to) {
  for (size_t c = 0; c < stride; c += kLanes)
    for (size_t i = 0; i < kLanes; ++i) to[c + i] += value * from[c + i];
}
/// sum[c] = a[c] + b[c], for padded rows as well.
inline void sum_padded(const float* __restrict a, const float* __restrict b, size_t stride,
                       float* __restrict sum) {
  for (size_t c = 0; c < stride; c += kLanes)
    for (size_t i = 0; i < kLanes; ++i) sum[c + i] = a[c + i] + b[c + i];
}

/// Index of the largest number; ties go to the first. Precondition: n > 0, and none is NaN.
size_t place_of_largest(std::span<const float> numbers);
/// Index of the largest a[i] + b[i]; ties go to the first.
size_t place_of_largest_sum(const float* a, const float* b, size_t n);
/// The same without vectors.
template <typename Value>
size_t place_of_largest_plain(std::span<const Value> numbers) {
  return static_cast<size_t>(std::max_element(numbers.begin(), numbers.end()) - numbers.begin());
}

/// scores[c] += value · weight for every weight of every feature's row. `values` may be null (all 1). Padding
/// lanes of `scores` (from layout.width up to the padded width) end up with arbitrary finite values.
void add_rows(const StateRows& layout, const float* weights, std::span<const uint32_t> features,
              const float* values, float* scores);

/// The same for a few columns (ascending), which are all that is right afterwards; others get some of their
/// weights or none.
void add_rows_of_columns(const StateRows& layout, const float* weights, std::span<const uint32_t> features,
                         const float* values, std::span<const uint16_t> columns, float* scores);

/// add_rows without vector instructions: the reference in tests, and used for pairs of labels.
template <typename Column>
void add_rows_plain(const RowLayout<Column>& layout, const float* weights, std::span<const uint32_t> features,
                    const float* values, float* scores) {
  for (size_t i = 0; i < features.size(); ++i) {
    const float value = values == nullptr ? 1.0f : values[i];
    for (uint32_t w = layout.begin[features[i]]; w < layout.begin[features[i] + 1]; ++w)
      scores[layout.column[w]] += value * weights[w];
  }
}

}  // namespace espalier::linear

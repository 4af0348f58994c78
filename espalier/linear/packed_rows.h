// Weight rows as a model stores and uses them: a stream of words in which each row holds its labels and its
// weights. Read-only; works in place in a mapped file. Call pack() to make one, view() to open one, add() to
// score a sequence.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "espalier/base/result.h"
#include "espalier/linear/rows.h"

namespace espalier::linear {

/// Laid out so that a feature costs one cache miss after its lookup: the feature table holds the offset of
/// the row. With up to 64 columns, a row is
///   the set of its columns, one bit per column: one word, or two if width() > 32
///   the n weights: floats, or 16-bit integers, two per word, that stand for integer · scale.
/// A byte of the set tells how to spread the next weights over eight columns, so that rows of any length are
/// summed by the same few instructions without mispredicted branches. With more than 64 columns sets would be
/// mostly empty, and a row is
///   word 0: number of weights n (n == width(): a full row)
///   the n columns, two 16-bit numbers per word (one 32-bit number if width() > 65,536), absent in a full row
///   the n weights, as above.
/// The stream may live in a mapped file. Safe for any number of threads.
class PackedRows {
 public:
  PackedRows() = default;

  /// Packs rows; weights that are exactly 0 are left out, and so are rows left empty (offset kNoFeature).
  /// bits: 32 or 16.
  template <typename Column>
  static PackedRows pack(const RowLayout<Column>& layout, const float* weights, int bits,
                         std::vector<uint32_t>& offsets);

  /// A view of words in memory that must outlive it; every row is checked: bounds, columns ascending and
  /// below width, weights finite. `starts`, if given, gets the offset of every row in order.
  static Result<PackedRows> view(std::span<const uint32_t> words, uint64_t width, int bits, float scale,
                                 std::vector<uint32_t>* starts);
  /// Whether the offsets offsets[0], offsets[step] …, `count` of them, are beginnings of rows, which are
  /// `starts`, or kNoFeature.
  bool all_begin_rows(std::span<const uint32_t> starts, const uint32_t* offsets, size_t count,
                      size_t step) const;

  PackedRows(PackedRows&&) noexcept = default;
  PackedRows& operator=(PackedRows&&) noexcept = default;

  uint64_t width() const { return width_; }
  int bits() const { return bits_; }
  float scale() const { return scale_; }
  std::span<const uint32_t> words() const { return words_; }
  /// Offsets are below this; the last words are padding that vector loads may read.
  uint64_t offset_limit() const { return words_.size() < kSlack ? 0 : words_.size() - kSlack; }

  /// The scores of a whole sequence: scores[t·stride + c] += value · weight for the rows at the offsets
  /// [begin[t], begin[t+1]) of each position t (kNoFeature is skipped). values may be null. Padding lanes of
  /// `scores` end up with arbitrary finite values. Takes a whole sequence, so that rows of the next positions
  /// can be prefetched.
  void add(std::span<const uint32_t> offsets, std::span<const uint32_t> begin, const float* values,
           size_t stride, float* scores) const;

  /// Whether the sum of rows without values is computed with integers, so that it does not depend on their
  /// order: up to 64 columns, weights of 16 bits (row_sums.h).
  bool sums_exactly() const { return narrow() && bits_ == 16; }

  /// How many weights the row at an offset has.
  uint32_t weights_at(uint32_t offset) const { return count_at(offset); }
  /// Calls visit(column, weight) for the weights of the row at an offset.
  template <typename Visit>
  void for_each(uint32_t offset, Visit&& visit) const {
    const uint32_t n = count_at(offset);
    uint64_t set = narrow() ? set_at(offset) : 0;
    for (uint32_t i = 0; i < n; ++i) {
      if (narrow()) {
        visit(static_cast<uint32_t>(std::countr_zero(set)), weight_at(offset, n, i));
        set &= set - 1;
      } else {
        visit(column_at(offset, n, i), weight_at(offset, n, i));
      }
    }
  }

 private:
  static constexpr size_t kSlack = kLanes;
  static constexpr uint64_t kMostInASet = 64;
  bool narrow() const { return width_ <= kMostInASet; }
  bool wide() const { return width_ > 65536; }
  uint64_t set_words() const { return width_ > 32 ? 2 : 1; }
  uint64_t set_at(uint64_t offset) const {
    return words_[offset] | (width_ > 32 ? static_cast<uint64_t>(words_[offset + 1]) << 32 : 0);
  }
  uint32_t count_at(uint64_t offset) const {
    return narrow() ? static_cast<uint32_t>(std::popcount(set_at(offset))) : words_[offset];
  }
  /// Words of a row before its weights.
  uint64_t head_words(uint32_t n) const {
    if (narrow()) return set_words();
    return 1 + (n == width_ ? 0 : wide() ? n : (n + 1) / 2);
  }
  uint64_t weight_words(uint32_t n) const { return bits_ == 16 ? (n + 1) / 2 : n; }
  uint32_t column_at(uint32_t offset, uint32_t n, uint32_t i) const;
  float weight_at(uint32_t offset, uint32_t n, uint32_t i) const;

  std::vector<uint32_t> owned_;
  std::span<const uint32_t> words_;
  uint64_t width_ = 0;
  int bits_ = 32;
  float scale_ = 1;
};

}  // namespace espalier::linear

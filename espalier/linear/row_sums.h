// Sums of weight rows as integers, and a bounded table of sums that recur. The score of a token is such a sum
// times the scale of the weights; PackedRows::add computes the same score, to the last bit.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "espalier/base/array.h"
#include "espalier/linear/packed_rows.h"

namespace espalier::linear {

/// sums[t·step + c] += weight for the rows at the offsets [begin[t], begin[t+1]) of each position t;
/// kNoFeature is skipped. Preconditions: rows.sums_exactly(), `sums` begins on 32 bytes, `step` is a multiple
/// of kLanes. A position may have 65,536 rows over all calls.
void add_to_sums(const PackedRows& rows, std::span<const uint32_t> offsets, std::span<const uint32_t> begin,
                 size_t step, int32_t* sums);

/// What sum_positions sums for each position t: the kept sums at entries[t] + offset of every place (padded
/// width of them, on 32 bytes), and the packed rows at offsets [offset_begin[t], offset_begin[t+1])
/// (kNoFeature is skipped).
struct PositionSums {
  struct Place {
    const int32_t* const* entries;
    size_t offset;
  };
  /// Sums that are first asked for at position t, `size` of them: only to ask the memory for them in time.
  struct Run {
    const int32_t* const* entries;
    size_t offset, size;
  };
  std::span<const Place> places;
  std::span<const Run> fresh;
  std::span<const uint32_t> offsets, offset_begin;
};
/// sums[t·step + c] = these sums. Preconditions as those of add_to_sums.
void sum_positions(const PackedRows& rows, const PositionSums& what, size_t step, int32_t* sums);

/// What column_scores sums for each position t: what sum_positions does, but only the columns [begin[t],
/// begin[t+1]), ascending, at least one.
struct ColumnSums {
  std::span<const PositionSums::Place> places;
  std::span<const uint32_t> offsets, offset_begin;
  std::span<const uint16_t> columns;
  std::span<const uint32_t> begin;
};
/// The scores of these columns, one after another. Precondition: packed.sums_exactly().
void column_scores(const PackedRows& packed, const ColumnSums& what, float* scores);

/// scores[t·stride + c] = scale · sums[t·step + c], for a number of positions.
void scores_of_sums(const int32_t* sums, size_t positions, size_t step, float scale, size_t stride,
                    float* scores);

/// The sum of eight partial sums, in an order that is the same everywhere.
inline float sum_of_lanes(const float* lane) {
  return ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]));
}

/// best[t] = the largest of the first `width` scores of position t. Returns the sum over all positions of
/// Σ_c (best[t] − score), where column c is added to partial sum c mod 8, and these as sum_of_lanes does.
/// `scores` is T×stride, on 32 bytes; stride is a multiple of kLanes, and padding is finite.
double find_bests(const float* scores, size_t positions, size_t width, size_t stride, float* best);

/// The columns of each position with best[t] − score ≤ most, as a set of bits. Precondition: width ≤ 64.
void find_near(const float* scores, size_t positions, size_t width, size_t stride, const float* best,
               float most, uint64_t* sets);

/// Sums by key, in sets of four. A new sum takes the place of the one that was asked for longest ago, but
/// never of one that was asked for since the last begin(): pointers stay valid until then. Entries lie in
/// memory in the order in which they came, so those of frequent keys are close together, and memory is used
/// only as far as it fills.
class SumTable {
 public:
  /// Each entry has this many integers, a multiple of kLanes.
  SumTable(size_t entry_size, size_t most_entries, size_t most_bytes);

  /// From here on, what was asked for before may give way.
  void begin();
  /// The sums under a key, or null.
  const int32_t* find(uint64_t key) {
    Set& set = sets_[set_of(key)];
    for (uint32_t way = 0; way < kWays; ++way) {
      if (set.key[way] != key + (key == kEmpty)) continue;
      set.asked[way] = now_;
      return at(set.entry[way]);
    }
    return nullptr;
  }
  /// Asks the memory for what find() will look at.
  void prefetch(uint64_t key) const { __builtin_prefetch(&sets_[set_of(key)], 1); }
  /// The place of a new key's sums, to be filled by the caller; another key may lose its own. Null: the
  /// entries of this set are all in use.
  int32_t* insert(uint64_t key);

  size_t entries() const { return sets_.size() * kWays; }

 private:
  static constexpr size_t kWays = 4;
  static constexpr uint64_t kEmpty = 0;
  struct alignas(64) Set {
    uint64_t key[kWays] = {kEmpty, kEmpty, kEmpty, kEmpty};
    uint32_t entry[kWays] = {};
    uint32_t asked[kWays] = {};  ///< the number of begin()s at the time
  };
  struct Free {
    void operator()(int32_t* p) const { AlignedAllocator<int32_t>().deallocate(p, 0); }
  };

  size_t set_of(uint64_t key) const { return (key * 0x9E3779B97F4A7C15ull) >> shift_; }
  int32_t* at(size_t entry) const { return sums_.get() + entry * entry_size_; }

  size_t entry_size_;
  int shift_ = 0;
  uint32_t now_ = 1;
  uint32_t used_ = 0;  ///< entries
  AlignedVector<Set> sets_;
  std::unique_ptr<int32_t[], Free> sums_;
};

}  // namespace espalier::linear

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

/// scores[t·stride + c] = scale · sums[t·step + c], for a number of positions.
void scores_of_sums(const int32_t* sums, size_t positions, size_t step, float scale, size_t stride,
                    float* scores);

/// to[i] += from[i] for a multiple of kLanes integers that begin on 32 bytes.
void add_sums(const int32_t* from, size_t n, int32_t* to);

/// Sums by key, in sets of four: a sum that was not asked for lately gives way to a new one. Its memory is
/// bounded, and used only as far as it fills.
class SumTable {
 public:
  /// Each entry has this many integers, a multiple of kLanes.
  SumTable(size_t entry_size, size_t most_entries, size_t most_bytes);

  /// The sums under a key, or null.
  const int32_t* find(uint64_t key) {
    Set& set = sets_[set_of(key)];
    for (uint32_t way = 0; way < kWays; ++way) {
      if (set.key[way] != key + (key == kEmpty)) continue;
      used_[set_of(key)] |= static_cast<uint8_t>(1u << way);
      return at(set_of(key), way);
    }
    return nullptr;
  }
  /// Asks the memory for what find() will look at.
  void prefetch(uint64_t key) const { __builtin_prefetch(&sets_[set_of(key)]); }
  /// The place of a new key's sums, to be filled by the caller; another key may lose its own.
  int32_t* insert(uint64_t key);

  size_t entries() const { return sets_.size() * kWays; }

 private:
  static constexpr size_t kWays = 4;
  static constexpr uint64_t kEmpty = 0;
  struct Set {
    uint64_t key[kWays] = {kEmpty, kEmpty, kEmpty, kEmpty};
  };
  struct Free {
    void operator()(int32_t* p) const { AlignedAllocator<int32_t>().deallocate(p, 0); }
  };

  size_t set_of(uint64_t key) const { return (key * 0x9E3779B97F4A7C15ull) >> shift_; }
  int32_t* at(size_t set, size_t way) const { return sums_.get() + (set * kWays + way) * entry_size_; }

  size_t entry_size_;
  int shift_ = 0;
  AlignedVector<Set> sets_;
  std::vector<uint8_t> used_;  ///< per set, a bit per way: asked for since the last replacement
  std::unique_ptr<int32_t[], Free> sums_;
};

}  // namespace espalier::linear

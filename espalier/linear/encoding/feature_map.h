// The feature table of a model: from a 64-bit hash to a 32-bit value, such as the offset of the feature's
// weights. It is stored in model files and used in place in the mapped file. That is why it is not a
// HashIndex (base/hash_index.h): each slot holds part of the key, so that a lookup costs one cache miss, and
// the layout must never change.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "espalier/base/result.h"
#include "espalier/linear/encoding/key_filter.h"

namespace espalier::linear {

inline constexpr uint32_t kNoFeature = 0xFFFFFFFF;

/// Open addressing. The hash's high bits give the slot, its low 32 bits are stored there and compared. An
/// unknown feature is mistaken for a known one with probability about 2^-32 per probe. Two known features
/// that cannot be distinguished (one pair in some billions) are detected when the table is built: the later
/// one is refused.
///
/// Immutable once built, safe for any number of threads. At most three quarters full, linear probing: a
/// smaller table stays in the cache, which saves more time than the extra probes cost, since eight slots
/// share a cache line.
class FeatureMap {
 public:
  struct Slot {
    uint32_t check;
    uint32_t value;  ///< kNoFeature in an empty slot
  };

  FeatureMap() = default;
  /// Builds the table; entry i maps hashes[i] to values[i]. `refused` gets the entries that cannot be
  /// distinguished from an earlier one.
  static FeatureMap build(std::span<const uint64_t> hashes, std::span<const uint32_t> values,
                          std::vector<uint32_t>* refused);
  /// Those that build() would refuse, ascending.
  static std::vector<uint32_t> indistinguishable(std::span<const uint64_t> hashes);
  /// A view of slots in memory that must outlive it, such as a mapped file. Checks the size, the values, and
  /// that an empty slot exists.
  static Result<FeatureMap> view(std::span<const Slot> slots, uint64_t value_limit);

  FeatureMap(FeatureMap&&) noexcept = default;
  FeatureMap& operator=(FeatureMap&&) noexcept = default;

  uint32_t find(uint64_t hash) const {
    if (slots_.empty()) return kNoFeature;
    const uint32_t check = static_cast<uint32_t>(hash);
    for (uint64_t i = hash >> shift_;; i = (i + 1) & mask_) {
      const Slot slot = slots_[i];
      if (slot.value == kNoFeature || slot.check == check) return slot.value;
    }
  }
  /// False: find() would not find it. Most unknown features are told apart like this, without a look at the
  /// table.
  bool may_have(uint64_t hash) const {
    return !slots_.empty() && filter_.may_have(static_cast<uint32_t>(hash));
  }
  void prefetch(uint64_t hash) const {
    if (!slots_.empty()) __builtin_prefetch(&slots_[hash >> shift_]);
  }
  /// Looks up a batch with the memory accesses overlapped; values[i] = find(hashes[i]). Much faster where
  /// many are unknown, since most of these are never looked for in the table.
  /// `used`: null, or what the values count from, for memory to be asked for what they lead to: at value ·
  /// step, the words that follow.
  void find_all(std::span<const uint64_t> hashes, uint32_t* values, const uint32_t* used = nullptr,
                size_t step = 1) const;

  std::span<const Slot> slots() const { return slots_; }

 private:
  void set_slots(std::span<const Slot> slots);
  /// Fills the table with hashes[i] and value_of(i); calls refuse(i) for what cannot be distinguished.
  template <typename ValueOf, typename Refuse>
  void insert_all(std::span<const uint64_t> hashes, const ValueOf& value_of, const Refuse& refuse);
  void fill_filter(uint64_t entries);

  std::vector<Slot> owned_;
  std::span<const Slot> slots_;
  uint64_t mask_ = 0;
  int shift_ = 63;
  KeyFilter filter_;  ///< of the `check` of every entry
};

}  // namespace espalier::linear

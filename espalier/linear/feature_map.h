// From a feature's 64-bit hash to the place of its weights.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "espalier/base/result.h"

namespace espalier::linear {

inline constexpr uint32_t kNoFeature = 0xFFFFFFFF;

/// An open-addressing table from hash to a 32-bit value (a feature's number, or where its row starts), laid
/// out to be stored in a file and used where it lies. A slot is found by the hash's high bits and told apart
/// by its low 32; a feature never seen is mistaken for a known one with probability about 2^-32 a probe. Two
/// known features that this cannot tell apart (one pair in some billions) are found when the table is built:
/// the later one is refused.
///
/// Immutable once built, safe for any number of threads. At most three quarters full, linear probing: a
/// smaller table stays in the cache, which is worth more than the slots that are probed in vain, eight of
/// which share a line.
class FeatureMap {
 public:
  struct Slot {
    uint32_t check;
    uint32_t value;  ///< kNoFeature in an empty slot
  };

  FeatureMap() = default;
  /// Builds the table; entry i maps hashes[i] to values[i]. Returns in `refused` the entries that an earlier
  /// one hides.
  static FeatureMap build(std::span<const uint64_t> hashes, std::span<const uint32_t> values,
                          std::vector<uint32_t>* refused);
  /// A view of slots that live elsewhere (a mapped file) and stay there. Checks the size and that an empty
  /// slot exists.
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
  void prefetch(uint64_t hash) const {
    if (!slots_.empty()) __builtin_prefetch(&slots_[hash >> shift_]);
  }
  /// Looks up a batch with the memory accesses overlapped; values[i] = find(hashes[i]).
  void find_all(std::span<const uint64_t> hashes, uint32_t* values) const;

  std::span<const Slot> slots() const { return slots_; }

 private:
  void set_slots(std::span<const Slot> slots);

  std::vector<Slot> owned_;
  std::span<const Slot> slots_;
  uint64_t mask_ = 0;
  int shift_ = 63;
};

}  // namespace espalier::linear

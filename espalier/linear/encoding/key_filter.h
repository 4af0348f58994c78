// A small table that says of most keys that are not in a set that they are not. FeatureMap asks it first: of
// the features of new text many are unknown, and the filter, unlike the table, fits into a core's own cache.
// Tested in feature_map_test.cc.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

namespace espalier::linear {

/// A Bloom filter whose three bits of a key lie in one word (Putze, Sanders and Singler 2007): one load per
/// question. With 8 bits per key it lets some 5 % of the unknown keys pass; a known key always passes.
class KeyFilter {
 public:
  KeyFilter() = default;
  /// For this many keys.
  explicit KeyFilter(uint64_t keys)
      : words_(std::bit_ceil(std::max<uint64_t>(2, keys / 8)), 0),
        shift_(64 - std::countr_zero(words_.size())) {}

  void add(uint32_t key) {
    const uint64_t m = mixed(key);
    words_[m >> shift_] |= bits(m);
  }
  /// False: the key was not added. Precondition: made for some number of keys.
  bool may_have(uint32_t key) const {
    const uint64_t m = mixed(key), wanted = bits(m);
    return (words_[m >> shift_] & wanted) == wanted;
  }

  /// The places of the hashes whose lower halves may be keys, ascending; returns how many. `out` has room for
  /// as many as there are hashes.
  size_t likely(std::span<const uint64_t> hashes, uint32_t* out) const;

  // ---- for likely(): where the bits of a key are ---------------------------------------------------------
  static constexpr uint64_t kFactor = 0x9E3779B97F4A7C15ull;
  static uint64_t mixed(uint32_t key) { return (key | uint64_t{1} << 32) * kFactor; }
  static uint64_t bits(uint64_t m) {
    return uint64_t{1} << (m >> 24 & 63) | uint64_t{1} << (m >> 30 & 63) | uint64_t{1} << (m >> 36 & 63);
  }

 private:
  std::vector<uint64_t> words_;
  int shift_ = 63;
};

}  // namespace espalier::linear

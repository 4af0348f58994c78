// A hash table over the entries of one layer of a search.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace espalier::constrain {

/// Where partial labellings of a layer that agree find each other: open addressing over numbers, kept from
/// layer to layer.
class LayerTable {
 public:
  void clear() { std::fill(slots_.begin(), slots_.end(), kEmpty); }
  /// The place of an entry that `same` recognises, or an empty one. `hash_of` gives the hash of an entry
  /// there is.
  template <typename Same, typename HashOf>
  uint32_t& find(uint64_t hash, size_t entries, const Same& same, const HashOf& hash_of) {
    if (2 * (entries + 1) > slots_.size()) grow(entries, hash_of);
    for (size_t i = hash & (slots_.size() - 1);; i = (i + 1) & (slots_.size() - 1))
      if (slots_[i] == kEmpty || same(slots_[i])) return slots_[i];
  }
  static constexpr uint32_t kEmpty = 0xFFFFFFFF;

 private:
  template <typename HashOf>
  void grow(size_t entries, const HashOf& hash_of) {
    slots_.assign(std::max<size_t>(64, slots_.size() * 4), kEmpty);
    for (uint32_t e = 0; e < entries; ++e) {
      size_t i = hash_of(e) & (slots_.size() - 1);
      while (slots_[i] != kEmpty) i = (i + 1) & (slots_.size() - 1);
      slots_[i] = e;
    }
  }
  std::vector<uint32_t> slots_;
};

}  // namespace espalier::constrain

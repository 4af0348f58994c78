// The hash table of the project for data that grows: an index of entries that the caller keeps in arrays of
// its own. Entries are numbered 0, 1, 2 … in the order in which they are added, so results never depend on
// the table.
//
//   HashIndex index;
//   std::vector<uint64_t> keys;
//   const auto same = [&](uint32_t entry) { return keys[entry] == key; };
//   const auto hash_of = [&](uint32_t entry) { return hash(keys[entry]); };
//   const uint32_t entry = index.find_or_add(hash(key), keys.size(), same, hash_of);
//   if (entry == keys.size()) keys.push_back(key);  // it is new
//
// Costs 4 bytes per slot, 8 to 32 per entry. Finding takes about 1.5 probes; adding is amortised O(1).
// Entries cannot be removed one by one. linear::FeatureMap, which lives in model files, is the only other
// table.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace espalier {

/// Open addressing with linear probing, at most half full. The slot is taken from the high bits of the hash
/// times an odd constant, so that hashes which differ in few bits, or share their low ones, do not pile up.
/// Safe for any number of readers.
class HashIndex {
 public:
  static constexpr uint32_t kNone = 0xFFFFFFFF;

  /// `slots`: a power of two, 2 or more.
  explicit HashIndex(size_t slots = 64) { reset(slots); }

  /// Forgets all entries and keeps the memory.
  void clear() { std::fill(slots_.begin(), slots_.end(), kNone); }
  /// Makes room for this many entries. Precondition: there are none yet.
  void reserve(size_t entries) { reset(std::bit_ceil(std::max(2 * entries, slots_.size()))); }

  /// The entry of this hash for which same(entry) holds, or kNone.
  template <typename Same>
  uint32_t find(uint64_t hash, const Same& same) const {
    for (size_t i = slot_of(hash);; i = (i + 1) & mask_) {
      const uint32_t entry = slots_[i];
      if (entry == kNone || same(entry)) return entry;
    }
  }

  /// The same, but if there is none, the entry is added with the number `entries`, which is returned; the
  /// caller then appends it to its arrays. `entries` is the number of entries so far. hash_of(entry) must
  /// return the hash of an entry added before; it is called when the table grows.
  template <typename Same, typename HashOf>
  uint32_t find_or_add(uint64_t hash, size_t entries, const Same& same, const HashOf& hash_of) {
    size_t i = slot_of(hash);
    for (; slots_[i] != kNone; i = (i + 1) & mask_)
      if (same(slots_[i])) return slots_[i];
    if (2 * (entries + 1) > slots_.size()) {
      grow(entries, hash_of);
      i = empty_slot(hash);
    }
    return slots_[i] = static_cast<uint32_t>(entries);
  }

  /// Begins to load the slot of a hash that will be looked up soon.
  void prefetch(uint64_t hash) const { __builtin_prefetch(&slots_[slot_of(hash)]); }
  /// The entry in the first slot where this hash may be, or kNone: in most cases the one that find() returns.
  /// For loading ahead what the caller keeps of it.
  uint32_t likely(uint64_t hash) const { return slots_[slot_of(hash)]; }

 private:
  size_t slot_of(uint64_t hash) const { return (hash * 0x9E3779B97F4A7C15ull) >> shift_; }
  size_t empty_slot(uint64_t hash) const {
    size_t i = slot_of(hash);
    while (slots_[i] != kNone) i = (i + 1) & mask_;
    return i;
  }
  void reset(size_t slots) {
    slots_.assign(slots, kNone);
    mask_ = slots - 1;
    shift_ = 64 - std::countr_zero(slots);
  }
  /// Small tables grow in larger steps: there rehashing costs more than the memory is worth.
  template <typename HashOf>
  void grow(size_t entries, const HashOf& hash_of) {
    reset(slots_.size() * (slots_.size() < (size_t{1} << 16) ? 4 : 2));
    for (uint32_t entry = 0; entry < entries; ++entry) slots_[empty_slot(hash_of(entry))] = entry;
  }

  std::vector<uint32_t> slots_;
  size_t mask_ = 0;
  int shift_ = 0;
};

}  // namespace espalier

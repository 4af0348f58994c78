// FrequentHashes: finds which of very many hashes occur often, with one byte per expected occurrence or so
// instead of a hash table. Header only; tested in espalier/model/training/train_search_test.cc.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

namespace espalier::tasks {

/// Counts hashes in a table of bytes in which several hashes may share an entry: counts are never too low,
/// and seldom too high. Most features of spans of text occur once and are useless. A first walk over the data
/// counts them here, and the second keeps only those that may matter.
class FrequentHashes {
 public:
  /// `enough`: the count from which a hash may matter, at least 1. `occurrences`: roughly how many will be
  /// added.
  FrequentHashes(uint64_t occurrences, uint32_t enough)
      : enough_(static_cast<uint8_t>(std::min<uint32_t>(enough, kMarked - 1))),
        shift_(64 - std::countr_zero(std::bit_ceil(std::clamp(occurrences, kFewest, kMost)))),
        counts_(uint64_t{1} << (64 - shift_)) {}

  void add(uint64_t hash) {
    uint8_t& count = counts_[hash >> shift_];
    if (count < enough_) ++count;
  }
  /// Begins to load the count of a hash that will be asked for soon: the table is larger than any cache.
  void prefetch(uint64_t hash) const { __builtin_prefetch(&counts_[hash >> shift_]); }
  /// Makes the hash matter, however often it occurs.
  void mark(uint64_t hash) { counts_[hash >> shift_] = kMarked; }
  /// Whether the hash may have been marked or added `enough` times; if false, it certainly was not.
  bool may_matter(uint64_t hash) const { return counts_[hash >> shift_] >= enough_; }

 private:
  static constexpr uint8_t kMarked = 0xFF;
  static constexpr uint64_t kFewest = 1 << 12, kMost = 1 << 27;
  uint8_t enough_;
  int shift_;
  std::vector<uint8_t> counts_;
};

}  // namespace espalier::tasks

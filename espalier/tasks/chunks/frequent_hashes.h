// Which of very many hashes come up often, in little memory.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

namespace espalier::tasks {

/// Counts hashes in a table of bytes, where several may share a place: counts are never too low, and seldom
/// too high. Most of what spans of text look like occurs once and is of no use; a first walk over the data
/// finds out what may be, and the second keeps nothing else.
class FrequentHashes {
 public:
  /// `enough`: the count from which a hash may matter, at least 1. `occurrences`: about how many there are.
  FrequentHashes(uint64_t occurrences, uint32_t enough)
      : enough_(static_cast<uint8_t>(std::min<uint32_t>(enough, kMarked - 1))),
        shift_(64 - std::countr_zero(std::bit_ceil(std::clamp(occurrences, kFewest, kMost)))),
        counts_(uint64_t{1} << (64 - shift_)) {}

  void add(uint64_t hash) {
    uint8_t& count = counts_[hash >> shift_];
    if (count < enough_) ++count;
  }
  /// It matters, however often it occurs.
  void mark(uint64_t hash) { counts_[hash >> shift_] = kMarked; }
  /// False: it was neither marked nor added `enough` times.
  bool may_matter(uint64_t hash) const { return counts_[hash >> shift_] >= enough_; }

 private:
  static constexpr uint8_t kMarked = 0xFF;
  static constexpr uint64_t kFewest = 1 << 12, kMost = 1 << 27;
  uint8_t enough_;
  int shift_;
  std::vector<uint8_t> counts_;
};

}  // namespace espalier::tasks

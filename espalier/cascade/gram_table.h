// Label n-grams and their numbers. Tested in trellis_test.cc.
#pragma once

#include <cstdint>
#include <vector>

#include "espalier/base/hash_index.h"
#include "espalier/base/result.h"

namespace espalier::cascade {

inline constexpr uint32_t kNoGram = 0xFFFFFFFF;

/// A trie of label n-grams, each known by a number: a gram is the gram without its last symbol (its prefix)
/// and that symbol. Symbols are the labels 0 … K−1, start() before the first position and end() behind the
/// last; the numbers of grams of one symbol are the symbols. Every level keeps one weight a gram, so that the
/// table is shared and a gram is looked up once, when the arc that stands for it is made.
///
/// Only grams that were alive in some training lattice are here; there are never K^d of them. Looking up is
/// O(1), safe for any number of threads while nobody adds.
class GramTable {
 public:
  explicit GramTable(size_t labels = 0);
  /// From the entries of another one, in order; an error where they make no trie.
  struct Entry {
    uint32_t prefix;
    uint32_t last;
    bool operator==(const Entry&) const = default;
  };
  static Result<GramTable> from_entries(size_t labels, const std::vector<Entry>& entries);

  size_t labels() const { return labels_; }
  uint32_t start() const { return static_cast<uint32_t>(labels_); }
  uint32_t end() const { return static_cast<uint32_t>(labels_) + 1; }
  /// Numbers are below this; those below single() are single symbols.
  size_t size() const { return single() + entries_.size(); }
  size_t single() const { return labels_ + 2; }
  /// Entry i is gram single() + i.
  const std::vector<Entry>& entries() const { return entries_; }
  /// Precondition: gram ≥ single().
  Entry entry(uint32_t gram) const { return entries_[gram - single()]; }
  /// How many symbols a gram has.
  size_t order(uint32_t gram) const;

  /// The gram `prefix` followed by `last`, or kNoGram; kNoGram has no successors.
  uint32_t find(uint32_t prefix, uint32_t last) const {
    if (prefix == kNoGram) return kNoGram;
    const uint32_t found = index_.find(hash(prefix, last), [&](uint32_t e) {
      return entries_[e].prefix == prefix && entries_[e].last == last;
    });
    return found == HashIndex::kNone ? kNoGram : static_cast<uint32_t>(single()) + found;
  }
  /// The same, added where it is not there yet. Precondition: the prefix is in the table.
  uint32_t add(uint32_t prefix, uint32_t last);

 private:
  static uint64_t hash(uint32_t prefix, uint32_t last) {
    uint64_t x = (uint64_t{prefix} << 32 | last) * 0x9E3779B97F4A7C15ull;
    return x ^ x >> 29;
  }

  size_t labels_ = 0;
  std::vector<Entry> entries_;
  HashIndex index_;
};

}  // namespace espalier::cascade

// Numbers label n-grams, so that levels can store one weight per n-gram. find() is O(1), for two symbols one
// load. Tested in trellis_test.cc.
#pragma once

#include <cstdint>
#include <vector>

#include "espalier/base/hash_index.h"
#include "espalier/base/result.h"

namespace espalier::cascade {

inline constexpr uint32_t kNoGram = 0xFFFFFFFF;

/// A trie of label n-grams with numbers. A gram consists of its prefix (the gram without its last symbol) and
/// its last symbol. Symbols are the labels 0 … K−1, start() before the first position, and end() after the
/// last; a gram of one symbol has the number of the symbol. All levels share the table, and a gram is looked
/// up once, when the arc that stands for it is made.
///
/// Only grams that were alive in some training lattice are stored, never all K^d. Safe for any number of
/// readers.
class GramTable {
 public:
  explicit GramTable(size_t labels = 0);
  /// From the entries of another table, in order; an error if they are not a trie.
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
    if (prefix < direct_rows_) return direct_[prefix * single() + last];
    if (prefix == kNoGram) return kNoGram;
    const uint32_t found = index_.find(hash(prefix, last), [&](uint32_t e) {
      return entries_[e].prefix == prefix && entries_[e].last == last;
    });
    return found == HashIndex::kNone ? kNoGram : static_cast<uint32_t>(single()) + found;
  }
  /// The same, but the gram is added if it is missing. Precondition: the prefix is in the table.
  uint32_t add(uint32_t prefix, uint32_t last);

 private:
  static uint64_t hash(uint32_t prefix, uint32_t last) {
    uint64_t x = (uint64_t{prefix} << 32 | last) * 0x9E3779B97F4A7C15ull;
    return x ^ x >> 29;
  }

  size_t labels_ = 0;
  std::vector<Entry> entries_;
  HashIndex index_;
  /// The grams that follow the first prefixes, in a table of prefix × last symbol: with a moderate number of
  /// labels, those of all grams of two symbols and of many of three. Lattices ask for little else.
  static constexpr size_t kMostDirect = size_t{1} << 18;
  size_t direct_rows_ = 0;
  std::vector<uint32_t> direct_;
  void add_direct_rows();
};

}  // namespace espalier::cascade

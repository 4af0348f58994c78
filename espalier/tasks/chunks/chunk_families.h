// Which features of chunks there are: base features, and ways to look at them (section 6.1.3).
#pragma once

#include <array>
#include <bitset>
#include <string>
#include <string_view>

#include "espalier/base/result.h"

namespace espalier::tasks {

/// What is looked at in a word.
enum class ChunkBase {
  kWord,      ///< as it stands
  kLower,     ///< in lower case
  kStem,      ///< where there is a stemmer
  kRest,      ///< what the word has beyond its stem
  kCase,      ///< the pattern of upper and lower case, digits and signs
  kAffixes,   ///< first and last 1, 2 and 3 characters
  kSymbols,   ///< the other columns: parts of speech and the like
  kInitials,  ///< their first characters
  kLists,     ///< membership in word lists
};
inline constexpr size_t kChunkBases = 9;

/// How a chunk looks at them.
enum class ChunkWay {
  kRoles,    ///< of its first word, of those that go on in it, of its last
  kPlaces,   ///< of its second word, its third …
  kAround,   ///< of the two words before it and the two after it
  kPairs,    ///< of two words within it that follow each other
  kTriples,  ///< of three
  kWholes,   ///< of all its words, one after the other
};
inline constexpr size_t kChunkWays = 6;

/// A choice of both; whether words and symbols at the chunk's edges are joined; and whether all words of the
/// chunk before are looked at, not only its first and its last.
class ChunkFamilies {
 public:
  /// None.
  ChunkFamilies() = default;
  /// `no`; `all`; `yes`, the usual ones; or a list separated by commas of these and WAY or WAY:BASE+BASE…,
  /// such as wholes,pairs:low+case, and edges, before.
  static Result<ChunkFamilies> parse(std::string_view text);
  static ChunkFamilies usual();
  static ChunkFamilies all();
  /// What parse() takes for the same.
  std::string text() const;

  bool has(ChunkWay way, ChunkBase base) const {
    return bases_[static_cast<size_t>(way)][static_cast<size_t>(base)];
  }
  bool has(ChunkWay way) const { return bases_[static_cast<size_t>(way)].any(); }
  bool edges() const { return edges_; }
  bool before() const { return before_; }
  bool none() const { return *this == ChunkFamilies(); }
  bool operator==(const ChunkFamilies&) const = default;

 private:
  std::array<std::bitset<kChunkBases>, kChunkWays> bases_;
  bool edges_ = false, before_ = false;
};

}  // namespace espalier::tasks

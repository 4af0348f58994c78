// The choice of chunk features (SEARN, section 6.1.3): base features of words, and the ways in which a chunk
// combines them. ChunkFamilies::parse() reads the choice from a parameter; chunk_features.h computes the
// features. Tested in chunk_features_test.cc.
#pragma once

#include <array>
#include <bitset>
#include <string>
#include <string_view>

#include "espalier/base/result.h"

namespace espalier::tasks {

/// The property of a word that a feature is made of.
enum class ChunkBase {
  kWord,      ///< the word itself
  kLower,     ///< in lower case
  kStem,      ///< if there is a stemmer
  kRest,      ///< the part of the word after its stem
  kCase,      ///< the pattern of upper and lower case, digits and other characters
  kAffixes,   ///< first and last 1, 2 and 3 characters
  kSymbols,   ///< the other columns, such as parts of speech
  kInitials,  ///< their first characters
  kLists,     ///< membership in word lists
};
inline constexpr size_t kChunkBases = 9;

/// How a chunk combines them.
enum class ChunkWay {
  kRoles,    ///< of its first word, of the words that continue it, of its last word
  kPlaces,   ///< of its second word, its third and so on
  kAround,   ///< of the two words before it and the two after it
  kPairs,    ///< of two adjacent words in it
  kTriples,  ///< of three adjacent words
  kWholes,   ///< of all its words in order
};
inline constexpr size_t kChunkWays = 6;

/// A set of pairs of way and base. Also says whether words and symbols on both sides of the chunk's edges are
/// joined, and whether all words of the previous chunk are used instead of its first and last only.
class ChunkFamilies {
 public:
  /// The empty set.
  ChunkFamilies() = default;
  /// Parses `no`; `all`; `yes`, the default set; or a comma-separated list of these and WAY or
  /// WAY:BASE+BASE…, such as wholes,pairs:low+case, and edges, before.
  static Result<ChunkFamilies> parse(std::string_view text);
  static ChunkFamilies usual();
  static ChunkFamilies all();
  /// The text from which parse() makes the same set.
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

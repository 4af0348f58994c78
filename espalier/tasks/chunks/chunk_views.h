// The base features of every word of a sequence, from which chunk features are made: ChunkViews::look_at()
// computes them once per sequence, hash() and text() look them up. Stemming with libstemmer takes most of the
// time. Tested in chunk_features_test.cc.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "espalier/data/sequence.h"
#include "espalier/data/stemmer.h"
#include "espalier/tasks/chunks/chunk_families.h"
#include "espalier/tasks/chunks/word_list.h"

namespace espalier::tasks {

/// What to look at in addition to the template's token features.
struct ChunkFeatureOptions {
  std::vector<size_t> columns;  ///< the cells: the first is the word, the others symbols; empty: no cells
  std::string stemmer;          ///< language of the stemmer, as libstemmer names it; empty: no stems
  ChunkFamilies meta = ChunkFamilies::usual();  ///< none: only the token features, by their role in the chunk
  std::vector<WordList> lists;
};

/// The length in bytes of the longest common beginning of a word and its stem, whatever letters stemming
/// changed after it. Never ends inside a character.
size_t common_beginning(std::string_view word, std::string_view stem);

/// One row of hashes per token, one hash per view. A view is a single base feature: there are six for
/// affixes, one per column for symbols and one per list.
class ChunkViews {
 public:
  static constexpr uint64_t kOutside = 0x0DDBA11;  ///< beyond the ends of the sequence
  static constexpr uint64_t kAbsent = 0;           ///< not in the list, no stemmer, or too few characters

  ChunkViews();
  ~ChunkViews();
  ChunkViews(ChunkViews&&) noexcept;
  ChunkViews& operator=(ChunkViews&&) noexcept;

  /// Computes all views. The sequence and the options must stay in place as long as texts are asked for.
  void look_at(const data::Sequence& sequence, const ChunkFeatureOptions& options);

  size_t tokens() const { return tokens_; }
  size_t size() const { return views_.size(); }
  ChunkBase base(size_t view) const { return views_[view].base; }
  /// Distinguishes the view in hashes, whatever other views exist.
  uint64_t key(size_t view) const { return views_[view].key; }
  const std::string& name(size_t view) const { return views_[view].name; }
  uint64_t hash(ptrdiff_t token, size_t view) const {
    if (token < 0 || token >= static_cast<ptrdiff_t>(tokens_)) return kOutside;
    return hashes_[static_cast<size_t>(token) * views_.size() + view];
  }
  /// The text that was hashed; ^ beyond the ends, - if there is none.
  std::string text(ptrdiff_t token, size_t view) const;
  /// The words of a span in lower case, separated by single blanks.
  std::string phrase(size_t first, size_t length) const;

  /// The view of lower-case words.
  size_t lower() const { return 1; }
  /// The views that the options combine in this way.
  std::span<const size_t> of(ChunkWay way) const { return ways_[static_cast<size_t>(way)]; }
  /// The views that tell the kind of a token: its symbols, or its case pattern if it has none.
  const std::vector<size_t>& tags() const { return tags_; }

 private:
  struct View {
    ChunkBase base;
    size_t number;  ///< which affix, column or list
    uint64_t key;
    std::string name;
  };
  void list_views(const ChunkFeatureOptions& options);
  /// The text of a view of a token; false if there is none.
  bool text_of(size_t token, const View& view, std::string_view& text) const;

  const data::Sequence* sequence_ = nullptr;
  const ChunkFeatureOptions* options_ = nullptr;
  std::vector<View> views_;
  std::vector<size_t> tags_;
  std::array<std::vector<size_t>, kChunkWays> ways_;
  size_t tokens_ = 0;
  std::vector<uint64_t> hashes_;           ///< tokens × views
  std::vector<std::string> lower_, stem_;  ///< per token
  mutable std::string made_;
  std::string language_;
  data::Stemmer stemmer_;  ///< for the language in use; created when needed
};

}  // namespace espalier::tasks

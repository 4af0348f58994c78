// The base features of every word of a sequence, for features of chunks.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "espalier/data/sequence.h"
#include "espalier/tasks/chunks/chunk_families.h"
#include "espalier/tasks/chunks/word_list.h"

struct sb_stemmer;

namespace espalier::tasks {

/// What to look at beside the token features of the template.
struct ChunkFeatureOptions {
  std::vector<size_t> columns;  ///< the cells; the first is the word, the others symbols; empty: no cells
  std::string stemmer;          ///< language of the stems as libstemmer calls it; empty: no stems
  ChunkFamilies meta =
      ChunkFamilies::usual();  ///< none: the token features alone, by their role in the chunk
  std::vector<WordList> lists;
};

/// Fails where there is no such stemmer.
Status check_stemmer(const std::string& language);

/// Where a word's stem leaves it, in bytes: the longest beginning that both have in common, whatever letters
/// stemming rewrote behind it.
size_t common_beginning(std::string_view word, std::string_view stem);

/// A row of hashes a token, one for each view of it. Views are the base features one by one: affixes are six,
/// symbols one a column, lists one each.
class ChunkViews {
 public:
  static constexpr uint64_t kOutside = 0x0DDBA11;  ///< beyond the ends of the sequence
  static constexpr uint64_t kAbsent = 0;  ///< not in the list; no stemmer; a word without so many characters

  ChunkViews();
  ~ChunkViews();
  ChunkViews(ChunkViews&&) noexcept;
  ChunkViews& operator=(ChunkViews&&) noexcept;

  /// The sequence must stay where it is as long as texts are asked for; the options likewise.
  void look_at(const data::Sequence& sequence, const ChunkFeatureOptions& options);

  size_t tokens() const { return tokens_; }
  size_t size() const { return views_.size(); }
  ChunkBase base(size_t view) const { return views_[view].base; }
  /// Tells views apart in hashes, whatever other views there are.
  uint64_t key(size_t view) const { return views_[view].key; }
  const std::string& name(size_t view) const { return views_[view].name; }
  uint64_t hash(ptrdiff_t token, size_t view) const {
    if (token < 0 || token >= static_cast<ptrdiff_t>(tokens_)) return kOutside;
    return hashes_[static_cast<size_t>(token) * views_.size() + view];
  }
  /// What was hashed: ^ beyond the ends, - where there is nothing.
  std::string text(ptrdiff_t token, size_t view) const;
  /// The words of a span in lower case, a blank between them.
  std::string phrase(size_t first, size_t length) const;

  /// The view of words in lower case.
  size_t lower() const { return 1; }
  /// Those that name the kind of a token: its symbols, or its case pattern where it has none.
  const std::vector<size_t>& tags() const { return tags_; }

 private:
  struct View {
    ChunkBase base;
    size_t number;  ///< of the affix, the column or the list
    uint64_t key;
    std::string name;
  };
  void list_views(const ChunkFeatureOptions& options);
  /// The text of a view of a token; false: there is none.
  bool text_of(size_t token, const View& view, std::string_view& text) const;

  const data::Sequence* sequence_ = nullptr;
  const ChunkFeatureOptions* options_ = nullptr;
  std::vector<View> views_;
  std::vector<size_t> tags_;
  size_t tokens_ = 0;
  std::vector<uint64_t> hashes_;           ///< tokens × views
  std::vector<std::string> lower_, stem_;  ///< per token
  mutable std::string made_;
  struct StemmerDeleter {
    void operator()(sb_stemmer* s) const;
  };
  std::string language_;
  std::unique_ptr<sb_stemmer, StemmerDeleter> stemmer_;  ///< of that language, once one is asked for
};

}  // namespace espalier::tasks

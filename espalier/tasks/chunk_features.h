// What a chunk looks like as a whole: the features of section 6.1.3, in blocks that chunks share.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "espalier/base/result.h"
#include "espalier/data/features.h"
#include "espalier/data/sequence.h"
#include "espalier/tasks/chunk_space.h"

namespace espalier::tasks {

/// What to look at beside the token features of the template.
struct ChunkFeatureOptions {
  std::vector<size_t> columns;  ///< the cells; the first is the word, the others symbols; empty: no cells
  std::string stemmer;          ///< language of the stems as libstemmer calls it; empty: no stems
  bool meta = true;             ///< false: the token features alone, by their place in the chunk
  /// Word lists: hashes of entries in lower case, ascending; an entry may have several words.
  struct WordList {
    std::string name;
    std::vector<uint64_t> entries;
  };
  std::vector<WordList> lists;
};

/// Reads a word list, one entry a line; its name is the file's, without folder and extension.
Result<ChunkFeatureOptions::WordList> read_word_list(const std::string& path);

/// Fills the blocks of ChunkBlocks: the token's template features under the names begin, inside and end of a
/// chunk; stems, what stemming cut off, list membership; pairs and triples within the chunk; the chunk as a
/// whole, with its length and its neighbours. Immutable; scratch is the caller's.
class ChunkFeatures {
 public:
  class Scratch {
   public:
    Scratch();
    ~Scratch();
    Scratch(Scratch&&) noexcept;
    Scratch& operator=(Scratch&&) noexcept;
    struct Buffers;
    std::unique_ptr<Buffers> buffers;
  };

  /// Fails where there is no such stemmer.
  static Result<ChunkFeatures> make(ChunkFeatureOptions options, size_t longest);

  /// `tokens` are the token features of the same sequence. Replaces `out` (a block takes the place of a
  /// position) and `looks`.
  void extract(const data::Sequence& sequence, const data::HashedFeatures& tokens, Scratch& scratch,
               data::HashedFeatures& out, std::vector<TokenLook>& looks) const;
  /// The readable name of a block's slot, for what extract() made of the sequence last.
  std::string name(const data::Sequence& sequence, const data::FeatureExtractor& extractor,
                   const data::HashedFeatures& tokens, Scratch& scratch, uint32_t block, size_t slot) const;

  const ChunkFeatureOptions& options() const { return options_; }

 private:
  ChunkFeatures(ChunkFeatureOptions options, size_t longest)
      : options_(std::move(options)), longest_(longest) {}
  void look_at(const data::Sequence& sequence, Scratch::Buffers& b) const;
  template <typename Emit>
  void meta_of_block(const Scratch::Buffers& b, size_t tokens, uint32_t block, const Emit& emit) const;

  ChunkFeatureOptions options_;
  size_t longest_;
};

}  // namespace espalier::tasks

// What a chunk looks like as a whole: the features of section 6.1.3, in blocks that chunks share.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "espalier/base/result.h"
#include "espalier/data/features/features.h"
#include "espalier/data/sequence.h"
#include "espalier/tasks/chunks/chunk_views.h"
#include "espalier/tasks/spaces/chunk_space.h"

namespace espalier::tasks {

/// Fills the blocks of ChunkBlocks: the token's template features under the names begin, inside and end of a
/// chunk, and what ChunkFamilies says of base features at places within the chunk, before and after it, in
/// pairs and triples, and of the chunk as a whole, with its length and its neighbours. Immutable.
class ChunkFeatures {
 public:
  /// Fails where there is no such stemmer.
  static Result<ChunkFeatures> make(ChunkFeatureOptions options, size_t longest);

  /// `tokens` are the token features of the same sequence. Replaces `views`, `out` (a block takes the place
  /// of a position) and `looks`. `views` refer to the sequence and to this.
  void extract(const data::Sequence& sequence, const data::HashedFeatures& tokens, ChunkViews& views,
               data::HashedFeatures& out, std::vector<TokenLook>& looks) const;
  /// The readable name of a block's slot, for what extract() made of the sequence last; it tells the values.
  std::string name(const data::Sequence& sequence, const data::FeatureExtractor& extractor,
                   const data::HashedFeatures& tokens, const ChunkViews& views, uint32_t block,
                   size_t slot) const;

  /// Whether tokens are told apart by their places in chunks, which takes blocks of their own.
  bool places() const { return options_.meta.has(ChunkWay::kPlaces); }
  /// Tells the shape what its chunks have features for.
  void announce(SequenceShape& shape) const {
    shape.places = places();
    shape.words_before = options_.meta.before();
  }
  const ChunkFeatureOptions& options() const { return options_; }

 private:
  ChunkFeatures(ChunkFeatureOptions options, size_t longest)
      : options_(std::move(options)), longest_(longest) {}
  ChunkBlocks blocks_of(size_t tokens) const { return {tokens, longest_, places()}; }
  template <typename Emit, typename Title>
  void visit_grams(const ChunkViews& views, ChunkWay way, uint64_t start, size_t first, size_t length,
                   const Emit& emit, const Title& title) const;
  template <typename Emit>
  void visit_role(const ChunkViews& views, size_t role, size_t t, const Emit& emit) const;
  template <typename Emit>
  void visit_whole(const ChunkViews& views, size_t t, size_t length, const Emit& emit) const;
  template <typename Emit>
  void meta_of_block(const ChunkViews& views, uint32_t block, const Emit& emit) const;

  ChunkFeatureOptions options_;
  size_t longest_;
};

}  // namespace espalier::tasks

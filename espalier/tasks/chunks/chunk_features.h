// Features of whole chunks (SEARN, section 6.1.3), grouped in blocks that chunks share. extract() computes
// all blocks of a sequence, in time and memory proportional to T·M for T tokens and chunks of at most M.
// Chunks longer than M are not represented.
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

/// Fills the blocks of ChunkBlocks: the template features of each token as begin, inside and end of a chunk,
/// and those that ChunkFamilies selects: base features at positions in the chunk, before and after it, in
/// pairs and triples, and of the chunk as a whole, with its length and its neighbours. Immutable.
class ChunkFeatures {
 public:
  /// Fails if the stemmer does not exist.
  static Result<ChunkFeatures> make(ChunkFeatureOptions options, size_t longest);

  /// `tokens` are the token features of the same sequence; null: they are left out, for callers that sum them
  /// themselves, in the roles below. Replaces `views`, `out` (with one entry per block instead of per
  /// position) and `looks`. `views` refers to the sequence and to this object.
  void extract(const data::Sequence& sequence, const data::HashedFeatures* tokens, ChunkViews& views,
               data::HashedFeatures& out, std::vector<TokenLook>& looks) const;
  /// What the features of a token are combined with (hash_combine) in the roles begin, inside, end of a
  /// chunk; block role · T + t has those of token t.
  static std::vector<uint64_t> roles();
  /// The readable name of a feature, values included: the one at `slot` of a block that extract() last made
  /// for this sequence. `of_token` stands at the position block % length.
  std::string name(const data::Sequence& sequence, data::FeatureNames& of_token,
                   const data::HashedFeatures& tokens, const ChunkViews& views, uint32_t block,
                   size_t slot) const;

  /// Whether tokens are distinguished by their position in chunks, which takes additional blocks.
  bool places() const { return options_.meta.has(ChunkWay::kPlaces); }
  /// Sets the fields of the plan that say which chunk features there are.
  void announce(DecisionPlan& plan) const {
    plan.places = places();
    plan.words_before = options_.meta.before();
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
  void meta_of_block(const ChunkViews& views, const ChunkBlocks::What& what, const Emit& emit) const;

  ChunkFeatureOptions options_;
  size_t longest_;
};

}  // namespace espalier::tasks

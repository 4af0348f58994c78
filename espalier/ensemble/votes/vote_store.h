// Votes kept for several passes: in memory while they are few, in a temporary file beyond that.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "espalier/base/files/scratch_file.h"
#include "espalier/base/result.h"
#include "espalier/ensemble/votes/substructures.h"
#include "espalier/ensemble/votes/token_votes.h"
#include "espalier/ensemble/votes/votes.h"

namespace espalier::ensemble {

/// Sequences of token votes, written once and read any number of times, two bytes per vote. Learning spends
/// most of its time reading text, so files are read once and every further pass reads from here. Up to
/// `memory` bytes are held in memory; beyond that everything goes to an unnamed temporary file, which
/// disappears with the process, and memory does not grow with the number of sequences. Filled by one thread;
/// cursors of several threads may read it at the same time afterwards.
class VoteStore {
 public:
  explicit VoteStore(size_t memory = kDefaultMemory) : memory_(memory) {}
  static constexpr size_t kDefaultMemory = size_t{8} << 20;

  Status add(const TokenVotes& votes);
  /// Call once, after the last sequence.
  Status finish();

  size_t experts() const { return experts_; }
  size_t sequences() const { return sequences_; }
  size_t tokens() const { return tokens_; }
  bool in_memory() const { return !file_; }

  /// Reads from the first sequence on.
  class Cursor {
   public:
    explicit Cursor(const VoteStore& store) : store_(&store) {}
    /// False at the end.
    Result<bool> next(TokenVotes& votes);
    void rewind() {
      offset_ = 0;
      in_file_.reset();
    }

   private:
    /// `size` bytes from where the cursor is; null at the end of the store.
    Result<const char*> take(size_t size);

    const VoteStore* store_;
    size_t offset_ = 0;  ///< in memory
    std::optional<ScratchFile::Cursor> in_file_;
  };

 private:
  size_t memory_;
  size_t experts_ = 0, sequences_ = 0, tokens_ = 0;
  std::string bytes_;  ///< all of it, while it is in memory
  std::optional<ScratchFile> file_;
};

/// The substructures of a store's sequences, all or those of a fold, encoded again in every pass. Has its own
/// label set, since encoding may add to it.
class StoreSource : public VoteSource {
 public:
  StoreSource(const VoteStore& store, const SubstructureOptions& options, const data::LabelSet& labels,
              data::Scheme scheme)
      : cursor_(store),
        experts_(store.experts()),
        labels_(labels),
        substructures_(options, labels_, scheme) {}
  /// Only the sequences of fold `fold` of `folds` (data/folds.h) where `inside`, only the others otherwise.
  void select(int folds, int fold, bool inside, uint64_t seed);

  size_t experts() const override { return experts_; }
  Result<bool> next(VoteView& view) override;
  Status rewind() override;
  /// The tokens behind the view returned last, and their number in the store.
  const TokenVotes& tokens() const { return tokens_; }
  size_t number() const { return number_ - 1; }

 private:
  VoteStore::Cursor cursor_;
  size_t experts_;
  data::LabelSet labels_;
  Substructures substructures_;
  TokenVotes tokens_;
  size_t number_ = 0;
  int folds_ = 0, fold_ = 0;
  bool inside_ = true;
  uint64_t seed_ = 0;
};

}  // namespace espalier::ensemble

// Gold and experts side by side, sequence by sequence, token by token.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "espalier/data/label_set.h"
#include "espalier/ensemble/expert_stream.h"
#include "espalier/ensemble/substructures.h"
#include "espalier/ensemble/token_votes.h"
#include "espalier/ensemble/votes.h"

namespace espalier::ensemble {

/// What becomes of sequences that an expert does not have (section 5.5).
enum class Missing {
  kError,     ///< every expert must have every sequence
  kSpread,    ///< it says nothing there; the others share its weight
  kLeaveOut,  ///< such sequences are left out
};
Result<Missing> parse_missing(std::string_view text);
std::string_view missing_name(Missing missing);

/// Reads the reference (gold, or the text to be labelled) and all experts in step and checks that they are
/// about the same tokens. The first mismatch is an error that shows both sides. Where sequences may be
/// missing, an expert whose next sequence is another one is taken to miss this one, and must go on with a
/// later one: files keep the order of the reference. Memory: one sequence a stream.
class AlignedExperts {
 public:
  /// The reference has gold labels where `gold`; its own labels are passed over otherwise.
  AlignedExperts(std::unique_ptr<ExpertStream> reference, std::vector<std::unique_ptr<ExpertStream>> experts,
                 bool gold, Missing missing, data::LabelSet& labels);

  size_t experts() const { return experts_; }
  std::vector<std::string> expert_names() const;

  /// The next sequence, valid until the next call; false at the end. `left_out` says that an expert misses it
  /// and it is to be left out.
  Result<bool> next(TokenVotes& votes, bool& left_out);
  /// The reference's sequence that next() was about.
  const data::Sequence& sequence() const { return reference_->sequence(); }
  const ExpertStream& reference() const { return *reference_; }
  Status rewind();

  size_t missed(size_t expert) const { return missed_[expert]; }  ///< sequences, in the pass so far

 private:
  enum class Match { kSame, kOther };
  Match match(const ExpertStream& stream) const;
  Error mismatch(const ExpertStream& stream) const;
  data::Label intern(std::string_view text);

  std::unique_ptr<ExpertStream> reference_;
  std::vector<std::unique_ptr<ExpertStream>> streams_;
  std::vector<uint8_t> at_end_;
  bool gold_;
  Missing missing_;
  data::LabelSet& labels_;
  size_t experts_ = 0;
  size_t sequence_number_ = 0;
  bool started_ = false;  ///< streams stand at their first sequence, or beyond
  std::vector<size_t> missed_;
};

/// Aligned experts as the votes that learning wants: streamed anew for every pass.
class AlignedSource : public VoteSource {
 public:
  AlignedSource(AlignedExperts& aligned, Substructures& substructures)
      : aligned_(aligned), substructures_(substructures) {}
  size_t experts() const override { return aligned_.experts(); }
  Result<bool> next(VoteView& view) override;
  Status rewind() override { return aligned_.rewind(); }
  /// The tokens behind the view returned last.
  const TokenVotes& tokens() const { return tokens_; }

 private:
  AlignedExperts& aligned_;
  Substructures& substructures_;
  TokenVotes tokens_;
};

}  // namespace espalier::ensemble

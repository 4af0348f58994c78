// Gold and experts read in step, sequence by sequence, token by token.
//
// Make one from open streams (experts/open_experts.h does it for every kind of expert), call rewind, then
// next until it says false. O(tokens × experts), plus the alignment where outputs of unequal length are put
// side by side.
#pragma once

#include <array>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "espalier/data/label_set.h"
#include "espalier/ensemble/experts/expert_stream.h"
#include "espalier/ensemble/experts/multiple_alignment.h"
#include "espalier/ensemble/votes/substructures.h"
#include "espalier/ensemble/votes/token_votes.h"
#include "espalier/ensemble/votes/votes.h"

namespace espalier::ensemble {

/// What is done about sequences that an expert does not have (section 5.5).
enum class Missing {
  kError,     ///< every expert must have every sequence
  kSpread,    ///< it abstains there; the others share its weight
  kLeaveOut,  ///< such sequences are left out
};
Result<Missing> parse_missing(std::string_view text);

/// Reads the reference (gold, or the text to be labelled) and all experts in step and checks that they are
/// about the same tokens. The first mismatch is an error that shows both sides. Where sequences may be
/// missing, an expert whose next sequence is another one is taken to miss this one, and must continue with a
/// later one: files keep the order of the reference. Memory: one sequence per stream.
///
/// Where experts decide themselves how many labels there are (align()), words are ignored: sequences number n
/// of all files belong together, or the one with the same name where files of labels alone name them, and
/// the outputs are aligned (multiple_alignment.h).
class AlignedExperts {
 public:
  /// The reference has gold labels where `gold`; its own labels are ignored otherwise.
  AlignedExperts(std::unique_ptr<ExpertStream> reference, std::vector<std::unique_ptr<ExpertStream>> experts,
                 bool gold, Missing missing, data::LabelSet& labels);

  /// One of the experts is the reference at the same time, without gold: stream number `lead`.
  AlignedExperts(std::vector<std::unique_ptr<ExpertStream>> experts, size_t lead, Missing missing,
                 data::LabelSet& labels);

  size_t experts() const { return experts_; }
  std::vector<std::string> expert_names() const;

  /// From the next rewind on, outputs of unequal length are aligned. Adds kGapText to the labels.
  void align();
  bool aligning() const { return aligner_.has_value(); }
  /// From the next rewind on, experts' probabilities of their labels are read too (ExpertStream). Not
  /// together with align().
  Status ask_probabilities(const std::string& column);
  /// The label of gaps. Precondition: aligning().
  data::Label gap() const { return gap_; }
  /// Whether the error that next() returned was about different numbers of labels, in files that hold labels
  /// alone: what align() is for.
  bool lengths_differ() const { return lengths_differ_; }

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
  Error mismatch(const ExpertStream& stream);
  Result<data::Label> intern(std::string_view text);
  /// The bytes of a text of at most eight, different for different texts of the same size: two overlapping
  /// loads.
  static uint64_t short_text(std::string_view text) {
    const size_t size = text.size();
    if (size >= 4) {
      uint32_t front, back;
      std::memcpy(&front, text.data(), 4);
      std::memcpy(&back, text.data() + size - 4, 4);
      return uint64_t{back} << 32 | front;
    }
    if (size == 0) return 0;
    const auto byte = [&](size_t i) { return uint64_t{static_cast<uint8_t>(text[i])}; };
    return byte(0) | byte(size / 2) << 8 | byte(size - 1) << 16;
  }
  /// The number of a label as intern() gives it, mostly without a search in the label set. False where it
  /// fails.
  bool number_of(std::string_view text, data::Label& label) {
    Recent* recent = nullptr;
    if (text.size() <= sizeof(uint64_t)) {
      const uint64_t bytes = short_text(text);
      const uint64_t key = (bytes ^ text.size()) * 0x9E3779B97F4A7C15ull;
      recent = &recent_[key >> 56];
      if (recent->bytes == bytes && recent->size == text.size()) {
        label = recent->label;
        return true;
      }
      recent->bytes = bytes;
      recent->size = kNothingRecent;
    }
    auto found = intern(text);
    if (!found.ok()) {
      failure_ = std::move(found).error();
      return false;
    }
    label = *found;
    if (recent != nullptr) {
      recent->label = label;
      recent->size = static_cast<uint8_t>(text.size());
    }
    return true;
  }
  Status read_gold(TokenVotes& votes);
  Status read_output(const ExpertStream& stream, size_t w, ExpertOutput& output);

  std::unique_ptr<ExpertStream> apart_;  ///< the reference, where it is not one of the experts
  std::vector<std::unique_ptr<ExpertStream>> streams_;
  ExpertStream* reference_;
  std::vector<uint8_t> at_end_;
  bool gold_;
  Missing missing_;
  data::LabelSet& labels_;
  size_t experts_ = 0;
  size_t sequence_number_ = 0;
  bool started_ = false;  ///< streams are at their first sequence, or later
  bool lengths_differ_ = false;
  /// Labels seen recently: those of up to eight bytes are identified by these bytes and their number.
  static constexpr uint8_t kNothingRecent = 0xFF;
  struct Recent {
    uint64_t bytes = 0;
    uint8_t size = kNothingRecent;
    data::Label label = data::kNoLabel;
  };
  std::array<Recent, 256> recent_;
  Error failure_;  ///< of number_of()
  bool probabilities_ = false;
  std::optional<MultipleAligner> aligner_;
  data::Label gap_ = data::kNoLabel;
  std::vector<ExpertOutput> outputs_;
  ExpertOutput gold_output_;
  std::vector<size_t> missed_;
};

/// Aligned experts as the votes that learning wants: read again for every pass.
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

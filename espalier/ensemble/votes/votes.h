// The experts' votes, substructure by substructure: the form in which every method sees its data. Tested in
// espalier/ensemble/methods/online_test.cc and the tests of the other methods.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "espalier/base/result.h"

namespace espalier::ensemble {

/// The value of a substructure: a label, an interned n-gram, yes or no for a span (substructures.h).
using Value = uint32_t;
/// The value of an expert that abstains, or of unknown gold. It has neither weight nor loss.
inline constexpr Value kAbsent = 0xFFFFFFFF;

/// One sequence as its experts see it: items (substructures) by experts. An item belongs to a slot: items of
/// one slot share their weights. With one slot per position, sequences shorter than the longest are padded to
/// it in effect (section 5.5): the slots behind their end see no item, so padding carries neither weight nor
/// loss. Views; valid as long as their maker says.
struct VoteView {
  size_t experts = 0;              ///< p
  std::span<const uint32_t> slot;  ///< per item
  std::span<const Value> gold;     ///< per item; empty where there is none
  std::span<const Value> votes;    ///< items × p, row by row
  /// Items × p: how sure an expert is of its value, 0 to 1. Empty where experts give none, or are not asked.
  std::span<const float> probability = {};

  size_t items() const { return slot.size(); }
  std::span<const Value> item(size_t i) const { return votes.subspan(i * experts, experts); }
};

/// A stream of sequences that can be read several times. Not thread-safe.
class VoteSource {
 public:
  virtual ~VoteSource() = default;
  virtual size_t experts() const = 0;
  /// The next sequence, valid until the next call; false at the end.
  virtual Result<bool> next(VoteView& view) = 0;
  /// Starts again at the first sequence.
  virtual Status rewind() = 0;
};

/// Sequences in memory, filled item by item. 4 bytes per vote.
class VoteBatch {
 public:
  explicit VoteBatch(size_t expert_count = 0) : experts_(expert_count) {}

  size_t experts() const { return experts_; }
  size_t sequences() const { return begin_.size() - 1; }
  size_t items() const { return slot_.size(); }

  /// Precondition: one vote per expert.
  void add_item(uint32_t slot, Value gold, std::span<const Value> votes) {
    ESPALIER_CHECK(votes.size() == experts_);
    slot_.push_back(slot);
    gold_.push_back(gold);
    votes_.insert(votes_.end(), votes.begin(), votes.end());
  }
  /// Closes the sequence that was added last; it may be empty.
  void end_sequence() { begin_.push_back(slot_.size()); }
  void add(const VoteView& view);

  VoteView operator[](size_t sequence) const {
    const size_t first = begin_[sequence], count = begin_[sequence + 1] - first;
    return {experts_, std::span(slot_).subspan(first, count), std::span(gold_).subspan(first, count),
            std::span(votes_).subspan(first * experts_, count * experts_),
            probability_.empty() ? std::span<const float>()
                                 : std::span(probability_).subspan(first * experts_, count * experts_)};
  }
  void clear() {
    begin_.assign(1, 0);
    slot_.clear();
    gold_.clear();
    votes_.clear();
    probability_.clear();
  }

 private:
  size_t experts_;
  std::vector<size_t> begin_{0};
  std::vector<uint32_t> slot_;
  std::vector<Value> gold_;
  std::vector<Value> votes_;
  std::vector<float> probability_;
};

/// The sequences of a batch, all or those of a list, as a stream. The batch must outlive it.
class BatchSource : public VoteSource {
 public:
  explicit BatchSource(const VoteBatch& batch) : batch_(batch), all_(true) {}
  BatchSource(const VoteBatch& batch, std::vector<uint32_t> chosen)
      : batch_(batch), all_(false), chosen_(std::move(chosen)) {}

  size_t experts() const override { return batch_.experts(); }
  Result<bool> next(VoteView& view) override {
    const size_t count = all_ ? batch_.sequences() : chosen_.size();
    if (at_ == count) return false;
    view = batch_[all_ ? at_ : chosen_[at_]];
    ++at_;
    return true;
  }
  Status rewind() override {
    at_ = 0;
    return {};
  }

 private:
  const VoteBatch& batch_;
  bool all_;
  std::vector<uint32_t> chosen_;
  size_t at_ = 0;
};

/// Calls use(view) for every sequence from the first.
template <typename Use>
Status for_each_sequence(VoteSource& source, const Use& use) {
  ESPALIER_TRY(source.rewind());
  VoteView view;
  while (true) {
    ESPALIER_ASSIGN(const bool more, source.next(view));
    if (!more) return {};
    use(view);
  }
}

}  // namespace espalier::ensemble

// The losses of every expert in every slot, for one sequence at a time. Tested in online_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "espalier/ensemble/votes/votes.h"

namespace espalier::ensemble {

/// The losses of one sequence, summed by slot and expert: 1 for each item that an expert gets wrong. Buffers
/// are used again; only the slots touched are cleared. O(items · p).
class ItemLosses {
 public:
  explicit ItemLosses(size_t experts) : experts_(experts) {}

  void measure(const VoteView& view);

  size_t known() const { return known_; }  ///< items whose gold value is known
  size_t slots() const { return slots_; }  ///< slots seen in any sequence so far
  /// Slots with such items, each once, in order of their first item.
  std::span<const uint32_t> used() const { return used_; }
  /// Those of them in which some expert is wrong or silent.
  std::span<const uint32_t> changed() const { return changed_; }

  /// Errors of each expert in a slot of used().
  std::span<const double> errors(size_t slot) const { return row(errors_, slot); }
  /// The same where an expert that is silent at an item is charged the mean error of those who are not: what
  /// comparing distributions over experts needs, where every expert must have some loss.
  std::span<const double> charges(size_t slot) const { return row(any_silent_ ? charges_ : errors_, slot); }
  /// Whether an expert is silent at all items of the slot.
  bool asleep(size_t slot, size_t expert) const {
    return any_silent_ && silent_[slot * experts_ + expert] == items_[slot];
  }
  bool any_silent() const { return any_silent_; }

 private:
  std::span<const double> row(const std::vector<double>& table, size_t slot) const {
    return std::span(table).subspan(slot * experts_, experts_);
  }
  void clear();
  void grow(size_t slot);
  void charge_silent(std::span<const Value> item, Value gold, size_t slot);

  size_t experts_;
  size_t slots_ = 0;
  size_t known_ = 0;
  bool any_silent_ = false;
  std::vector<uint32_t> used_, changed_;
  std::vector<uint8_t> is_changed_;  ///< per slot
  std::vector<uint32_t> items_;      ///< per slot
  std::vector<double> errors_, charges_;
  std::vector<uint32_t> silent_;
};

}  // namespace espalier::ensemble

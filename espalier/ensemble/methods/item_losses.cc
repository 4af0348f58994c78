#include "espalier/ensemble/methods/item_losses.h"

#include <algorithm>

namespace espalier::ensemble {

void ItemLosses::grow(size_t slot) {
  slots_ = slot + 1;
  is_changed_.resize(slots_, 0);
  items_.resize(slots_, 0);
  errors_.resize(slots_ * experts_, 0);
  charges_.resize(slots_ * experts_, 0);
  silent_.resize(slots_ * experts_, 0);
}

void ItemLosses::clear() {
  for (const uint32_t slot : used_) items_[slot] = 0;
  for (const uint32_t slot : changed_) {
    is_changed_[slot] = 0;
    const size_t first = slot * experts_;
    std::fill_n(errors_.data() + first, experts_, 0);
    std::fill_n(charges_.data() + first, experts_, 0);
    std::fill_n(silent_.data() + first, experts_, 0);
  }
  used_.clear();
  changed_.clear();
  known_ = 0;
  any_silent_ = false;
}

void ItemLosses::charge_silent(std::span<const Value> item, Value gold, size_t slot) {
  size_t awake = 0, wrong = 0;
  for (const Value value : item) {
    awake += value != kAbsent;
    wrong += value != kAbsent && value != gold;
  }
  const double mean = awake == 0 ? 1 : static_cast<double>(wrong) / static_cast<double>(awake);
  for (size_t j = 0; j < experts_; ++j) {
    const bool silent = item[j] == kAbsent;
    silent_[slot * experts_ + j] += silent;
    if (silent) {
      errors_[slot * experts_ + j] -= 1;  // counted as an error like any value that is not gold's
      charges_[slot * experts_ + j] += mean - 1;
    }
  }
}

void ItemLosses::measure(const VoteView& view) {
  ESPALIER_CHECK(view.experts == experts_ && view.gold.size() == view.items());
  clear();
  bool silence = false;
  for (size_t i = 0; i < view.items(); ++i) {
    const Value gold = view.gold[i];
    if (gold == kAbsent) continue;
    const size_t slot = view.slot[i];
    if (slot >= slots_) grow(slot);
    ++known_;
    if (items_[slot]++ == 0) used_.push_back(static_cast<uint32_t>(slot));
    const std::span<const Value> item = view.item(i);
    // Most items are ones that everybody has right; they cost one comparison per expert.
    uint32_t wrong = 0;
    for (size_t j = 0; j < experts_; ++j) wrong += item[j] != gold;
    if (wrong == 0) continue;
    if (is_changed_[slot] == 0) {
      is_changed_[slot] = 1;
      changed_.push_back(static_cast<uint32_t>(slot));
    }
    double* const errors = errors_.data() + slot * experts_;
    double* const charges = charges_.data() + slot * experts_;
    bool silent = false;
    for (size_t j = 0; j < experts_; ++j) {
      const double error = item[j] != gold ? 1.0 : 0.0;
      errors[j] += error;
      charges[j] += error;
      silent |= item[j] == kAbsent;
    }
    if (silent) charge_silent(item, gold, slot);
    silence |= silent;
  }
  any_silent_ = silence;
}

}  // namespace espalier::ensemble

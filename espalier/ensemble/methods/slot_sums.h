// Sums over rounds of rows that seldom change: work only where a row changes. Tested in online_test.cc.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace espalier::ensemble {

/// Σ over rounds t ≥ start of a slots × p table, with work only where a row changes: a row that did not
/// change for n rounds is added n times at once. start() begins a new sum in O(1).
class SlotSums {
 public:
  SlotSums(size_t slots, size_t experts)
      : experts_(experts), sum_(slots * experts, 0), since_(slots, 0), begun_(slots, 0) {}

  /// The sum now runs from this round.
  void start(size_t round) { start_ = round; }
  /// Adds the row for the rounds from when it last changed up to `round`, inclusive. Call it before the row
  /// changes at the end of that round, and for all rows at the end.
  void settle(size_t slot, size_t round, std::span<const double> row) {
    double* const sum = sum_.data() + slot * experts_;
    if (begun_[slot] != start_) {
      std::fill(sum, sum + experts_, 0);
      begun_[slot] = start_;
      since_[slot] = std::max(since_[slot], start_);
    }
    const auto rounds = static_cast<double>(round + 1 - since_[slot]);
    for (size_t j = 0; j < experts_; ++j) sum[j] += rounds * row[j];
    since_[slot] = round + 1;
  }
  const std::vector<double>& sums() const { return sum_; }

 private:
  size_t experts_;
  size_t start_ = 0;
  std::vector<double> sum_;
  std::vector<size_t> since_;  ///< first round not yet in the sum
  std::vector<size_t> begun_;  ///< the start that the row's sum belongs to
};

/// Σ_slots of some value of each, kept up to date by differences and recomputed now and then, so that
/// rounding errors do not accumulate.
class SlotTotal {
 public:
  explicit SlotTotal(size_t slots) : value_(slots, 0) {}
  void set(size_t slot, double value) {
    total_ += value - value_[slot];
    value_[slot] = value;
    if (++changes_ % kFreshSum == 0) {
      total_ = 0;
      for (const double v : value_) total_ += v;
    }
  }
  double total() const { return total_; }

 private:
  static constexpr size_t kFreshSum = 1 << 14;
  std::vector<double> value_;
  double total_ = 0;
  size_t changes_ = 0;
};

}  // namespace espalier::ensemble

// An upper bound on the score of any allowed labelling, by Lagrangian relaxation, for outputs that are scored
// each by itself. The exact search uses it to give up partial labellings early.
#pragma once

#include <vector>

#include "espalier/base/array.h"
#include "espalier/constrain/compile.h"

namespace espalier::constrain {

/// Hard counts and implications are linear rows Σ a_{t,y} x_{t,y} ≤ b (at most: Σ x ≤ most; R-a at m:
/// x_{m,R-a} − Σ_i x_{i,a} ≤ 0). Each row is replaced by a price λ ≥ 0 for violating it, which leaves
///
///   L(λ) = Σ λ b + max_x Σ (value_{t,y} − Σ λ a_{t,y}) x_{t,y},
///
/// in which only a hard `no overlap` relates outputs to each other. Candidates are ordered by their
/// beginning, so this is solved by one pass from the last to the first, linear in their number. Every L(λ) is
/// an upper bound for every labelling that satisfies the rules; prices follow the subgradient (how far the
/// best x breaks each row) until the bound stops falling. The rules left out (soft rules, lists, `no
/// embedding`) can only lower scores, so the bound stays valid.
///
/// Keeps references to its arguments; labels of `value` (T×K, −∞: impossible) may be removed between calls.
class Relaxation {
 public:
  Relaxation(const Compiled& compiled, const Instance& instance, std::vector<double>& value);

  /// Solves with the current prices; sets bound() and labels().
  void solve();
  /// The best labelling of the relaxed problem; empty if there is none, and then no labelling satisfies the
  /// rules.
  const std::vector<data::Label>& labels() const { return best_; }
  double bound() const { return bound_; }

  /// One step along the subgradient of the last solution, `size` × (bound − floor) / |subgradient|². False if
  /// no price can change: the solution breaks no row, and the price of every row with room is 0.
  bool step(double floor, double size);
  /// Returns to the prices with the lowest bound so far.
  void take_best();

  /// Removes labels that are in no labelling as good as `floor` (max-marginals of the relaxed problem).
  /// Returns how many labels are left. Precondition: solved with these prices.
  size_t strike(double floor);

  /// For searches from the first output to the last: an output's relaxed value, the constant of all rows, and
  /// the most that outputs after t can add if words before `covered` are taken. Precondition: solved.
  double value(size_t t, size_t y) const { return relaxed_[t * K_ + y]; }
  double constant() const { return constant_; }
  double rest(size_t t, size_t covered) const;
  /// The most that can follow after t.
  double most_after(size_t t) const { return rest_[t + 1]; }

 private:
  /// A rule whose rows have prices: one row for a count, one row per output for an implication.
  struct Priced {
    const Rule* rule = nullptr;
    std::vector<data::Label> first, second;
    std::vector<double> price, best_price, slope;
    std::vector<uint8_t> possible;  ///< implications: outputs that some label of first is left for
    bool least = false;             ///< the row Σ x ≥ least of a count
  };
  void add_rule(const Rule& rule);
  void apply(const Priced& row);
  void find_slope(Priced& row) const;
  double outs(size_t from, size_t to) const;
  bool covers(size_t y) const { return overlap_ != nullptr && overlap_->first[y] != 0; }

  const Instance& instance_;
  std::vector<double>& value_;
  size_t T_, K_;
  const Rule* overlap_ = nullptr;  ///< the hard one that is kept
  std::vector<Priced> rows_;
  std::vector<size_t> next_;     ///< the first candidate that begins where candidate t has ended
  std::vector<double> relaxed_;  ///< T×K
  std::vector<double> in_, out_, rest_, out_sum_;
  std::vector<data::Label> in_label_, out_label_;
  std::vector<uint32_t> no_out_;  ///< how many outputs before t must cover their words
  std::vector<data::Label> best_;
  double constant_ = 0, bound_ = 0, lowest_ = 0;
  bool some_best_ = false;
};

}  // namespace espalier::constrain

// The weighted-majority algorithm over path experts (WMWP), with any expert allowed in any slot (Figure 1).
//
// Call predict and update for each sequence; online.h turns the rounds into hypotheses. Tested in
// online_test.cc. O(items × experts) per round: the automaton of all paths is never built.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "espalier/ensemble/methods/item_losses.h"
#include "espalier/ensemble/votes/votes.h"

namespace espalier::ensemble {

struct WmwpOptions {
  double beta = 0.95;  ///< in (0, 1): how far an error lowers a weight
  /// The exponent of β: errors as they are counted, or divided by the items of their sequence.
  bool normalised_exponent = false;
};

/// WMWP (section 3.2) over the p^l paths that take one expert in each of l slots. Every path visits every
/// slot, so the distribution p_t is a product and equation 3's local normalisation is exact: the weight of an
/// expert in a slot,
///   w(k, j) ∝ β^(errors of j in slot k so far),
/// is also the probability of its arc. Held as logarithms, so that nothing underflows over millions of
/// rounds.
///
/// An expert that is silent keeps its weight; those who speak renormalise theirs among themselves (the
/// specialists of Freund, Schapire, Singer and Warmuth 1997), and where none is silent that is equation 3.
///
/// A round is predict(), whose loss is that of the current distribution, then update(). O(items · p).
class Wmwp {
 public:
  Wmwp(size_t experts, const WmwpOptions& options);

  /// Σ_e w(e) ℓ_e: the expected normalised Hamming loss of a path drawn now. 0 where no gold is known.
  double predict(const VoteView& view);
  /// The losses of the sequence predicted last.
  const ItemLosses& losses() const { return losses_; }
  /// Learns from it.
  void update();

  size_t experts() const { return experts_; }
  size_t slots() const { return weight_.size() / experts_; }
  /// Makes room for this many slots, all experts alike.
  void reserve_slots(size_t slots);
  std::span<const double> weights(size_t slot) const {
    return std::span(weight_).subspan(slot * experts_, experts_);
  }
  std::span<const double> all_weights() const { return weight_; }

 private:
  void update_awake(size_t slot, double unit);
  void normalise(size_t slot);

  size_t experts_;
  WmwpOptions options_;
  double log_beta_;
  ItemLosses losses_;
  std::vector<double> log_weight_, weight_;  ///< slots × p
};

}  // namespace espalier::ensemble

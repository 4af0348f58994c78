// Max-marginals with their witnesses: what filters look at and learn from. Tested in losses_test.cc and
// trellis_test.cc.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "espalier/chain/lattice/lattice_viterbi.h"

namespace espalier::cascade {

/// What a filter of order d drops.
enum class Unit {
  kStates,   ///< the d − 1 labels a state stands for (section 6 of Weiss and Taskar 2010)
  kCliques,  ///< the d labels an arc stands for; at the first position states, which have no arcs
};

/// The mean regret r̄ of a sequence, θ* − θ*(c) over its items c, is what thresholds are measured in. Over few
/// items it says little, and a short sequence in doubt has a small one, just where little should be dropped.
/// It is therefore drawn towards what is usual on new data, which counts as so many positions:
///   r̄ ← (T·r̄ + positions·regret) / (T + positions).
/// Equation 6 by itself is positions = 0; either way the threshold is convex in the scores.
struct UsualMean {
  double regret = 0;
  double positions = 0;
  double drawn(double mean, size_t length) const {
    const double T = static_cast<double>(length);
    return T + positions > 0 ? (T * mean + positions * regret) / (T + positions) : mean;
  }
};

/// Best scores through every state and arc, as chain::max_marginals has them, together with the pointers
/// both ways that say which path attains them (its witness). One forward and one backward pass, O(states +
/// arcs), in buffers that are used again. Precondition of run(): at least one position, no dead ends.
class MaxPass {
 public:
  void run(const chain::Lattice& lattice);

  double best() const { return best_; }
  /// max-marginal of a state; of the arc from `source` with this score into `target`.
  double state(size_t s) const { return forward_.best[s] + beta_[s]; }
  double arc(const chain::Lattice& lattice, size_t a, size_t target) const {
    return forward_.best[lattice.source(a)] + lattice.arc_score(a) + lattice.state_score(target) +
           beta_[target];
  }
  /// The best path by its states.
  const std::vector<uint32_t>& path() const { return path_; }
  /// The arc through which the best path to (from) a state comes (goes on); kNoArc at the ends.
  uint32_t arc_before(size_t s) const { return forward_.back[s]; }
  uint32_t arc_after(size_t s) const { return next_arc_[s]; }

  /// How many witnesses pass through each state and arc, when every item of the unit has one:
  ///   count(s) = Σ over items c of [s lies on y*(c)].
  /// Witnesses of items behind s reach it along arc_before, those of items in front of it along arc_after, so
  /// that one sweep each way adds them up; no path is ever walked. O(states + arcs).
  void count_witnesses(const chain::Lattice& lattice, Unit unit, std::vector<double>& states,
                       std::vector<double>& arcs);

 private:
  chain::ForwardMax forward_;
  std::vector<double> beta_;
  std::vector<uint32_t> next_arc_, next_state_;
  std::vector<uint32_t> path_;
  std::vector<double> suffix_;
  double best_ = 0;
};

}  // namespace espalier::cascade

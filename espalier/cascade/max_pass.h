// Max-marginals with their witnesses (the paths that attain them), which filters use and learn from. O(states
// + arcs). Tested in losses_test.cc and trellis_test.cc.
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

/// The mean regret r̄ of a sequence, θ* − θ*(c) over its items c, is the unit of thresholds. It is unreliable
/// for short sequences, and smallest for those in which little should be dropped. It is therefore smoothed
/// towards the prior mean of new data, which counts as `positions` positions:
///   r̄ ← (T·r̄ + positions·regret) / (T + positions).
/// Equation 6 is the case positions = 0; the threshold is convex in the scores in any case.
struct PriorMean {
  double regret = 0;
  double positions = 0;
  double smoothed(double mean, size_t length) const {
    const double T = static_cast<double>(length);
    return T + positions > 0 ? (T * mean + positions * regret) / (T + positions) : mean;
  }
};

/// Best scores through every state and arc, as chain::max_marginals has them, together with back and forward
/// pointers to the path that attains each (its witness). One forward and one backward pass, O(states + arcs);
/// buffers are reused. Precondition of run(): at least one position, no dead ends.
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
  /// The arc by which the best path enters (leaves) a state; kNoArc at the ends.
  uint32_t arc_before(size_t s) const { return forward_.back[s]; }
  uint32_t arc_after(size_t s) const { return next_arc_[s]; }

  /// How many witnesses pass through each state and arc, when every item of the unit has one:
  ///   count(s) = Σ over items c of [s lies on y*(c)].
  /// Witnesses of later items reach s along arc_before, those of earlier items along arc_after, so one sweep
  /// in each direction adds them up. O(states + arcs).
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

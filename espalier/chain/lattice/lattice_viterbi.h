// The best path through a lattice, and the score of the best path through each state and arc (max-marginals).
// O(states + arcs).
#pragma once

#include <cstdint>
#include <vector>

#include "espalier/chain/lattice/lattice.h"

namespace espalier::chain {

inline constexpr uint32_t kNoArc = 0xFFFFFFFF;

/// A path by its states. kInfeasible: no states, score −∞.
struct LatticePath {
  Outcome outcome = Outcome::kInfeasible;
  double score = 0;
  std::vector<uint32_t> states;
};

/// The forward max pass; buffers are reused:
///   best[s] = state_score(s) + max over arcs a into s of (best[source(a)] + arc_score(a)),
/// −∞ where no path leads to s from the first position. Sums are double. O(states + arcs).
struct ForwardMax {
  std::vector<double> best;    ///< per state
  std::vector<uint32_t> back;  ///< per state: the arc of the maximum, ties to the first; kNoArc at position 0

  void run(const Lattice& lattice);
  /// The state in which the best path ends; ties go to the first. lattice.states() if there is no path.
  /// Precondition: run() on this lattice, which has positions.
  size_t last_state(const Lattice& lattice) const;
};

/// The best path: kExact or kInfeasible. O(states + arcs).
LatticePath viterbi(const Lattice& lattice, ForwardMax& scratch);
LatticePath viterbi(const Lattice& lattice);

/// Score of the best path through each state and each arc; −∞ where none is (Weiss and Taskar 2010, §2). With
/// β the backward counterpart of best[], without the state's own score:
///   state[s] = best[s] + β[s],  arc[a] = best[source] + arc_score + state_score(target) + β[target].
/// One forward and one backward pass. Sums are taken in different orders, so along the best path the values
/// equal `best` only up to rounding; lattice_filter.h therefore keeps the best path explicitly.
struct MaxMarginals {
  Outcome outcome = Outcome::kInfeasible;
  double best = 0;  ///< score of the best path
  std::vector<double> state, arc;
};
MaxMarginals max_marginals(const Lattice& lattice);

}  // namespace espalier::chain

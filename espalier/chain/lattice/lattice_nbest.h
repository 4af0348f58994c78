// The n best paths through a lattice: call n_best(). Time and memory grow linearly with n × positions.
#pragma once

#include <cstdint>
#include <vector>

#include "espalier/chain/lattice/lattice.h"
#include "espalier/chain/lattice/lattice_viterbi.h"

namespace espalier::chain {

struct NBestOptions {
  /// The search ends (kOutOfBudget) before the paths would have more states than this in total; 4 bytes each.
  size_t max_states = size_t{1} << 28;
};

/// kExact with n paths, or with all if there are fewer; kInfeasible with none; kOutOfBudget with those found.
struct NBestResult {
  Outcome outcome = Outcome::kInfeasible;
  std::vector<LatticePath> paths;
};

/// Paths by falling score, each once. Ties are ordered by the states' numbers, read from the last position to
/// the first, so that the first path is that of viterbi(). Scores never rise; each equals path_score() to
/// within rounding of double sums.
///
/// The forward max pass tells what the best path into every state is worth, so a path that leaves a known one
/// at some position, from there to the front by the best way, has a known score (Soong and Huang 1991). Each
/// path found adds such candidates, at most one per position; only as many as paths are still wanted are
/// kept. Start: O(states
/// + arcs); each path: O(T + n), plus ranking the arcs into states seen for the first time. Comparing
/// candidates of exactly equal score takes O(1) if they leave the same path, otherwise at most O(n).
NBestResult n_best(const Lattice& lattice, size_t n, NBestOptions options = {});

}  // namespace espalier::chain

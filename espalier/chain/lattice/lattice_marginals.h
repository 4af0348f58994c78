// Probabilities on a lattice, P(path) = exp(score(path)) / Z: log Z, marginals of states and arcs, and random
// paths. O(states + arcs).
#pragma once

#include <cstdint>
#include <vector>

#include "espalier/base/random.h"
#include "espalier/chain/lattice/lattice.h"
#include "espalier/chain/lattice/lattice_viterbi.h"

namespace espalier::chain {

/// The forward sum pass. With α[s] = log Σ of exp(score) over the beginnings of paths that end in s,
///   α[s] = state_score(s) + log Σ_{arcs a into s} exp(α[source(a)] + arc_score(a)),
/// and back[a] = P(the path came through a | it is in the target of a), which sum to 1 over the arcs into a
/// state. Everything else follows from back[] by multiplication, so there is one exp per arc, and nothing
/// under- or overflows however far apart scores are. O(states + arcs) time and memory; buffers are reused.
struct ForwardSums {
  Outcome outcome = Outcome::kInfeasible;
  double log_z = 0;           ///< −∞ where infeasible
  std::vector<double> alpha;  ///< per state; −∞ where no path leads
  std::vector<double> back;   ///< per arc; 0 into states where no path leads
  std::vector<double> last;   ///< probability of each state of the last position

  void run(const Lattice& lattice);
};

/// log Z; 0 for a lattice without positions, −∞ if there is no path.
double log_partition(const Lattice& lattice);

/// Posterior probabilities; all 0 if there is no path. From the last position to the first,
///   P(a) = P(target) · back[a],  P(s) = Σ_{arcs a out of s} P(a).
struct SumMarginals {
  Outcome outcome = Outcome::kInfeasible;
  double log_z = 0;
  std::vector<double> state, arc;
};
SumMarginals sum_marginals(const Lattice& lattice);

/// Draws paths by their probability, independently: the last state first, then arcs by back[]. After the
/// forward pass, a path costs one random number per position and a scan of the arcs into its states. Keeps a
/// reference to the lattice. Any number of threads may draw, each with its own Random.
class PathSampler {
 public:
  explicit PathSampler(const Lattice& lattice);
  /// kExact (drawn from the exact distribution), or kInfeasible where there is no path.
  LatticePath draw(Random& random) const;

 private:
  const Lattice& lattice_;
  ForwardSums forward_;
};

}  // namespace espalier::chain

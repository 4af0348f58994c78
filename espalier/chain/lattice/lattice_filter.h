// Removes states and arcs from a lattice: filter() keeps what two masks keep and what is still on a path.
#pragma once

#include <cstdint>
#include <vector>

#include "espalier/chain/lattice/lattice.h"
#include "espalier/chain/lattice/lattice_viterbi.h"

namespace espalier::chain {

/// One byte per state and per arc: 0 removes it. An empty vector keeps all.
struct KeepMasks {
  std::vector<uint8_t> states;
  std::vector<uint8_t> arcs;

  /// From predicates on state and arc numbers.
  template <typename KeepState, typename KeepArc>
  static KeepMasks where(const Lattice& lattice, KeepState&& keep_state, KeepArc&& keep_arc) {
    KeepMasks masks;
    masks.states.resize(lattice.states());
    masks.arcs.resize(lattice.arcs());
    for (uint32_t s = 0; s < lattice.states(); ++s) masks.states[s] = keep_state(s) ? 1 : 0;
    for (uint32_t a = 0; a < lattice.arcs(); ++a) masks.arcs[a] = keep_arc(a) ? 1 : 0;
    return masks;
  }
};

enum class BestPath {
  kKept,      ///< the best path is kept whatever the masks say
  kAsMasked,  ///< removed if the masks remove it; the result may be empty
};

/// The remaining lattice and the old numbers of its states and arcs.
struct FilteredLattice {
  Outcome outcome = Outcome::kInfeasible;  ///< kExact, or kInfeasible: no path is left (and no state)
  Lattice lattice;
  std::vector<uint32_t> old_state;  ///< per state of `lattice`: its number before
  std::vector<uint32_t> old_arc;
};

/// Keeps the states and arcs on paths that consist of kept parts only. Their order does not change. O(states
/// + arcs), plus a forward pass with BestPath::kKept. Precondition: masks empty or of the lattice's sizes.
FilteredLattice filter(const Lattice& lattice, const KeepMasks& keep, BestPath best_path = BestPath::kKept);

/// Clears the masks for everything that is on no path of kept parts. Precondition: masks of the lattice's
/// sizes.
void drop_unconnected(const Lattice& lattice, KeepMasks& keep);

/// The lattice without its dead ends.
inline FilteredLattice drop_dead_ends(const Lattice& lattice) {
  return filter(lattice, {}, BestPath::kAsMasked);
}

}  // namespace espalier::chain

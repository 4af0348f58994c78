// Dropping states and arcs of a lattice.
#pragma once

#include <cstdint>
#include <vector>

#include "espalier/chain/lattice/lattice.h"
#include "espalier/chain/lattice/lattice_viterbi.h"

namespace espalier::chain {

/// What to keep, a byte each: 0 drops. An empty vector keeps all.
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
  kKept,      ///< the best path stays whatever the masks say
  kAsMasked,  ///< it goes where the masks drop it; nothing may be left
};

/// The lattice that is left and where its parts came from.
struct FilteredLattice {
  Outcome outcome = Outcome::kInfeasible;  ///< kExact, or kInfeasible: no path is left (and no state)
  Lattice lattice;
  std::vector<uint32_t> old_state;  ///< per state of `lattice`: its number before
  std::vector<uint32_t> old_arc;
};

/// Keeps what the masks keep and lies on some path made of kept parts only; dead ends go. The order of states
/// and arcs stays. O(states + arcs), plus a forward pass where the best path is guarded. Precondition: masks
/// empty or of the lattice's sizes.
FilteredLattice filter(const Lattice& lattice, const KeepMasks& keep, BestPath best_path = BestPath::kKept);

/// The lattice without its dead ends.
inline FilteredLattice drop_dead_ends(const Lattice& lattice) {
  return filter(lattice, {}, BestPath::kAsMasked);
}

}  // namespace espalier::chain

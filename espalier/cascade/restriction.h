// The interface between cascade training and constraints: the part of a training lattice that is allowed.
// constrain/training.h implements it.
#pragma once

#include <cstdint>
#include <vector>

#include "espalier/chain/lattice/lattice.h"

namespace espalier::cascade {

/// The allowed paths of a lattice, as a lattice. Its scores are those of the original states and arcs, minus
/// penalties. Several of its states may stand for the same original state.
struct LegalPart {
  chain::Outcome outcome = chain::Outcome::kInfeasible;  ///< kExact: the lattice is there
  chain::Lattice lattice;
  std::vector<uint32_t> old_state, old_arc;
};

/// Which labellings of each training sequence are allowed. An interface, because constraints live above this
/// module. Safe for any number of threads.
class LatticeRestriction {
 public:
  virtual ~LatticeRestriction() = default;
  /// False: every labelling is allowed. The gold labelling of a restricted sequence is always allowed.
  virtual bool applies(size_t sequence) const = 0;
  virtual LegalPart legal_part(size_t sequence, const chain::Lattice& lattice) const = 0;
};

}  // namespace espalier::cascade

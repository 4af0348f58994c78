// The part of a training lattice that constraints allow.
#pragma once

#include <cstdint>
#include <vector>

#include "espalier/chain/lattice/lattice.h"

namespace espalier::cascade {

/// Paths of a lattice that may be, as a lattice again; its scores are those of the states and arcs it came
/// from, less what soft constraints cost. Several of its states may stand for one.
struct LegalPart {
  chain::Outcome outcome = chain::Outcome::kInfeasible;  ///< kExact: the lattice is there
  chain::Lattice lattice;
  std::vector<uint32_t> old_state, old_arc;
};

/// Which labellings of each training sequence may be. Implemented above this module (constrain/training.h),
/// so that learners need not know where constraints come from. Safe for any number of threads.
class LatticeRestriction {
 public:
  virtual ~LatticeRestriction() = default;
  /// False: every labelling may be. The truth of a sequence that is restricted always may.
  virtual bool applies(size_t sequence) const = 0;
  virtual LegalPart legal_part(size_t sequence, const chain::Lattice& lattice) const = 0;
};

}  // namespace espalier::cascade

// The labellings that constraints allow, as a lattice: local rules subtracted from the scores, then
// intersected with the automaton of every other rule. Exact; the size is that of the product, which
// `max_arcs` bounds. Only for rules that are regular. Making it looks at the clock and ends, kOutOfBudget,
// before the deadline. Tested in decode_test.cc.
#pragma once

#include <vector>

#include "espalier/constrain/penalised_scores.h"

namespace espalier::constrain {

/// The allowed labellings as a lattice: local penalties are subtracted, then it is intersected with every
/// automaton, whose costs are subtracted from the arcs. kExact, kInfeasible or kOutOfBudget. Path scores are
/// model score − penalty. Precondition: compiled.regular().
struct ConstrainedLattice {
  chain::Outcome outcome = chain::Outcome::kInfeasible;
  chain::Lattice lattice;
  std::vector<uint32_t> old_state = {}, old_arc = {};  ///< the original states and arcs, if asked for
};
ConstrainedLattice constrained_lattice(const Compiled& compiled, const Scores& folded, size_t max_arcs,
                                       Deadline deadline = {});
/// The same for a given lattice, whose states may stand for more than a label: local penalties are subtracted
/// from its states and arcs, and what they forbid is removed. With `mapped`, old_state and old_arc are filled
/// in.
ConstrainedLattice constrained_lattice(const Compiled& compiled, const Instance& instance,
                                       const chain::Lattice& from, size_t max_arcs, bool mapped = false,
                                       Deadline deadline = {});

}  // namespace espalier::constrain

// Local rules as scores: what neighbours, edges and rows cost is subtracted before anything is decoded.
#pragma once

#include "espalier/base/array.h"
#include "espalier/constrain/compile.h"
#include "espalier/constrain/decode.h"

namespace espalier::constrain {

/// Subtracts what the labels of rows, of the first and of the last output cost from node scores (T×S), in
/// place.
void fold_nodes(const Compiled& compiled, const std::vector<double>& row_penalties, size_t length,
                size_t stride, float* node);

/// Subtracts what neighbours cost from one table of pair scores (K×S), in place.
void fold_pairs(const LocalPenalties& local, size_t stride, float* pairs);

/// Scores with every local rule folded in, in buffers that are used again. Where the model scores no
/// neighbours but rules speak about them, there are transitions of 0 and −∞.
struct FoldedScores {
  AlignedVector<float> node, trans, edge;
  Scores view;

  void assign(const Compiled& compiled, const Instance& instance, const Scores& scores);
};

/// The labellings that are not forbidden, as a lattice: local rules folded in, then intersected with every
/// automaton, whose costs are subtracted from the arcs. kExact, kInfeasible or kOutOfBudget. Path scores are
/// model score − penalty. Precondition: compiled.regular().
struct ConstrainedLattice {
  chain::Outcome outcome = chain::Outcome::kInfeasible;
  chain::Lattice lattice;
  std::vector<uint32_t> old_state = {}, old_arc = {};  ///< what states and arcs were, where asked for
};
ConstrainedLattice constrained_lattice(const Compiled& compiled, const Scores& folded, size_t max_arcs);
/// The same of a lattice made elsewhere, whose states may stand for more than a label: local rules are taken
/// from the scores of its states and arcs, and what they forbid goes.
/// With `mapped`, old_state and old_arc say what is left of what.
ConstrainedLattice constrained_lattice(const Compiled& compiled, const Instance& instance,
                                       const chain::Lattice& from, size_t max_arcs, bool mapped = false);

}  // namespace espalier::constrain

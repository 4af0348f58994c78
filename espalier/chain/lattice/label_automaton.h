// Regular constraints: deterministic automata over labels, and their intersection with a lattice. Fill in a
// LabelAutomaton, call check(), then intersect().
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "espalier/base/deadline.h"
#include "espalier/base/result.h"
#include "espalier/chain/lattice/lattice.h"

namespace espalier::chain {

/// A deterministic automaton that reads the labels of a sequence from first to last. Partial: a missing
/// transition rejects. Safe for any number of readers.
struct LabelAutomaton {
  static constexpr uint32_t kNowhere = 0xFFFFFFFF;

  size_t labels = 0;  ///< K
  uint32_t start = 0;
  std::vector<uint8_t> accepting;  ///< per state
  std::vector<uint32_t> next;      ///< states × K: the state after reading a label, or kNowhere

  size_t states() const { return accepting.size(); }
  /// The state after reading a label in state q; kNowhere for labels the automaton does not know.
  uint32_t step(uint32_t q, data::Label label) const {
    return label < labels ? next[q * labels + label] : kNowhere;
  }

  /// Adds a state without transitions and returns its number.
  uint32_t add_state(bool is_accepting);
  bool accepts(std::span<const data::Label> sequence) const;
  /// Checks that sizes are consistent and every transition leads to a state.
  Status check() const;
};

/// The automaton that accepts what both accept; its states are the reachable pairs. Preconditions: both pass
/// check() and have the same labels.
LabelAutomaton intersect(const LabelAutomaton& a, const LabelAutomaton& b);

/// The paths of a lattice whose labels an automaton accepts, as a lattice.
struct IntersectedLattice {
  Outcome outcome =
      Outcome::kInfeasible;  ///< kExact, kInfeasible (no state left) or kOutOfBudget (no lattice made)
  Lattice lattice;
  std::vector<uint32_t> old_state;        ///< per state of `lattice`: the state it stands for before …
  std::vector<uint32_t> automaton_state;  ///< … and the automaton's after reading its label
};

/// States are pairs (state, automaton state after its label), in that order, with the scores of the state;
/// dead ends are dropped. Since the automaton is deterministic, paths correspond one to one. O(p log p) time
/// for p arcs of the product before dead ends are dropped, at most arcs · automaton states. kOutOfBudget if
/// the product would have more than max_arcs arcs or if the deadline passes. For an empty sequence only
/// `outcome` tells whether it is rejected, since the lattice has no positions. Precondition:
/// automaton.check().
IntersectedLattice intersect(const Lattice& lattice, const LabelAutomaton& automaton,
                             size_t max_arcs = size_t{1} << 30, Deadline deadline = {});

}  // namespace espalier::chain

// Compiles rules into the form that decoders use: penalties of single labels and of neighbours, and automata
// with costs for the rest. Tested in decode_test.cc.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "espalier/chain/lattice/label_automaton.h"
#include "espalier/constrain/rules.h"

namespace espalier::constrain {

/// The penalties of neighbouring labels and of the first and last label, summed over all pair rules; infinite
/// if a hard rule is broken.
struct LocalPenalties {
  size_t labels = 0;
  bool pairs = false;              ///< some pair costs something
  bool edges = false;              ///< some label costs something at the start or the end
  std::vector<double> pair;        ///< K×K, row the label before
  std::vector<double> start, end;  ///< K
};

/// A rule that is regular but not local, as a deterministic automaton with costs on transitions and final
/// states. Hard rules have no costs: what they forbid has no transition or is not accepting.
struct CostAutomaton {
  size_t rule = 0;
  chain::LabelAutomaton dfa;
  std::vector<double> step_cost;  ///< states × K; empty: nothing costs
  std::vector<double> end_cost;   ///< per state

  double cost_of_step(size_t state, size_t label) const {
    return step_cost.empty() ? 0 : step_cost[state * dfa.labels + label];
  }
};

/// Compiled constraints. Immutable; safe for any number of threads.
class Compiled {
 public:
  explicit Compiled(Constraints constraints);

  const Constraints& constraints() const { return constraints_; }
  const LocalPenalties& local() const { return local_; }
  const std::vector<CostAutomaton>& automata() const { return automata_; }
  /// The automata that a label can move or that charge for it; the others can be skipped.
  const std::vector<uint32_t>& touched_by(data::Label label) const { return touched_[label]; }
  /// Rules about spans, by number.
  const std::vector<size_t>& overlaps() const { return overlaps_; }
  const std::vector<size_t>& embeddings() const { return embeddings_; }

  /// Every rule is local or regular, so a lattice can decode them.
  bool regular() const { return overlaps_.empty() && embeddings_.empty(); }
  /// There are only local rules (pairs, edges, rows), so Viterbi can decode them.
  bool only_local() const { return regular() && automata_.empty(); }
  /// Number of joint states of all automata in the worst case (saturating).
  size_t joint_states() const;

  /// The penalties of single labels in an instance: length × K, infinite if a hard rule forbids the label.
  /// Empty if all are 0.
  std::vector<double> row_penalties(const Instance& instance) const;

  /// A description of how each constraint is decoded.
  std::string describe() const;

 private:
  Constraints constraints_;
  LocalPenalties local_;
  std::vector<CostAutomaton> automata_;
  std::vector<std::vector<uint32_t>> touched_;  ///< per label
  std::vector<size_t> overlaps_, embeddings_;
};

/// An error if no labelling of any length satisfies all hard constraints that do not depend on the input; it
/// names a minimal set of constraints that clash.
Status check_consistent(const Constraints& constraints);

}  // namespace espalier::constrain

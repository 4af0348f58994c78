// What rules become before anything is decoded: local penalties and automata with costs. Tested in
// decode_test.cc.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "espalier/chain/lattice/label_automaton.h"
#include "espalier/constrain/rules.h"

namespace espalier::constrain {

/// What neighbours and edges cost by all pair rules together; infinite where a hard rule is broken.
struct LocalPenalties {
  size_t labels = 0;
  bool pairs = false;              ///< some pair costs something
  bool edges = false;              ///< some label costs something at the start or the end
  std::vector<double> pair;        ///< K×K, row the label before
  std::vector<double> start, end;  ///< K
};

/// A rule that is regular but not local, as a deterministic automaton whose transitions and last states cost.
/// Hard rules have no costs: what they forbid leads nowhere or is not accepting.
struct CostAutomaton {
  size_t rule = 0;
  chain::LabelAutomaton dfa;
  std::vector<double> step_cost;  ///< states × K; empty: nothing costs
  std::vector<double> end_cost;   ///< per state

  double cost_of_step(size_t state, size_t label) const {
    return step_cost.empty() ? 0 : step_cost[state * dfa.labels + label];
  }
};

/// Constraints in the shape that decoders use. Immutable; safe for any number of threads.
class Compiled {
 public:
  explicit Compiled(Constraints constraints);

  const Constraints& constraints() const { return constraints_; }
  const LocalPenalties& local() const { return local_; }
  const std::vector<CostAutomaton>& automata() const { return automata_; }
  /// The automata that reading a label may move or that charge for it; the others need not be looked at.
  const std::vector<uint32_t>& touched_by(data::Label label) const { return touched_[label]; }
  /// Rules about spans, by number.
  const std::vector<size_t>& overlaps() const { return overlaps_; }
  const std::vector<size_t>& embeddings() const { return embeddings_; }

  /// Everything is local or regular: a lattice does.
  bool regular() const { return overlaps_.empty() && embeddings_.empty(); }
  /// Nothing but pairs, edges and rows: Viterbi does.
  bool only_local() const { return regular() && automata_.empty(); }
  /// States that all automata have together in the worst case (saturating).
  size_t joint_states() const;

  /// What the rows of an instance cost: length × K, infinite where a hard rule forbids the label. Empty where
  /// nothing costs anything.
  std::vector<double> row_penalties(const Instance& instance) const;

  /// In words: how each constraint is decoded.
  std::string describe() const;

 private:
  Constraints constraints_;
  LocalPenalties local_;
  std::vector<CostAutomaton> automata_;
  std::vector<std::vector<uint32_t>> touched_;  ///< per label
  std::vector<size_t> overlaps_, embeddings_;
};

/// An error where no labelling of any length satisfies all hard constraints that do not depend on the input;
/// it names a set of constraints of which none can be left out.
Status check_consistent(const Constraints& constraints);

}  // namespace espalier::constrain

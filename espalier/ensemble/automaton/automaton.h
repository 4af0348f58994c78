// Path experts as an automaton that the user gives (Figure 2): which expert may follow which.
//
// ExpertAutomaton::open reads an OpenFst file, binary or text; AutomatonVote decodes under it.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "espalier/base/random.h"
#include "espalier/base/result.h"
#include "espalier/ensemble/automaton/openfst_bridge.h"
#include "espalier/ensemble/methods/weight_table.h"

namespace espalier::ensemble {

/// An acyclic automaton whose paths choose one expert for every position. All paths have the same length l,
/// so that each state belongs to one position; shorter sequences are padded to it. Arc weights in the file
/// are −log of prior weights. Immutable; threads may share it.
class ExpertAutomaton {
 public:
  struct Arc {
    uint32_t source, target;
    uint32_t position, expert;
    double prior_cost;  ///< −log prior
  };

  /// From an OpenFst file, binary or in OpenFst's text format (automaton_text.h). Input label j (from 1) is
  /// expert j; with a symbol table, or where labels of the text are not numbers, a symbol is the expert's
  /// name. Errors say what is wrong: a cycle, paths of different lengths, labels that are no experts, states
  /// on no path are dropped silently as OpenFst's connect does.
  static Result<ExpertAutomaton> open(const std::string& path, std::span<const std::string> experts);
  static Result<ExpertAutomaton> from_plain(openfst::PlainFst fst, std::span<const std::string> experts,
                                            const std::string& name);
  /// The full automaton of Figure 1, built explicitly: for comparison with its implicit form.
  static ExpertAutomaton full(size_t positions, size_t experts);

  size_t positions() const { return positions_; }
  size_t experts() const { return experts_; }
  size_t states() const { return static_cast<size_t>(plain_.states); }
  /// Sources before targets: in the order of their positions.
  std::span<const Arc> arcs() const { return arcs_; }
  const openfst::PlainFst& plain() const { return plain_; }

  /// The probability of every arc under conditionals (openfst::Algorithms::push): that a path drawn takes it.
  void posteriors(std::span<const double> conditional, std::vector<double>& out) const;
  /// Draws a path: the expert at each position.
  void draw_path(std::span<const float> conditional, Random& random, std::vector<uint32_t>& path) const;

 private:
  static Result<ExpertAutomaton> layered(openfst::PlainFst fst, size_t experts, const std::string& name);

  openfst::PlainFst plain_;  ///< arcs in the order of arcs_
  std::vector<Arc> arcs_;
  std::vector<uint32_t> first_arc_;  ///< per state, into arcs_, which are grouped by source
  size_t positions_ = 0, experts_ = 0;
};

/// The vote under an automaton: among the labellings that some path of it gives, one that maximises the
/// product of the shares of its values (equation 5), or the sum of their weights, by a shortest path.
/// Positions of `view` are its slots.
/// One object per thread.
class AutomatonVote {
 public:
  explicit AutomatonVote(const ExpertAutomaton& automaton);
  /// One value per item. Fails where the sequence is longer than the paths.
  Status decode(const VoteView& view, const WeightTable& table, VoteForm form, std::vector<Value>& out);

 private:
  const ExpertAutomaton& automaton_;
  openfst::Algorithms algorithms_;
  std::vector<double> cost_;
  std::vector<int> path_;
};

}  // namespace espalier::ensemble

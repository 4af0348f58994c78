// The lattice: positions, the states still alive at each, scored arcs between neighbours.
//
// Chain models fill it, cascades thin it out, constraints intersect it. The functions on it are in
//   lattice_viterbi.h    best path, max-marginals
//   lattice_nbest.h      paths best first
//   lattice_marginals.h  log Z, probabilities of states and arcs, sampling
//   lattice_filter.h     dropping states and arcs
//   label_automaton.h    intersection with a regular constraint on the labels
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "espalier/base/parallel.h"
#include "espalier/chain/kernels.h"
#include "espalier/data/label_set.h"

namespace espalier::chain {

/// How a decoder ended.
enum class Outcome {
  kExact,        ///< the answer is the best one, or all of it
  kApproximate,  ///< an answer, perhaps not the best
  kInfeasible,   ///< there is no path at all
  kOutOfBudget,  ///< ended early; what was found until then is right
};

/// A layered graph. States are numbered through, position after position; position t owns the states of
/// states_at(t). An arc leads from a state to one of the next position; at most one between any two. A path
/// takes one state of every position, and
///   score(path) = Σ_t state_score(s_t) + Σ_{t ≥ 1} arc_score(s_{t−1} → s_t).
/// What a state stands for beyond its label (an n-gram, a state of an automaton) is its maker's business.
///
/// Arcs lie grouped by target, sources ascending: a forward pass walks all arrays once from front to back, a
/// backward pass from back to front. Memory: 10 bytes a state, 8 an arc. Where scores are equal, functions
/// prefer the state with the lower number, decided at the last position first; states made in the order of
/// their labels thus give ties to lower labels, as the kernels do.
///
/// Without positions there is exactly one path, the empty one, of score 0. Made by LatticeBuilder; only
/// scores change afterwards. Safe for any number of readers.
class Lattice {
 public:
  size_t positions() const { return position_begin_.size() - 1; }
  size_t states() const { return label_.size(); }
  size_t arcs() const { return source_.size(); }

  /// The states [first, last) of a position.
  Range states_at(size_t position) const {
    return {position_begin_[position], position_begin_[position + 1]};
  }
  data::Label label(size_t state) const { return label_[state]; }
  float state_score(size_t state) const { return state_score_[state]; }

  /// The arcs [first, last) into a state.
  Range arcs_into(size_t state) const { return {arc_begin_[state], arc_begin_[state + 1]}; }
  uint32_t source(size_t arc) const { return source_[arc]; }
  float arc_score(size_t arc) const { return arc_score_[arc]; }

  std::span<const data::Label> labels() const { return label_; }
  /// For another scoring of the same graph. Scores must stay finite.
  std::span<float> state_scores() { return state_score_; }
  std::span<float> arc_scores() { return arc_score_; }

  bool operator==(const Lattice&) const = default;

 private:
  friend class LatticeBuilder;
  std::vector<uint32_t> position_begin_{0};
  std::vector<data::Label> label_;
  std::vector<float> state_score_;
  std::vector<uint32_t> arc_begin_{0};
  std::vector<uint32_t> source_;
  std::vector<float> arc_score_;
};

/// Makes a lattice from front to back: the states of a position in order, after each state the arcs into it.
class LatticeBuilder {
 public:
  void reserve(size_t states, size_t arcs);

  /// Adds a state to the open position and returns its number. Precondition: a finite score.
  uint32_t add_state(data::Label label, float score);
  /// Adds an arc into the state added last. Preconditions: the source is a state of the position before,
  /// higher than that of the arc before; a finite score.
  void add_arc(uint32_t source, float score);
  /// Closes the open position, which may be without states.
  void end_position();

  /// Precondition: every state added is in a closed position. The builder is empty afterwards.
  Lattice finish();

 private:
  Lattice lattice_;
  uint32_t previous_begin_ = 0;  ///< first state of the position before the open one
};

/// A chain as a lattice: one state for every label whose score is above −∞, one arc for every pair of them
/// whose score is. O(T·K²) time and memory. Precondition: scores finite or −∞.
Lattice make_lattice(const ChainScores& scores);

/// The arcs out of every state, for walks from front to back that branch. O(states + arcs) to make.
struct OutgoingArcs {
  std::vector<uint32_t> begin;   ///< arcs out of state s are arc[begin[s] .. begin[s+1])
  std::vector<uint32_t> arc;     ///< targets ascending
  std::vector<uint32_t> target;  ///< beside `arc`

  explicit OutgoingArcs(const Lattice& lattice);
};

/// The score of a path given by its states; −∞ where an arc is missing. Preconditions: one state a position,
/// each of its position.
double path_score(const Lattice& lattice, std::span<const uint32_t> path);

/// The labels along a path.
std::vector<data::Label> path_labels(const Lattice& lattice, std::span<const uint32_t> path);

}  // namespace espalier::chain

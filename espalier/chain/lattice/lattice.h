// The lattice: for each position its states, with scored arcs between neighbouring positions.
//
// Chain models build it, cascades filter it, constraints intersect it with automata. Functions on it:
//   lattice_viterbi.h    best path, max-marginals
//   lattice_nbest.h      paths best first
//   lattice_marginals.h  log Z, probabilities of states and arcs, sampling
//   lattice_filter.h     dropping states and arcs
//   label_automaton.h    intersection with a regular constraint on the labels
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "espalier/base/parallel.h"
#include "espalier/base/result.h"
#include "espalier/chain/kernels.h"
#include "espalier/data/label_set.h"

namespace espalier::chain {

/// How an algorithm on lattices ended. Not the public Outcome, which is about a labelling that is always
/// there: here kInfeasible means that there is no answer, and the caller decides what to do
/// (constrain/effect.h turns one into the other).
enum class Outcome {
  kExact,        ///< the answer is the best one, or all of it
  kApproximate,  ///< an answer, perhaps not the best
  kInfeasible,   ///< there is no path at all
  kOutOfBudget,  ///< ended early; what was found until then is valid
};

/// A layered graph. States are numbered consecutively, position after position; position t owns the states of
/// states_at(t). An arc leads from a state to one of the next position; at most one between any two. A path
/// takes one state of every position, and
///   score(path) = Σ_t state_score(s_t) + Σ_{t ≥ 1} arc_score(s_{t−1} → s_t).
/// A state may stand for more than its label (an n-gram, a state of an automaton); only its creator knows.
///
/// Arcs are grouped by target, sources ascending: a forward pass reads all arrays once from front to back, a
/// backward pass from back to front. Memory: 10 bytes per state, 8 per arc. Ties go to the state with the
/// lower number, decided at the last position first; if states are added in the order of their labels, ties
/// go to lower labels, as in the kernels.
///
/// A lattice without positions has exactly one path, the empty one, with score 0. Built by LatticeBuilder;
/// afterwards only scores can change. Safe for any number of readers.
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
  /// Asks for the memory of states and arcs, not for that of scores: worth it where they will be read soon.
  void prefetch() const;
  /// To score the same graph differently. Scores must stay finite.
  std::span<float> state_scores() { return state_score_; }
  std::span<float> arc_scores() { return arc_score_; }

  bool operator==(const Lattice&) const = default;

 private:
  friend class LatticeBuilder;
  void clear();

  std::vector<uint32_t> position_begin_{0};
  std::vector<data::Label> label_;
  std::vector<float> state_score_;
  std::vector<uint32_t> arc_begin_{0};
  std::vector<uint32_t> source_;
  std::vector<float> arc_score_;
};

/// Builds a lattice from front to back: the states of a position in order, each followed by the arcs into it.
class LatticeBuilder {
 public:
  LatticeBuilder() = default;
  /// Builds in the memory of a lattice that is no longer needed.
  explicit LatticeBuilder(Lattice used) : lattice_(std::move(used)) { lattice_.clear(); }

  void reserve(size_t states, size_t arcs);

  /// Adds a state to the open position and returns its number. Precondition: a finite score.
  uint32_t add_state(data::Label label, float score) {
    ESPALIER_CHECK(std::isfinite(score));
    ESPALIER_CHECK(lattice_.states() < std::numeric_limits<uint32_t>::max());
    lattice_.label_.push_back(label);
    lattice_.state_score_.push_back(score);
    lattice_.arc_begin_.push_back(lattice_.arc_begin_.back());
    return static_cast<uint32_t>(lattice_.states() - 1);
  }
  /// Adds an arc into the state added last. Preconditions: the source is a state of the position before,
  /// higher than that of the arc before; a finite score.
  void add_arc(uint32_t source, float score) {
    const uint32_t open_begin = lattice_.position_begin_.back();
    ESPALIER_CHECK(lattice_.states() > open_begin);
    ESPALIER_CHECK(source >= previous_begin_ && source < open_begin);
    const size_t state = lattice_.states() - 1;
    ESPALIER_CHECK(lattice_.arc_begin_[state] == lattice_.arcs() || lattice_.source_.back() < source);
    ESPALIER_CHECK(std::isfinite(score));
    ESPALIER_CHECK(lattice_.arcs() < std::numeric_limits<uint32_t>::max());
    lattice_.arc_score_.resize(lattice_.arcs(), 0.0f);  // add_arcs leaves this to the end
    lattice_.source_.push_back(source);
    lattice_.arc_score_.push_back(score);
    ++lattice_.arc_begin_.back();
  }
  /// Adds arcs with score 0 into the state added last, one from each of `count` consecutive states.
  /// Preconditions as for add_arc.
  void add_arcs(uint32_t first_source, size_t count);
  /// Closes the open position, which may have no states.
  void end_position();

  /// Precondition: every state added is in a closed position. The builder is empty afterwards.
  Lattice finish();

 private:
  Lattice lattice_;
  uint32_t previous_begin_ = 0;  ///< first state of the position before the open one
};

/// A chain as a lattice: one state per label with a score above −∞, one arc per pair of them with a score
/// above −∞. O(T·K²) time and memory. Precondition: scores finite or −∞.
Lattice make_lattice(const ChainScores& scores);

/// The arcs out of every state, for traversals from front to back. O(states + arcs) to build.
struct OutgoingArcs {
  std::vector<uint32_t> begin;   ///< arcs out of state s are arc[begin[s] .. begin[s+1])
  std::vector<uint32_t> arc;     ///< targets ascending
  std::vector<uint32_t> target;  ///< parallel to `arc`

  explicit OutgoingArcs(const Lattice& lattice);
};

/// The score of a path given by its states; −∞ if an arc is missing. Precondition: one state per position.
double path_score(const Lattice& lattice, std::span<const uint32_t> path);

/// The labels along a path.
std::vector<data::Label> path_labels(const Lattice& lattice, std::span<const uint32_t> path);

}  // namespace espalier::chain

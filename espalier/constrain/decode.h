// The best labelling under constraints, three ways: lattice, integer program, search.
#pragma once

#include <string>
#include <vector>

#include "espalier/chain/kernels.h"
#include "espalier/chain/lattice/lattice.h"
#include "espalier/constrain/compile.h"

namespace espalier::constrain {

/// An answer. `score` is the model's alone, `penalty` what broken soft rules cost; the sum score − penalty
/// was maximised. The outcome: kExact; kApproximate (beam); kInfeasible (no labelling satisfies the hard
/// rules: no labels); kOutOfBudget (time or memory; labels, where there are some, satisfy the hard rules).
struct Decoded {
  chain::Outcome outcome = chain::Outcome::kInfeasible;
  std::vector<data::Label> labels;
  double score = chain::kMinusInfinity;
  double penalty = 0;

  double value() const { return score - penalty; }
};

/// Scores of an instance: node T×S, and trans or edge where neighbours are scored; `trans` may be null, and
/// then nothing is said about neighbours. Labels whose score is −∞ are impossible.
using Scores = chain::ChainScores;

/// Local rules are folded into the scores and the chain's Viterbi is run; with automata, the chain becomes a
/// lattice that is intersected with one after the other, rules that cost subtracting from its arcs.
/// O(T·K²·joint states), exact. kOutOfBudget where the lattice would have more than `max_arcs` arcs.
/// Precondition: compiled.regular().
Decoded decode_lattice(const Compiled& compiled, const Instance& instance, const Scores& scores,
                       size_t max_arcs = size_t{1} << 26);

/// As an integer program over x_{t,y} (and z_{t,i,j} where neighbours are scored), solved by CBC. Any rule.
/// Exact unless `seconds` run out.
Decoded decode_integer(const Compiled& compiled, const Instance& instance, const Scores& scores,
                       double seconds);

/// From the first output to the last, partial labellings that agree in everything that still matters
/// (automata, last label where neighbours are scored, how far words are covered) are one; of these the best
/// `beam` stay (0: all). With all of them and a bound on what can still be gained this is an exact search,
/// whose time is that of the partial labellings that could still win: for candidates with accurate
/// classifiers a handful. Rules that are not covered: `no embedding` without a hard `no overlap` of the same
/// labels (see searchable).
Decoded decode_search(const Compiled& compiled, const Instance& instance, const Scores& scores, size_t beam,
                      size_t max_states = size_t{1} << 21);
bool searchable(const Compiled& compiled);

enum class Method { kAuto, kLattice, kInteger, kBeam };

struct DecodeOptions {
  Method method = Method::kAuto;
  size_t beam = 16;
  double seconds = 10;  ///< of an integer program, for one instance
};

/// What kAuto takes: lattice where everything is regular and the lattice stays small, exact search for
/// candidates, an integer program for what is left.
Method choose_method(const Compiled& compiled, size_t length, bool neighbours_scored);

/// Decodes by the method asked for, or by the one chosen.
Decoded decode(const Compiled& compiled, const Instance& instance, const Scores& scores,
               const DecodeOptions& options);

/// Where no labelling satisfies the hard rules: the labelling that breaks them least often (of these the
/// best), and a set of hard constraints that clash on this instance, of which none can be left out.
struct Compromise {
  Decoded best;
  std::vector<size_t> clash;  ///< numbers of statements
};
Compromise compromise(const Compiled& compiled, const Instance& instance, const Scores& scores,
                      const DecodeOptions& options);

/// The model's score of a labelling, without penalties.
double score_labels(const Scores& scores, std::span<const data::Label> labels);

}  // namespace espalier::constrain

// The best labelling under constraints. decode() chooses one of three methods: a lattice, a search, or an
// integer program; compromise() answers when no labelling satisfies them.
#pragma once

#include <string>
#include <vector>

#include "espalier/base/deadline.h"
#include "espalier/chain/kernels.h"
#include "espalier/chain/lattice/lattice.h"
#include "espalier/constrain/compile.h"

namespace espalier::constrain {

/// The result. `score` is that of the model alone, `penalty` the cost of broken soft rules; score − penalty
/// is maximal. The outcome: kExact; kApproximate (beam); kInfeasible (no labelling satisfies the hard rules:
/// no labels); kOutOfBudget (time or memory; the labels, if any, satisfy the hard rules).
struct Decoded {
  chain::Outcome outcome = chain::Outcome::kInfeasible;
  std::vector<data::Label> labels;
  double score = chain::kMinusInfinity;
  double penalty = 0;

  double value() const { return score - penalty; }
};

/// Scores of an instance: node T×S, and trans or edge if neighbours are scored; `trans` may be null:
/// neighbours are not scored. A label with score −∞ is impossible.
using Scores = chain::ChainScores;

/// Subtracts local penalties from the scores and runs Viterbi on the chain; if there are automata, the chain
/// becomes a lattice that is intersected with each of them. Exact, O(T·K²·joint states). kOutOfBudget if the
/// lattice would have more than `max_arcs` arcs or would not be ready in time. Precondition:
/// compiled.regular().
Decoded decode_lattice(const Compiled& compiled, const Instance& instance, const Scores& scores,
                       size_t max_arcs = size_t{1} << 26, Deadline deadline = {});

/// As an integer program over x_{t,y} (and z_{t,i,j} if neighbours are scored), solved by CBC. Supports every
/// rule. Exact unless it runs out of time; a program that is too large for the time left is not tried.
Decoded decode_integer(const Compiled& compiled, const Instance& instance, const Scores& scores,
                       Deadline deadline = {});

/// Labels outputs from first to last. Partial labellings that agree in everything that still matters
/// (automata, the last label if neighbours are scored, how far words are covered) are merged, and the best
/// `beam` are kept (0: all). With beam 0 this is an exact search: a bound on what can still be gained removes
/// partial labellings that cannot win, which leaves a handful for candidates with accurate classifiers. Not
/// supported: `no embedding` without a hard `no overlap` of the same labels (see searchable).
/// When the deadline passes, a beam continues with a width of 1; the exact search ends with kOutOfBudget and
/// the best labelling found so far, if any.
Decoded decode_search(const Compiled& compiled, const Instance& instance, const Scores& scores, size_t beam,
                      size_t max_states = size_t{1} << 21, Deadline deadline = {});
bool searchable(const Compiled& compiled);

enum class Method { kAuto, kLattice, kInteger, kBeam };

struct DecodeOptions {
  Method method = Method::kAuto;
  size_t beam = 16;
  double seconds = 10;     ///< time limit per instance, for all methods together
  Deadline deadline = {};  ///< where several calls share one limit: when that ends

  /// The deadline of one call that begins now.
  Deadline limit() const {
    const Deadline own = Deadline::after(seconds);
    return deadline.left() < own.left() ? deadline : own;
  }
};

/// The choice of kAuto: the lattice if every rule is regular and the lattice stays small, the exact search
/// for candidates, otherwise an integer program.
Method choose_method(const Compiled& compiled, size_t length, bool neighbours_scored);

/// Decodes by the requested method, or by the choice of kAuto. If time runs out before there is a labelling,
/// a beam search looks for one (kOutOfBudget); only if it finds none are there no labels.
Decoded decode(const Compiled& compiled, const Instance& instance, const Scores& scores,
               const DecodeOptions& options);

/// Whether hard rules about numbers of labels contradict each other in a sequence of this length, wherever
/// the labels are: a proof that takes no time, where there are too many states or too little time for others.
bool counts_clash(const Compiled& compiled, size_t length);

/// For instances whose time ran out before an allowed labelling was found: one with few violations of hard
/// rules, the fewest if there is time to find out. Its penalty does not count them.
Decoded least_broken(const Compiled& compiled, const Instance& instance, const Scores& scores,
                     const DecodeOptions& options);

/// For instances without an allowed labelling: the labelling with the fewest violations of hard rules (among
/// these the best), and a minimal set of hard constraints that clash on this instance. If time runs out, the
/// labelling is the best that a beam search finds, and the set may contain more than it must.
struct Compromise {
  Decoded best;
  std::vector<size_t> clash;  ///< numbers of statements
};
Compromise compromise(const Compiled& compiled, const Instance& instance, const Scores& scores,
                      const DecodeOptions& options);

/// The model's score of a labelling, without penalties.
double score_labels(const Scores& scores, std::span<const data::Label> labels);

}  // namespace espalier::constrain

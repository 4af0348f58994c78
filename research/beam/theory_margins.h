// Margins of weights on a training set: four notions of how far targets rank above the rest (Xu and Fern
// 2007, Definitions 3 to 6), and the mistake bounds that follow from them (Theorems 7 to 9). Tested in
// theory_convergence_test.cc.
#pragma once

#include <span>
#include <vector>

#include "research/beam/theory_problem.h"

namespace espalier::research {

// Each margin is the least w·f(v*) − w·f(v) over some pairs of a target v* and another node v, and infinite
// if there is no such pair. The root is in none of them, since it is never compared with anything.

/// Definition 3: pairs that the beam search guided by w compares, both among the candidates of one step. On a
/// training set without dead ends, a positive margin implies that w solves the problem. The converse holds
/// only for b = 1 and single targets, up to ties: a wider beam tolerates nodes that rank above the target.
double search_margin(const BeamProblem& problem, std::span<const double> w);

/// Definition 4: pairs of one level.
double level_margin(std::span<const TreeSpace> trees, std::span<const double> w);

/// Definition 5: all pairs of one tree.
double global_margin(std::span<const TreeSpace> trees, std::span<const double> w);

/// Definition 6: on every level all but b' nodes rank below every target by at least δ1, and none of the b'
/// ranks above a target by more than δ2.
struct BeamMargin {
  size_t ambiguous = 0;  ///< b'
  double delta1 = 0;     ///< w has this beam margin only if δ1 > 0
  double delta2 = 0;     ///< ≥ 0
};

/// The beam margin for a given b', with the largest δ1 and then the smallest δ2. (The definition also
/// requires every target to be less than δ1 above each of the b' nodes. Nothing depends on that, and with
/// several targets on a level it may fail; it is not checked.)
BeamMargin beam_margin(std::span<const TreeSpace> trees, std::span<const double> w, size_t ambiguous);

/// R: the largest ‖f(v) − f(v')‖ over nodes of one tree, without its root.
double feature_spread(std::span<const TreeSpace> trees);

/// (R/γ)² (Theorems 7 and 8); infinite without a margin.
double mistake_bound(double spread, double margin);
/// (R/δ1)² (1 − b*/b)^−2 with b* = (1 + δ2/δ1) b' (Theorem 9); infinite if b ≤ b* or δ1 ≤ 0.
double mistake_bound(double spread, const BeamMargin& margin, size_t width);

}  // namespace espalier::research

// Search problems to test theorems on: the paper's counterexamples, random problems, and random trees on
// which weights with a known margin exist. Tested in theory_convergence_test.cc and
// theory_consistency_test.cc.
#pragma once

#include <vector>

#include "espalier/base/random.h"
#include "research/beam/theory_problem.h"

namespace espalier::research {

/// Xu and Fern 2007, Figure 5: (a) w = (γ, γ) has search margin γ, yet LaSO-BR and LaSO-BST stay at w = 0,
/// which solves nothing; (b) w = (2γ, γ) has level margin γ, yet LaSO-BST stays at 0. The printed figure is
/// reconstructed so that every statement about it holds; b = 2, target path A, B, E.
BeamProblem counter_example_a(BeamMode mode);
BeamProblem counter_example_b(BeamMode mode);

/// Trees, and unit weights that have a margin on them.
struct TreesWithMargin {
  std::vector<TreeSpace> trees;
  std::vector<double> w;
};

struct TreeShape {
  size_t trees = 1;
  size_t depth = 3;            ///< of all leaves
  size_t fan_out = 3;          ///< of all other nodes
  size_t dimension = 4;        ///< m
  double second_target = 0.2;  ///< probability that a target node has two targets below it instead of one
  double along = 0.2;  ///< standard deviation of w·f along the weights with a margin; across w it is 1
};

enum class MarginScope { kLevel, kGlobal };

/// Random trees without dead ends, with Gaussian features (flat along w, so that there is something to
/// learn). Targets that do not rank above all others (of their level or of the tree) by `margin` are raised
/// along w until they do, so the margin of w is that or hardly more.
TreesWithMargin trees_with_margin(Random random, const TreeShape& shape, MarginScope scope, double margin);

/// The same for a beam margin (b', δ1, δ2): on every level all targets have the same rank, b' nodes (or as
/// many as there are) rank between δ1 below and δ2 above them, and all others lower by δ1 or more.
TreesWithMargin trees_with_beam_margin(Random random, const TreeShape& shape, size_t ambiguous, double delta1,
                                       double delta2);

/// n trees of depth 1 on which LaSO-BR and LaSO-BST with b = 1 make exactly (R/γ)² = n updates, so the bounds
/// of Theorems 7 and 8 cannot be improved. Tree i has the target ½e_i and the preferred node −½e_i.
TreesWithMargin trees_of_full_bound(size_t n);

/// A random problem of two features with small whole values, so that ties are frequent: one to three
/// instances of depth one to three, a beam of one to three, one or two target paths each, and a random order
/// of preference. Five in eight are consistent.
BeamProblem random_small_problem(Random random, BeamMode mode);

/// A random problem of the class b = t = 1.
BeamProblem random_single_path_problem(Random random, const TreeShape& shape, int largest_feature);

}  // namespace espalier::research

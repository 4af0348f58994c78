// Search problems to try theorems on: the paper's counter-examples, random problems, and random trees on
// which weights of a known margin exist.
#pragma once

#include <vector>

#include "espalier/base/random.h"
#include "research/beam/theory_problem.h"

namespace espalier::research {

/// Xu and Fern 2007, Figure 5: (a) w = (γ, γ) has search margin γ, yet LaSO-BR and LaSO-BST stay at w = 0,
/// which solves nothing; (b) w = (2γ, γ) has level margin γ, yet LaSO-BST stays at 0. The printed figure is
/// reconstructed such that every sentence about it holds; b = 2, target path A, B, E.
BeamProblem counter_example_a(BeamMode mode);
BeamProblem counter_example_b(BeamMode mode);

/// Trees and unit weights that have a margin on them.
struct TreesWithMargin {
  std::vector<TreeSpace> trees;
  std::vector<double> w;
};

struct TreeShape {
  size_t trees = 1;
  size_t depth = 3;            ///< of all leaves
  size_t fan_out = 3;          ///< of all other nodes
  size_t dimension = 4;        ///< m
  double second_target = 0.2;  ///< probability that a target node has two targets below it, not one
  double along = 0.2;          ///< deviation of w·f, where w is the weights with a margin; across w it is 1
};

enum class MarginScope { kLevel, kGlobal };

/// Dead-end free random trees with Gaussian features (flat along w, so that there is something to learn);
/// targets that do not rank above all others (of their level, or of the tree) by `margin` are raised along w
/// until they do, so that w has that margin or hardly more.
TreesWithMargin trees_with_margin(Random random, const TreeShape& shape, MarginScope scope, double margin);

/// The same for a beam margin (b', δ1, δ2): on every level the targets rank alike, b' nodes (or as many as
/// there are) between δ1 below and δ2 above them, all others lower by δ1 or more.
TreesWithMargin trees_with_beam_margin(Random random, const TreeShape& shape, size_t ambiguous, double delta1,
                                       double delta2);

/// n trees of depth 1 on which LaSO-BR and LaSO-BST with b = 1 make exactly (R/γ)² = n updates: the bounds
/// of Theorems 7 and 8 cannot be improved. Tree i has ½e_i as its target and −½e_i, preferred, beside it.
TreesWithMargin trees_of_full_bound(size_t n);

/// A random problem of two features with small whole values, so that ties abound: one to three instances of
/// depth one to three, a beam of one to three, one or two target paths each, a random order of preference.
/// Five in eight of them are consistent.
BeamProblem random_small_problem(Random random, BeamMode mode);

/// A random problem of the class b = t = 1.
BeamProblem random_single_path_problem(Random random, const TreeShape& shape, int largest_feature);

}  // namespace espalier::research

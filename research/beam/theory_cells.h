// Decides what weights can rank how by brute force, for up to three features: weight_cells() finds a weight
// vector in every cell of weight space, sweep_weight_space() tries them all. O(N^6) in three dimensions; the
// algorithm to compare with is decide_consistency(). Tested in theory_consistency_test.cc.
#pragma once

#include <span>
#include <vector>

#include "espalier/base/result.h"
#include "research/beam/theory_demands.h"
#include "research/beam/theory_problem.h"

namespace espalier::research {

/// Whole vectors that realise every combination of signs of w·g (0 included) over all normals g that some w
/// has: a point in every open cell of the arrangement of hyperplanes g⊥, and in every face of every cell.
/// With the axes, which are added, the cells of the arrangement are pointed cones: one of dimension k
/// contains k independent rays of the arrangement, and their sum lies inside it. In two dimensions
/// neighbouring rays are summed, in three all triples: O(N) and O(N^6) vectors for N normals. Fails if the
/// dimension is not 1, 2 or 3, or if a normal has values that are not whole or above 1024, since all products
/// must be exact.
Result<std::vector<std::vector<double>>> weight_cells(size_t dimension,
                                                      std::span<const std::vector<double>> normals);

struct CellSweep {
  bool consistent = false;
  std::vector<double> w;  ///< solves the problem; empty unless consistent
  size_t cells = 0;       ///< number of vectors tried
};

/// Decides consistency by running the search with a w from every cell into which differences of nodes'
/// features cut weight space. Shares only the definition with decide_consistency. Fails as weight_cells does.
Result<CellSweep> sweep_weight_space(const BeamProblem& problem);

}  // namespace espalier::research

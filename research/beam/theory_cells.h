// All cells of weight space, for two or three features: the plain way to decide what can be ranked how.
#pragma once

#include <span>
#include <vector>

#include "espalier/base/result.h"
#include "research/beam/theory_demands.h"
#include "research/beam/theory_problem.h"

namespace espalier::research {

/// Whole vectors such that every way in which some w can have signs of w·g, g over all normals, 0 among the
/// signs, is had by one of them: a point in every open cell of the arrangement of hyperplanes g⊥, and in
/// every face of every cell. Together with the axes, which are added, the arrangement's cells are pointed
/// cones: one of dimension k holds k independent rays of the arrangement, and their sum lies inside it. In
/// two dimensions neighbouring rays are summed, in three all triples: O(N) and O(N^6) vectors for N normals.
/// Fails where the dimension is not 1, 2 or 3, or a normal has values that are not whole or above 1024: all
/// products must be exact.
Result<std::vector<std::vector<double>>> weight_cells(size_t dimension,
                                                      std::span<const std::vector<double>> normals);

struct CellSweep {
  bool consistent = false;
  std::vector<double> w;  ///< solves the problem; empty unless consistent
  size_t cells = 0;       ///< vectors that were tried
};

/// Consistency by running the search with a w of every cell that differences of nodes' features cut weight
/// space into. Shares nothing with decide_consistency but the definition. Fails as weight_cells does.
Result<CellSweep> sweep_weight_space(const BeamProblem& problem);

}  // namespace espalier::research

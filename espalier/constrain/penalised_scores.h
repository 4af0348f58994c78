// Model scores with the penalties of local rules subtracted: what a rule says about one label, about a pair
// of neighbours, or about the first and the last output. A chain decoder that runs on them obeys these rules
// at no further cost. Rules that look farther are automata (compile.h) and need constrained_lattice.h. Tested
// in decode_test.cc.
#pragma once

#include <vector>

#include "espalier/base/array.h"
#include "espalier/constrain/compile.h"
#include "espalier/constrain/decode.h"

namespace espalier::constrain {

/// Subtracts the penalties of single labels, and of the first and the last label, from node scores (T×S), in
/// place.
void subtract_label_penalties(const Compiled& compiled, const std::vector<double>& row_penalties,
                              size_t length, size_t stride, float* node);

/// Subtracts the penalties of neighbours from one table of pair scores (K×S), in place.
void subtract_pair_penalties(const LocalPenalties& local, size_t stride, float* pairs);

/// Scores minus all local penalties; buffers are reused. If rules restrict neighbours that the model does not
/// score, transitions are the negative penalties (0 and −∞ for hard rules).
struct PenalisedScores {
  AlignedVector<float> node, trans, edge;
  Scores view;

  void assign(const Compiled& compiled, const Instance& instance, const Scores& scores);
};

}  // namespace espalier::constrain

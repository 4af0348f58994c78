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

/// Subtracts what the labels of rows, of the first and of the last output cost from node scores (T×S), in
/// place.
void subtract_label_penalties(const Compiled& compiled, const std::vector<double>& row_penalties,
                              size_t length, size_t stride, float* node);

/// Subtracts what neighbours cost from one table of pair scores (K×S), in place.
void subtract_pair_penalties(const LocalPenalties& local, size_t stride, float* pairs);

/// Scores with every local rule folded in, in buffers that are used again. Where the model scores no
/// neighbours but rules speak about them, there are transitions of 0 and −∞.
struct PenalisedScores {
  AlignedVector<float> node, trans, edge;
  Scores view;

  void assign(const Compiled& compiled, const Instance& instance, const Scores& scores);
};

}  // namespace espalier::constrain

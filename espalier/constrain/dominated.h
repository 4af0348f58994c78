// Labels that no best labelling needs, where outputs are scored each by itself. Tested in decode_test.cc.
#pragma once

#include <vector>

#include "espalier/constrain/compile.h"

namespace espalier::constrain {

/// Strikes out labels that no best labelling needs. A label is free where no rule can hold it against the
/// labelling (it is not counted, owes nothing); it is wanted where some rule may need it (it pays for a
/// label that is still possible, or is counted from below). An output's label that is not wanted and scores
/// no better than a free one that covers no more words can be replaced by that, whatever the others are.
/// What is struck out makes others unwanted, and so on.
///
/// `value` holds a score less local penalties for each output and label, −∞ where impossible; what is struck
/// out becomes −∞.
void drop_dominated(const Compiled& compiled, std::vector<double>& value);

}  // namespace espalier::constrain

// Removes labels that no best labelling needs, for outputs that are scored each by itself. A speed-up for
// search.cc. Tested in decode_test.cc.
#pragma once

#include <vector>

#include "espalier/constrain/compile.h"

namespace espalier::constrain {

/// A label is free if no rule can be broken by it (no upper limit counts it, it requires no other label). It
/// is wanted if some rule may need it (another possible label requires it, or a lower limit counts it). If an
/// output's label is not wanted and does not score more than a free label that covers no more words, the free
/// label can replace it whatever the others are, and it is removed. Removing labels makes others unwanted, so
/// this is repeated.
///
/// `value` holds the score minus local penalties of each output and label, −∞ if impossible; removed labels
/// become −∞.
void drop_dominated(const Compiled& compiled, std::vector<double>& value);

}  // namespace espalier::constrain

// Whether the labels of a model can form segments of a scheme at all. Tested in rules_test.cc.
//
// Call scheme_misfit() where a constraint file says `valid SCHEME`. If most of the labels could be in no legal labelling, they
// belong to another scheme, and decoding under the constraint would answer O everywhere. Quadratic in the number of labels.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "espalier/data/label_scheme.h"
#include "espalier/data/label_set.h"

namespace espalier::constrain {

/// Empty where the labels fit; otherwise what is wrong, in words. `broken` is (labels + 1)²: whether label j must not follow
/// label i, with the edge of a sequence as the last row and column. `prefixes` are those of the scheme.
std::string scheme_misfit(const data::LabelSet& labels, data::Scheme scheme, std::string_view prefixes,
                          std::span<const uint8_t> broken);

}  // namespace espalier::constrain

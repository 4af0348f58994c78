// The features used when no template is given.
#pragma once

#include <span>
#include <string>

#include "espalier/data/features/feature_plan.h"

namespace espalier::data {

/// The default set for the given columns: the first is the word, the others are symbols such as parts of
/// speech. Meant for tagging, chunking and entities in any language, with or without letter case.
/// Precondition: one column at least.
FeaturePlan default_features(std::span<const size_t> columns);

/// The same as text, one feature a line: the views it joins, each with the row it looks at, counted from the
/// current one. `suf3[-1] x1[0]` is the suffix of three characters of the word before together with the
/// symbol of column 1.
std::string default_feature_description(std::span<const size_t> columns);

}  // namespace espalier::data

// The features used when no template is given. Call default_features.
#pragma once

#include <span>
#include <string>

#include "espalier/data/features/feature_plan.h"

namespace espalier::data {

/// The default set for the given columns: the first is the word, the others are symbols such as parts of
/// speech. Meant for tagging, chunking and entities in any language, with or without letter case.
/// Precondition: at least one column.
FeaturePlan default_features(std::span<const size_t> columns);

}  // namespace espalier::data

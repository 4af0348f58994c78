// The heaviest weights of a model with the names of their features: what `inspect` lists.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "espalier/data/predictor.h"

namespace espalier::data {

struct NamedWeight {
  std::string_view name;
  Label label = 0;
  float weight = 0;
};

/// The weights farthest from 0, at most `how_many`; equal ones by name, then by label.
std::vector<Predictor::WeightedFeature> strongest_of(std::vector<NamedWeight> weights, size_t how_many);

/// The first line of `names` (a model has one a feature, in the order of its rows), which goes from it; none
/// where no whole line is left.
std::optional<std::string_view> take_name(std::string_view& names);

}  // namespace espalier::data

// The largest weights of a model with the names of their features, for `inspect`. Models store one name per
// line, in the order of their rows: read them with take_name, then call strongest_of.
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

/// The weights with the largest absolute values, at most `how_many`; ties are ordered by name, then by label.
std::vector<Predictor::WeightedFeature> strongest_of(std::vector<NamedWeight> weights, size_t how_many);

/// Removes the first line from `names` and returns it; nothing if no complete line is left.
std::optional<std::string_view> take_name(std::string_view& names);

}  // namespace espalier::data

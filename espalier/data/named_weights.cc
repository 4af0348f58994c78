#include "espalier/data/named_weights.h"

#include <algorithm>
#include <cmath>

namespace espalier::data {

std::vector<Predictor::WeightedFeature> strongest_of(std::vector<NamedWeight> weights, size_t how_many) {
  const size_t n = std::min(how_many, weights.size());
  std::partial_sort(weights.begin(), weights.begin() + static_cast<ptrdiff_t>(n), weights.end(),
                    [](const NamedWeight& a, const NamedWeight& b) {
                      const float wa = std::abs(a.weight), wb = std::abs(b.weight);
                      return wa != wb ? wa > wb : a.name != b.name ? a.name < b.name : a.label < b.label;
                    });
  std::vector<Predictor::WeightedFeature> strongest;
  for (size_t i = 0; i < n; ++i)
    strongest.push_back({std::string(weights[i].name), weights[i].label, weights[i].weight});
  return strongest;
}

std::optional<std::string_view> take_name(std::string_view& names) {
  const size_t end = names.find('\n');
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view name = names.substr(0, end);
  names.remove_prefix(end + 1);
  return name;
}

}  // namespace espalier::data

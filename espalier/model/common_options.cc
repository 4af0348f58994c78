#include "espalier/model/common_options.h"

#include <algorithm>

#include "espalier/base/format.h"
#include "espalier/base/text.h"

namespace espalier::model {

Result<std::vector<std::pair<std::string, float>>> parse_label_weights(std::string_view text) {
  std::vector<std::pair<std::string, float>> out;
  while (!text.empty()) {
    const std::string_view item = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), item.size() + 1));
    const size_t colon = item.rfind(':');
    if (colon == std::string_view::npos || colon == 0)
      return fail("parameter label-weights: '{}' is not LABEL:WEIGHT", item);
    const auto weight = parse_number(item.substr(colon + 1));
    if (!weight.ok() || *weight < 0)
      return fail("parameter label-weights: '{}': the weight must be at least 0", item);
    out.emplace_back(item.substr(0, colon), static_cast<float>(*weight));
  }
  return out;
}

std::string label_weights_text(const std::vector<std::pair<std::string, float>>& weights) {
  std::vector<std::string> items;
  for (const auto& [label, weight] : weights) items.push_back(fmt::format("{}:{}", label, weight));
  return joined(items, ",");
}

}  // namespace espalier::model

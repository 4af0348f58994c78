#include "espalier/model/common_options.h"

#include <algorithm>

#include "espalier/base/text/format.h"
#include "espalier/base/text/text.h"

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

void add_common_parameters(ParameterTable<CommonOptions> table) {
  table.whole("cutoff", &CommonOptions::cutoff, {1, 1e9}, "drop features seen fewer times than this");
  table.whole("degree", &CommonOptions::degree, {1, 2},
              "2 adds every pair of a token's features (for pixels and the like)", kAdvanced);
  table.flag("names", &CommonOptions::names, "keep feature names in the model, for inspect and explain");
  table.choice(
      "weight-bits", &CommonOptions::weight_bits,
      {{"auto", WeightBits::kAuto}, {"16", WeightBits::k16}, {"32", WeightBits::k32}},
      "bits a weight takes in the model; auto takes 16 where the labels stay the same on the training data");
  table.whole("patience", &CommonOptions::patience, {1, 1e9},
              "with --dev: stop after this many rounds without a better score");
  table.only_where(
      {"patience"}, [](const CommonOptions&, const Situation& situation) { return situation.dev; },
      "training with a development set (--dev)");
}

void add_scheme(ParameterTable<CommonOptions> table) {
  table.choice(
      "scheme", &CommonOptions::scheme, {{"data", InnerScheme::kData}, {"iobes", InnerScheme::kIobes}},
      "labels of segments inside the model: as in the data, or told apart by first, inner, last and only "
      "token; answers are in the scheme of the data",
      kAdvanced);
}

void add_full_rows(ParameterTable<CommonOptions> table) {
  table.whole(
      "full-rows", &CommonOptions::full_rows, {0, 1e9},
      "features seen at least this often get a weight for every label, others for the labels seen with "
      "them; 0: none, 1: all; auto: 5, or none with more than 64 labels",
      kAdvanced);
}

void add_label_weights(ParameterTable<CommonOptions> table) {
  table.add(
      "label-weights", "text", "what errors on a gold label cost, as LABEL:WEIGHT,LABEL:WEIGHT,…",
      Audience::kBasic,
      [](CommonOptions& options, std::string_view text) -> Status {
        ESPALIER_ASSIGN(options.label_weights, parse_label_weights(text));
        return {};
      },
      [](const CommonOptions& options) { return label_weights_text(options.label_weights); });
}

}  // namespace espalier::model

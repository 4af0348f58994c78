// Part of model.h: the strongest weights, transitions and size that `inspect` shows. Tested in model_test.cc.
#include <algorithm>
#include <cmath>

#include "espalier/chain/model/model.h"
#include "espalier/data/named_weights.h"

namespace espalier::chain {

Result<std::vector<ChainPredictor::WeightedFeature>> ChainPredictor::strongest(
    size_t how_many, std::optional<data::Label> only) const {
  if (kernelised()) return fail("{}: a kernel machine has no weights of single features", file_name_);
  if (!names_) return fail("{}: the model was written without the names of its features", file_name_);
  std::vector<data::NamedWeight> weights;
  std::string_view names = *names_;
  for (const uint32_t start : state_row_starts()) {
    const auto name = data::take_name(names);
    if (!name) return fail("{}: fewer names than features", file_name_);
    state_.for_each(start, [&](uint32_t column, float weight) {
      if (!only || *only == labels_.plain_number(static_cast<data::Label>(column)))
        weights.push_back({*name, static_cast<data::Label>(column), weight});
    });
  }
  return data::strongest_of(std::move(weights), how_many);
}

std::vector<ChainPredictor::WeightedTransition> ChainPredictor::weighted_transitions() const {
  std::vector<WeightedTransition> all;
  if (!transitions_) return all;
  for (data::Label i = 0; i < labels_.size(); ++i)
    for (data::Label j = 0; j < labels_.size(); ++j) all.push_back({i, j, transition(i, j)});
  return all;
}

ChainPredictor::Size ChainPredictor::size() const {
  Size size;
  for (const linear::PackedRows* rows : {&state_, &edge_}) {
    std::vector<uint32_t> starts;
    if (rows->words().empty()) continue;  // a kernel machine has none
    const auto view =
        linear::PackedRows::view(rows->words(), rows->width(), rows->bits(), rows->scale(), &starts);
    ESPALIER_CHECK(view.ok());
    size.features += starts.size();
    for (const uint32_t start : starts) size.weights += rows->weights_at(start);
  }
  if (transitions_) size.weights += labels_.size() * labels_.size();
  size.weight_bits = state_.bits();
  size.names = names_.has_value();
  return size;
}

}  // namespace espalier::chain

#include <algorithm>
#include <cmath>

#include "espalier/chain/model.h"

namespace espalier::chain {

Result<std::vector<ChainPredictor::WeightedFeature>> ChainPredictor::strongest(
    size_t how_many, std::optional<data::Label> only) const {
  if (kernelised()) return fail("{}: a kernel machine has no weights of single features", file_name_);
  if (!names_) return fail("{}: the model was written without the names of its features", file_name_);
  struct Entry {
    std::string_view name;
    uint32_t label;
    float weight;
  };
  std::vector<Entry> entries;
  size_t begin = 0;
  for (const uint32_t start : state_row_starts()) {
    const size_t end = names_->find('\n', begin);
    if (end == std::string_view::npos) return fail("{}: fewer names than features", file_name_);
    state_.for_each(start, [&](uint32_t column, float weight) {
      if (!only || *only == column) entries.push_back({names_->substr(begin, end - begin), column, weight});
    });
    begin = end + 1;
  }
  const size_t n = std::min(how_many, entries.size());
  std::partial_sort(entries.begin(), entries.begin() + static_cast<ptrdiff_t>(n), entries.end(),
                    [](const Entry& a, const Entry& b) {
                      const float wa = std::abs(a.weight), wb = std::abs(b.weight);
                      return wa != wb ? wa > wb : a.name != b.name ? a.name < b.name : a.label < b.label;
                    });
  std::vector<WeightedFeature> strongest;
  for (size_t i = 0; i < n; ++i)
    strongest.push_back(
        {std::string(entries[i].name), static_cast<data::Label>(entries[i].label), entries[i].weight});
  return strongest;
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
    for (const uint32_t start : starts) size.weights += rows->words()[start];
  }
  if (transitions_) size.weights += labels_.size() * labels_.size();
  size.weight_bits = state_.bits();
  size.names = names_.has_value();
  return size;
}

}  // namespace espalier::chain

#include "espalier/chain/learners/warm_start.h"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace espalier::chain {

namespace {

/// The union of the rows of `fresh` and of the old model: every feature and every column of either.
template <typename Column, typename Translate>
Status join(linear::RowLayout<Column>& layout, AlignedVector<float>& weights, linear::FeatureSpace& features,
            const SectionFile& file, const std::string& prefix, const linear::PackedRows& old_rows,
            const linear::FeatureMap& old_map, Translate&& translate) {
  if (old_rows.offset_limit() == 0) return {};
  if (!file.has(prefix + ".hashes"))
    return fail("{}: the model was stripped of its feature names and cannot be trained further", file.name());
  ESPALIER_ASSIGN(const auto hashes, file.array<uint64_t>(prefix + ".hashes"));
  std::string_view names;
  if (file.has(prefix + ".names")) {
    ESPALIER_ASSIGN(names, file.text(prefix + ".names"));
  }
  std::unordered_map<uint64_t, uint32_t> number;
  number.reserve(features.size());
  for (uint32_t f = 0; f < features.size(); ++f) number.emplace(features.hashes[f], f);
  const bool named = !features.names.empty() || features.size() == 0;
  size_t name_begin = 0;
  for (const uint64_t hash : hashes) {
    const size_t name_end = names.empty() ? 0 : names.find('\n', name_begin) + 1;
    if (number.emplace(hash, static_cast<uint32_t>(features.size())).second) {
      features.hashes.push_back(hash);
      features.counts.push_back(0);
      if (named) features.names.append(names.substr(name_begin, name_end - name_begin));
      layout.begin.push_back(layout.begin.back());
    }
    name_begin = name_end;
  }
  linear::RowLayout<Column> joined;
  joined.width = layout.width;
  std::vector<float> values;
  std::map<uint32_t, float> row;
  for (size_t f = 0; f < features.size(); ++f) {
    row.clear();
    for (uint32_t i = layout.begin[f]; i < layout.begin[f + 1]; ++i) row.emplace(layout.column[i], 0.0f);
    const uint32_t offset = old_map.find(features.hashes[f]);
    if (offset != linear::kNoFeature)
      old_rows.for_each(offset, [&](uint32_t column, float weight) { row[translate(column)] = weight; });
    for (const auto& [column, weight] : row) {
      joined.column.push_back(static_cast<Column>(column));
      values.push_back(weight);
    }
    joined.begin.push_back(static_cast<uint32_t>(joined.column.size()));
  }
  layout = std::move(joined);
  weights = linear::make_weights(layout.weights());
  std::copy(values.begin(), values.end(), weights.begin());
  return {};
}

}  // namespace

Result<ChainWeights> warm_start(linear::EncodedTraining& training, const ChainPredictor& old,
                                const SectionFile& file, bool transitions, const PairOptions& options,
                                const Team& team) {
  ChainWeights w = make_weights(training, transitions, options, Workers(1), team);
  const size_t before = old.labels().size();
  ESPALIER_CHECK(before <= w.labels);
  for (data::Label i = 0; i < before; ++i) {
    ESPALIER_CHECK(training.labels.name(i) == old.labels().name(i));
    for (data::Label j = 0; j < before; ++j) w.trans[i * w.stride + j] = old.transition(i, j);
  }
  ESPALIER_TRY(join(w.state_rows, w.state, training.state, file, "state", old.state_rows(), old.state_map(),
                    [](uint32_t column) { return column; }));
  ESPALIER_TRY(
      join(w.edge_rows, w.edge, training.edge, file, "edge", old.edge_rows(), old.edge_map(),
           [&](uint32_t pair) { return static_cast<uint32_t>(pair / before * w.labels + pair % before); }));
  return w;
}

}  // namespace espalier::chain

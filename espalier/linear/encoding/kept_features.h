// Trained rows as a model file stores them: only features that still have a weight, packed.
#pragma once

#include <string>
#include <vector>

#include "espalier/linear/encoding/dataset.h"
#include "espalier/linear/encoding/feature_map.h"
#include "espalier/linear/packed_rows.h"

namespace espalier::linear {

struct KeptFeatures {
  PackedRows rows;
  std::vector<uint64_t> hashes;   ///< of the features whose row has a weight, in their order
  std::vector<uint32_t> offsets;  ///< where those rows begin
  bool all = false;               ///< no feature is left out
  std::string some_names;         ///< one line each, unless `all`; empty where the space has none
  /// Those of the features that were kept; `features` are the ones that they were chosen from.
  const std::string& names(const FeatureSpace& features) const { return all ? features.names : some_names; }
  /// From a hash to where its row begins.
  FeatureMap map() const { return FeatureMap::build(hashes, offsets, nullptr); }
};

/// Packs the rows of `features` with `bits` (32 or 16) per weight; weights that are exactly 0 are left out.
template <typename Column>
KeptFeatures keep_features(const RowLayout<Column>& layout, const float* weights,
                           const FeatureSpace& features, int bits) {
  KeptFeatures kept;
  std::vector<uint32_t> offsets;
  kept.rows = PackedRows::pack(layout, weights, bits, offsets);
  kept.hashes.reserve(offsets.size());
  kept.offsets.reserve(offsets.size());
  for (size_t f = 0; f < offsets.size(); ++f) {
    if (offsets[f] == kNoFeature) continue;
    kept.hashes.push_back(features.hashes[f]);
    kept.offsets.push_back(offsets[f]);
  }
  kept.all = kept.hashes.size() == offsets.size();
  if (kept.all) return kept;
  kept.some_names.reserve(features.names.size());
  size_t name_begin = 0;
  for (size_t f = 0; f < offsets.size() && !features.names.empty(); ++f) {
    const size_t name_end = features.names.find('\n', name_begin) + 1;
    if (offsets[f] != kNoFeature) kept.some_names.append(features.names, name_begin, name_end - name_begin);
    name_begin = name_end;
  }
  return kept;
}

}  // namespace espalier::linear

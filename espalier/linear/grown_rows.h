// What a model that is trained further needs of the old one where that keeps only a table of its features and
// no list of their hashes: join_rows() puts the rows of the new data and of the old model together,
// grow_table() makes the table of both. Linear time. Tested in grown_rows_test.cc.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "espalier/linear/encoding/dataset.h"
#include "espalier/linear/encoding/feature_map.h"
#include "espalier/linear/packed_rows.h"
#include "espalier/linear/rows.h"

namespace espalier::linear {

/// The slots of `old` with further entries. The full hashes of the old entries are not known, but every one
/// of them is found as before. `new_value(value)` is what the value of an entry becomes, never kNoFeature.
/// Precondition: old.find(hashes[i]) is kNoFeature for all i. Each time the table has to double, old entries
/// take twice their place, and all searches take longer.
std::vector<FeatureMap::Slot> grow_table(const FeatureMap& old,
                                         const std::function<uint32_t(uint32_t)>& new_value,
                                         std::span<const uint64_t> hashes, std::span<const uint32_t> values);

/// False if the table would have to double so often for this many entries more that searches became slow: the
/// new data are then many times what the old model knows, and training on everything again is better.
bool has_room(const FeatureMap& old, size_t more);

/// The values of a table, each once, ascending.
std::vector<uint32_t> values_of(const FeatureMap& map);

/// Calls visit(column, weight) for the weights of the old model's feature whose value in its table is
/// `value`.
using OldRow =
    std::function<void(uint32_t value, const std::function<void(uint32_t column, float weight)>& visit)>;

/// Rows for the features of the new data and, after them, for those of the old model that do not occur there,
/// which are appended to `features` with a made-up hash. A row has the columns of `layout` and of the old
/// row. `names` has the names of the old features in the order of their values, or is empty. `old_value` gets
/// the value in the old table of each feature, kNoFeature for those that are new.
template <typename Column>
void join_rows(RowLayout<Column>& layout, FeatureSpace& features, const FeatureMap& old,
               std::string_view names, const OldRow& old_row, std::vector<uint32_t>& old_value) {
  old_value.resize(features.size());
  old.find_all(features.hashes, old_value.data());
  // Two features that the old table cannot tell apart: the first has the row.
  const std::vector<uint32_t> values = values_of(old);
  std::vector<bool> met(values.size(), false);
  for (uint32_t& value : old_value) {
    if (value == kNoFeature) continue;
    const auto at =
        static_cast<size_t>(std::lower_bound(values.begin(), values.end(), value) - values.begin());
    if (met[at]) {
      value = kNoFeature;
    } else {
      met[at] = true;
    }
  }
  const bool named = !features.names.empty() || features.size() == 0;
  size_t name_begin = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    const size_t name_end = names.empty() ? 0 : names.find('\n', name_begin) + 1;
    if (!met[i]) {
      features.hashes.push_back(i + 1);
      features.counts.push_back(0);
      if (named) features.names.append(names.substr(name_begin, name_end - name_begin));
      old_value.push_back(values[i]);
      layout.begin.push_back(layout.begin.back());
    }
    name_begin = name_end;
  }
  RowLayout<Column> joined;
  joined.width = layout.width;
  std::vector<uint32_t> row;
  for (size_t f = 0; f < features.size(); ++f) {
    row.assign(layout.column.begin() + layout.begin[f], layout.column.begin() + layout.begin[f + 1]);
    if (old_value[f] != kNoFeature)
      old_row(old_value[f], [&](uint32_t column, float) { row.push_back(column); });
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
    for (const uint32_t column : row) joined.column.push_back(static_cast<Column>(column));
    joined.begin.push_back(static_cast<uint32_t>(joined.column.size()));
  }
  layout = std::move(joined);
}

/// Copies the weights of the old rows into those that join_rows laid out.
template <typename Column>
void copy_rows(const RowLayout<Column>& layout, const std::vector<uint32_t>& old_value, const OldRow& old_row,
               float* weights) {
  for (size_t f = 0; f < old_value.size(); ++f) {
    if (old_value[f] == kNoFeature) continue;
    const auto begin = layout.column.begin() + layout.begin[f],
               end = layout.column.begin() + layout.begin[f + 1];
    old_row(old_value[f], [&](uint32_t column, float weight) {
      const auto at = std::lower_bound(begin, end, static_cast<Column>(column));
      weights[at - layout.column.begin()] = weight;
    });
  }
}

/// Makes sure that every row of an old feature is stored, since a table must not lose entries. Rows are left
/// out whose weights are all 0 or, in 16 bits, round to it; such a row gets the smallest weight that is
/// stored.
template <typename Column>
void keep_places(const RowLayout<Column>& layout, const std::vector<uint32_t>& old_value, int bits,
                 std::span<float> weights) {
  float largest = 0;
  for (const float w : weights) largest = std::max(largest, std::abs(w));
  constexpr float kTiny = 1e-30f;
  const float step = bits == 16 && largest > 0 ? largest / 32767 : kTiny;
  for (size_t f = 0; f < old_value.size(); ++f) {
    if (old_value[f] == kNoFeature) continue;
    const auto first = weights.begin() + layout.begin[f], last = weights.begin() + layout.begin[f + 1];
    const auto most =
        std::max_element(first, last, [](float a, float b) { return std::abs(a) < std::abs(b); });
    if (most != last && std::abs(*most) < step) *most = std::copysign(step, *most);
  }
}

/// The rows of a model that was trained further, ready to be stored.
struct GrownRows {
  PackedRows rows;
  std::vector<FeatureMap::Slot> table;  ///< from hashes to where rows begin
  std::string names;                    ///< of the features that have a row, one line each
  size_t features = 0;                  ///< how many have one
};
/// Packs rows that join_rows laid out. `old` is the table of the old model.
template <typename Column>
GrownRows pack_grown(const RowLayout<Column>& layout, std::vector<float> weights,
                     const FeatureSpace& features, const FeatureMap& old,
                     const std::vector<uint32_t>& old_value, int bits) {
  GrownRows grown;
  keep_places(layout, old_value, bits, weights);
  std::vector<uint32_t> offsets, fresh_offsets;
  std::vector<uint64_t> fresh;
  std::map<uint32_t, uint32_t> moved;
  grown.rows = PackedRows::pack(layout, weights.data(), bits, offsets);
  size_t name_begin = 0;
  for (size_t f = 0; f < offsets.size(); ++f) {
    const size_t name_end = features.names.empty() ? 0 : features.names.find('\n', name_begin) + 1;
    if (offsets[f] != kNoFeature) {
      ++grown.features;
      grown.names.append(features.names, name_begin, name_end - name_begin);
      if (f < old_value.size() && old_value[f] != kNoFeature) {
        moved.emplace(old_value[f], offsets[f]);
      } else {
        fresh.push_back(features.hashes[f]);
        fresh_offsets.push_back(offsets[f]);
      }
    }
    name_begin = name_end;
  }
  grown.table = grow_table(
      old, [&](uint32_t value) { return moved.at(value); }, fresh, fresh_offsets);
  return grown;
}

}  // namespace espalier::linear

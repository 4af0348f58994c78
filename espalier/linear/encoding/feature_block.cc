#include "espalier/linear/encoding/feature_block.h"

#include <bit>
#include <memory>

namespace espalier::linear {
namespace {

/// Numbers in whose order features are sorted by shard: the shard is their upper bits.
constexpr int kUpdateShardBits = std::countr_zero(kUpdateShards);
constexpr uint32_t shard_first(uint32_t feature) { return std::rotr(feature, kUpdateShardBits); }
constexpr uint32_t feature_again(uint32_t number) { return std::rotl(number, kUpdateShardBits); }
static_assert(std::has_single_bit(kUpdateShards));

}  // namespace

void sort_features(std::span<uint32_t> ids, std::span<float> values,
                   std::vector<std::pair<uint32_t, float>>& pairs) {
  if (values.empty()) {
    for (uint32_t& id : ids) id = shard_first(id);
    std::sort(ids.begin(), ids.end());
    for (uint32_t& id : ids) id = feature_again(id);
    return;
  }
  pairs.clear();
  for (size_t i = 0; i < ids.size(); ++i) pairs.emplace_back(shard_first(ids[i]), values[i]);
  std::sort(pairs.begin(), pairs.end());
  for (size_t i = 0; i < ids.size(); ++i) {
    ids[i] = feature_again(pairs[i].first);
    values[i] = pairs[i].second;
  }
}

void close_gaps(std::span<const uint32_t> kept, uint32_t* features, Ragged<uint32_t>& lists,
                std::vector<float>& values) {
  uint64_t out = 0;
  for (size_t t = 0; t < kept.size(); ++t) {
    const uint64_t first = lists.begin[t];
    if (out != first) {
      if (features != nullptr) std::copy_n(features + first, kept[t], features + out);
      if (!values.empty())
        std::copy_n(values.begin() + static_cast<ptrdiff_t>(first), kept[t],
                    values.begin() + static_cast<ptrdiff_t>(out));
    }
    lists.begin[t] = out;
    out += kept[t];
  }
  lists.begin.back() = out;
  if (!values.empty()) values.resize(out);
}

std::vector<uint32_t> indistinguishable(std::span<const uint64_t> hashes) {
  return FeatureMap::indistinguishable(hashes);
}

void FeatureBlock::extract(const data::FeatureExtractor& extractor, const Workers& workers) {
  if (hashed.size() < sequences.size()) hashed.resize(sequences.size());
  const size_t pieces = std::min<size_t>(sequences.size(), 64);
  workers.for_each(pieces, [&](size_t piece) {
    data::FeatureExtractor::Scratch scratch;
    const Range range = piece_of(sequences.size(), pieces, piece);
    for (size_t s = range.first; s < range.last; ++s) extractor.extract(sequences[s], scratch, hashed[s]);
  });
}

FeatureCollector::Namer FeatureBlock::namer(const data::FeatureExtractor& extractor, bool edges) const {
  auto origin = std::make_shared<std::vector<uint32_t>>();  // first feature of each sequence
  uint32_t next = 0;
  for (size_t s = 0; s < sequences.size(); ++s) {
    origin->push_back(next);
    next += static_cast<uint32_t>((edges ? hashed[s].edge : hashed[s].state).size());
  }
  return
      [this, &extractor, edges, origin](std::span<const uint32_t> positions, FeatureCollector::Names& names) {
        data::FeatureNames namer_of_row(extractor);
        // Positions ascend, and so do sequences and rows.
        size_t s = 0, row = 0;
        bool there = false;
        for (const uint32_t position : positions) {
          while (s + 1 < sequences.size() && (*origin)[s + 1] <= position) {
            ++s;
            row = 0;
            there = false;
          }
          const auto& begin = edges ? hashed[s].edge_begin : hashed[s].state_begin;
          const uint32_t local = position - (*origin)[s];
          while (begin[row + 1] <= local) {
            ++row;
            there = false;
          }
          if (!there) namer_of_row.move_to(sequences[s], row);
          there = true;
          if (edges) {
            namer_of_row.append_edge(local - begin[row], names.text);
          } else {
            namer_of_row.append_state(local - begin[row], names.text);
          }
          names.close();
        }
      };
}

bool FeatureBlock::any_value() const {
  return std::any_of(hashed.begin(), hashed.begin() + static_cast<ptrdiff_t>(sequences.size()),
                     [](const data::HashedFeatures& features) { return !features.state_values.empty(); });
}

bool FeatureBlock::append_values(bool kept, size_t before, std::vector<float>& values) const {
  if (!kept && !any_value()) return false;
  if (!kept) values.assign(before, 1.0f);
  for (size_t s = 0; s < sequences.size(); ++s) {
    if (hashed[s].state_values.empty()) {
      values.insert(values.end(), hashed[s].state.size(), 1.0f);
    } else {
      values.insert(values.end(), hashed[s].state_values.begin(), hashed[s].state_values.end());
    }
  }
  return true;
}

}  // namespace espalier::linear

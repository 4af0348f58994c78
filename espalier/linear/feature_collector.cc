#include "espalier/linear/feature_collector.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "espalier/base/result.h"
#include "espalier/linear/feature_map.h"

namespace espalier::linear {

namespace {
constexpr size_t kShardBits = 3;
size_t shard_of(uint64_t hash) { return hash & ((1u << kShardBits) - 1); }
}  // namespace

FeatureCollector::FeatureCollector() : shards_(kShards) {
  static_assert(kShards == 1u << kShardBits);
  for (Shard& shard : shards_) shard.table.assign(1 << 12, 0);
}

size_t FeatureCollector::size() const {
  return std::accumulate(shards_.begin(), shards_.end(), size_t{0},
                         [](size_t n, const Shard& s) { return n + s.hashes.size(); });
}

void FeatureCollector::Shard::grow() {
  std::vector<uint32_t> larger(table.size() * 2, 0);
  const int shift = 64 - std::countr_zero(larger.size());
  for (uint32_t i = 0; i < hashes.size(); ++i) {
    size_t slot = hashes[i] >> shift;
    while (larger[slot] != 0) slot = (slot + 1) & (larger.size() - 1);
    larger[slot] = i + 1;
  }
  table = std::move(larger);
}

uint32_t FeatureCollector::Shard::insert(uint64_t hash) {
  const size_t mask = table.size() - 1;
  size_t slot = hash >> (64 - std::countr_zero(table.size()));
  while (table[slot] != 0) {
    const uint32_t i = table[slot] - 1;
    if (hashes[i] == hash) {
      ++counts[i];
      return i;
    }
    slot = (slot + 1) & mask;
  }
  const uint32_t i = static_cast<uint32_t>(hashes.size());
  table[slot] = i + 1;
  hashes.push_back(hash);
  counts.push_back(1);
  if (hashes.size() * 2 > table.size()) grow();
  return i;
}

void FeatureCollector::add(std::span<const uint64_t> hashes, uint32_t* numbers, const Workers& workers,
                           const Namer& namer) {
  const uint64_t offset = seen_;
  workers.for_each(kShards, [&](size_t s) {
    Shard& shard = shards_[s];
    std::vector<uint32_t> mine;  // positions of this shard's hashes, so that table lines can be fetched ahead
    mine.reserve(hashes.size() / kShards * 5 / 4 + 16);
    for (size_t i = 0; i < hashes.size(); ++i)
      if (shard_of(hashes[i]) == s) mine.push_back(static_cast<uint32_t>(i));
    constexpr size_t kAhead = 12;
    for (size_t k = 0; k < mine.size(); ++k) {
      if (k + kAhead < mine.size()) {
        const int shift = 64 - std::countr_zero(shard.table.size());
        __builtin_prefetch(&shard.table[hashes[mine[k + kAhead]] >> shift]);
      }
      const uint32_t position = mine[k];
      const uint32_t i = shard.insert(hashes[position]);
      numbers[position] = i * kShards + static_cast<uint32_t>(s);
      if (i == shard.first.size()) {  // new
        shard.first.push_back(offset + position);
        if (namer) {
          shard.names += namer(position);
          shard.name_end.push_back(shard.names.size());
        }
      }
    }
  });
  seen_ += hashes.size();
}

FeatureCollector::Features FeatureCollector::finish(uint32_t cutoff) {
  struct Entry {
    uint32_t count;
    uint32_t provisional;
    uint64_t first;
  };
  std::vector<Entry> kept;
  size_t provisional_limit = 0;
  bool named = false;
  for (size_t s = 0; s < kShards; ++s) {
    const Shard& shard = shards_[s];
    named |= !shard.name_end.empty();
    provisional_limit = std::max(provisional_limit, shard.hashes.size() * kShards);
    for (uint32_t i = 0; i < shard.hashes.size(); ++i)
      if (shard.counts[i] >= cutoff)
        kept.push_back({shard.counts[i], static_cast<uint32_t>(i * kShards + s), shard.first[i]});
  }
  ESPALIER_CHECK(provisional_limit < kNoFeature);
  std::sort(kept.begin(), kept.end(), [](const Entry& a, const Entry& b) {
    return a.count != b.count ? a.count > b.count : a.first < b.first;
  });
  Features features;
  features.renumber.assign(provisional_limit, kNoFeature);
  features.hashes.reserve(kept.size());
  features.counts.reserve(kept.size());
  for (const Entry& entry : kept) {
    const Shard& shard = shards_[entry.provisional % kShards];
    const uint32_t i = entry.provisional / kShards;
    features.renumber[entry.provisional] = static_cast<uint32_t>(features.hashes.size());
    features.hashes.push_back(shard.hashes[i]);
    features.counts.push_back(entry.count);
    if (named) {
      const uint64_t begin = i == 0 ? 0 : shard.name_end[i - 1];
      features.names.append(shard.names, begin, shard.name_end[i] - begin);
      features.names.push_back('\n');
    }
  }
  *this = FeatureCollector();
  return features;
}

}  // namespace espalier::linear

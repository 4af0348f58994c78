#include "espalier/linear/encoding/feature_collector.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "espalier/base/result.h"
#include "espalier/linear/encoding/feature_map.h"

namespace espalier::linear {

namespace {
constexpr size_t kShardBits = 3;
size_t shard_of(uint64_t hash) { return hash & ((1u << kShardBits) - 1); }
}  // namespace

FeatureCollector::FeatureCollector() : shards_(kShards), names_(kShards) {
  static_assert(kShards == 1u << kShardBits);
}

size_t FeatureCollector::size() const {
  return std::accumulate(shards_.begin(), shards_.end(), size_t{0},
                         [](size_t n, const Shard& s) { return n + s.hashes.size(); });
}

uint32_t FeatureCollector::Shard::insert(uint64_t hash) {
  const uint32_t i = index.find_or_add(
      hash, hashes.size(), [&](uint32_t e) { return hashes[e] == hash; },
      [&](uint32_t e) { return hashes[e]; });
  if (i == hashes.size()) {
    hashes.push_back(hash);
    counts.push_back(1);
  } else {
    ++counts[i];
  }
  return i;
}

/// Puts the positions of each shard's hashes together, ascending, so that table lines can be fetched ahead.
void FeatureCollector::deal(std::span<const uint64_t> hashes, const Workers& workers) {
  constexpr size_t kPieces = 8;
  dealt_.resize(hashes.size());
  std::array<std::array<uint32_t, kShards>, kPieces> next{};  // in dealt_; at first: how many
  workers.for_each(kPieces, [&](size_t piece) {
    std::array<uint32_t, kShards> count{};
    const Range part = piece_of(hashes.size(), kPieces, piece);
    for (size_t i = part.first; i < part.last; ++i) ++count[shard_of(hashes[i])];
    next[piece] = count;
  });
  uint32_t before = 0;
  for (size_t s = 0; s < kShards; ++s) {
    first_of_shard_[s] = before;
    for (auto& of_piece : next) before += std::exchange(of_piece[s], before);
  }
  first_of_shard_[kShards] = before;
  workers.for_each(kPieces, [&](size_t piece) {
    std::array<uint32_t, kShards> to = next[piece];
    const Range part = piece_of(hashes.size(), kPieces, piece);
    for (size_t i = part.first; i < part.last; ++i)
      dealt_[to[shard_of(hashes[i])]++] = static_cast<uint32_t>(i);
  });
}

void FeatureCollector::add(std::span<const uint64_t> hashes, uint32_t* numbers, const Workers& workers,
                           const Namer& namer) {
  const uint64_t offset = seen_;
  std::vector<uint8_t> fresh(namer ? hashes.size()
                                   : 0);  // whether the feature is new, where names are wanted
  deal(hashes, workers);
  workers.for_each(kShards, [&](size_t s) {
    Shard& shard = shards_[s];
    const std::span<const uint32_t> mine(dealt_.data() + first_of_shard_[s],
                                         first_of_shard_[s + 1] - first_of_shard_[s]);
    constexpr size_t kAhead = 12;
    for (size_t k = 0; k < mine.size(); ++k) {
      if (k + kAhead < mine.size()) shard.index.prefetch(hashes[mine[k + kAhead]]);
      if (k + kAhead / 2 < mine.size()) {
        const uint32_t likely = shard.index.likely(hashes[mine[k + kAhead / 2]]);
        if (likely != HashIndex::kNone) {
          __builtin_prefetch(&shard.hashes[likely]);
          __builtin_prefetch(&shard.counts[likely], 1);
        }
      }
      const uint32_t position = mine[k];
      const uint32_t i = shard.insert(hashes[position]);
      numbers[position] = i * kShards + static_cast<uint32_t>(s);
      if (i == shard.first.size()) {  // new
        shard.first.push_back(offset + position);
        if (namer) fresh[position] = 1;
      }
    }
    if (namer) shard.name.resize(shard.first.size());
  });
  if (namer) name_fresh(fresh, numbers, workers, namer);
  seen_ += hashes.size();
}

void FeatureCollector::name_fresh(const std::vector<uint8_t>& fresh, const uint32_t* numbers,
                                  const Workers& workers, const Namer& namer) {
  std::vector<uint32_t> positions;
  for (size_t i = 0; i < fresh.size(); ++i)
    if (fresh[i] != 0) positions.push_back(static_cast<uint32_t>(i));
  workers.for_each(kShards, [&](size_t part) {
    const Range range = piece_of(positions.size(), kShards, part);
    const std::span<const uint32_t> mine(positions.data() + range.first, range.last - range.first);
    Names& names = names_[part];
    const size_t before = names.end.size();
    namer(mine, names);
    ESPALIER_CHECK(names.end.size() == before + mine.size());
    ESPALIER_CHECK(names.end.size() < kNoFeature / kShards);
    for (size_t k = 0; k < mine.size(); ++k) {
      const uint32_t number = numbers[mine[k]];
      shards_[number % kShards].name[number / kShards] = static_cast<uint32_t>((before + k) * kShards + part);
    }
  });
}

FeatureCollector::Features FeatureCollector::finish(uint32_t cutoff, const Workers& workers) {
  dealt_ = {};
  struct Entry {
    uint32_t count;
    uint32_t provisional;
    uint64_t first;
  };
  const auto comes_before = [](const Entry& a, const Entry& b) {
    return a.count != b.count ? a.count > b.count : a.first < b.first;
  };
  // Sort each shard, then merge pairs of shards. No two features compare equal, so the result is unique.
  std::vector<std::vector<Entry>> sorted(kShards);
  workers.for_each(kShards, [&](size_t s) {
    const Shard& shard = shards_[s];
    for (uint32_t i = 0; i < shard.hashes.size(); ++i)
      if (shard.counts[i] >= cutoff)
        sorted[s].push_back({shard.counts[i], static_cast<uint32_t>(i * kShards + s), shard.first[i]});
    std::sort(sorted[s].begin(), sorted[s].end(), comes_before);
  });
  for (size_t apart = 1; apart < kShards; apart *= 2)
    workers.for_each(kShards / (2 * apart), [&](size_t pair) {
      std::vector<Entry>&a = sorted[2 * apart * pair], &b = sorted[2 * apart * pair + apart];
      std::vector<Entry> both(a.size() + b.size());
      std::merge(a.begin(), a.end(), b.begin(), b.end(), both.begin(), comes_before);
      a = std::move(both);
      b = {};
    });
  const std::vector<Entry> kept = std::move(sorted[0]);

  size_t provisional_limit = 0;
  bool named = false;
  for (const Shard& shard : shards_) {
    named |= !shard.name.empty();
    provisional_limit = std::max(provisional_limit, shard.hashes.size() * kShards);
  }
  ESPALIER_CHECK(provisional_limit < kNoFeature);
  Features features;
  features.renumber.assign(provisional_limit, kNoFeature);
  features.hashes.resize(kept.size());
  features.counts.resize(kept.size());
  for_each_stretch(workers, kept.size(), [&](Range part) {
    for (size_t f = part.first; f < part.last; ++f) {
      const uint32_t provisional = kept[f].provisional;
      features.renumber[provisional] = static_cast<uint32_t>(f);
      features.hashes[f] = shards_[provisional % kShards].hashes[provisional / kShards];
      features.counts[f] = kept[f].count;
    }
  });
  if (named) {
    size_t bytes = 0;
    for (const Names& names : names_) bytes += names.text.size();
    features.names = Names::joined(kept.size(), bytes, [&](size_t f) {
      return name_line(shards_[kept[f].provisional % kShards].name[kept[f].provisional / kShards]);
    });
  }
  *this = FeatureCollector();
  return features;
}

}  // namespace espalier::linear

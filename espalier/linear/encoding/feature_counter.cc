#include "espalier/linear/encoding/feature_counter.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <queue>

#include "espalier/linear/encoding/feature_map.h"

namespace espalier::linear {
namespace {

constexpr size_t kRecord = 2 * sizeof(uint64_t) + sizeof(uint32_t);
constexpr size_t kMergeBuffer = size_t{64} << 10;
/// Arrays that have just grown, and the table of slots.
constexpr size_t kBytesPerEntry = 64;

}  // namespace

FeatureCounter::FeatureCounter(size_t most_bytes)
    : most_entries_(std::max<size_t>(256, most_bytes / kBytesPerEntry / kShards)), shards_(kShards) {}

size_t FeatureCounter::runs() const {
  return std::accumulate(shards_.begin(), shards_.end(), size_t{0},
                         [](size_t n, const Shard& shard) { return n + shard.run_end.size(); });
}

void FeatureCounter::Shard::count(uint64_t hash, uint64_t position) {
  const uint32_t i = index.find_or_add(
      hash, hashes.size(), [&](uint32_t e) { return hashes[e] == hash; },
      [&](uint32_t e) { return hashes[e]; });
  if (i < hashes.size()) {
    ++counts[i];
    return;
  }
  hashes.push_back(hash);
  first.push_back(position);
  counts.push_back(1);
}

Status FeatureCounter::add(std::span<const uint64_t> block, const Workers& workers) {
  std::array<Status, kShards> troubles;
  workers.for_each(kShards, [&](size_t s) {
    Shard& shard = shards_[s];
    for (size_t i = 0; i < block.size(); ++i) {
      if (block[i] % kShards != s) continue;
      shard.count(block[i], seen_ + i);
      if (shard.hashes.size() < most_entries_) continue;
      troubles[s] = shard.spill();
      if (!troubles[s].ok()) return;
    }
  });
  seen_ += block.size();
  for (Status& trouble : troubles) ESPALIER_TRY(std::move(trouble));
  return {};
}

Status FeatureCounter::Shard::spill() {
  if (!file) {
    ESPALIER_ASSIGN(file, ScratchFile::make("feature counts"));
  }
  std::vector<uint32_t> order(hashes.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return hashes[a] < hashes[b]; });
  char record[kRecord];
  for (const uint32_t i : order) {
    std::memcpy(record, &hashes[i], sizeof(uint64_t));
    std::memcpy(record + 8, &first[i], sizeof(uint64_t));
    std::memcpy(record + 16, &counts[i], sizeof(uint32_t));
    ESPALIER_TRY(file->append({record, kRecord}));
  }
  run_end.push_back(file->size());
  index.clear();
  hashes.clear();
  first.clear();
  counts.clear();
  return {};
}

template <typename Visit>
Status FeatureCounter::Shard::merge(const Visit& visit) {
  if (run_end.empty()) {
    for (size_t i = 0; i < hashes.size(); ++i) visit(Entry{hashes[i], first[i], counts[i]});
    return {};
  }
  ESPALIER_TRY(spill());
  ESPALIER_TRY(file->flush());
  index = HashIndex(2);
  hashes = first = {};
  counts = {};
  std::vector<ScratchFile::Cursor> runs;
  for (size_t r = 0; r < run_end.size(); ++r)
    runs.emplace_back(*file, r == 0 ? 0 : run_end[r - 1], run_end[r], kMergeBuffer);
  struct Head {
    Entry entry;
    size_t run;
    bool operator>(const Head& other) const {
      return entry.hash != other.entry.hash ? entry.hash > other.entry.hash : run > other.run;
    }
  };
  std::priority_queue<Head, std::vector<Head>, std::greater<>> heads;
  const auto pull = [&](size_t run) -> Status {
    ESPALIER_ASSIGN(const char* const at, runs[run].take(kRecord));
    if (at == nullptr) return {};
    Head head{{}, run};
    std::memcpy(&head.entry.hash, at, sizeof(uint64_t));
    std::memcpy(&head.entry.first, at + 8, sizeof(uint64_t));
    std::memcpy(&head.entry.count, at + 16, sizeof(uint32_t));
    heads.push(head);
    return {};
  };
  for (size_t run = 0; run < runs.size(); ++run) ESPALIER_TRY(pull(run));
  while (!heads.empty()) {
    Head head = heads.top();
    heads.pop();
    ESPALIER_TRY(pull(head.run));
    while (!heads.empty() && heads.top().entry.hash == head.entry.hash) {
      const Head same = heads.top();  // of a later run, hence seen later
      heads.pop();
      head.entry.count += same.entry.count;
      ESPALIER_TRY(pull(same.run));
    }
    visit(head.entry);
  }
  return {};
}

Result<FeatureCounter::Counted> FeatureCounter::finish(uint32_t cutoff, size_t most_features,
                                                       const Workers& workers) {
  struct Part {
    std::vector<Entry> kept;
    std::vector<uint64_t> seen =
        std::vector<uint64_t>(kCounts + 1, 0);  ///< features by count; the last: more often
    uint64_t kept_number = 0, distinct = 0;
    Status trouble;
  };
  std::vector<Part> parts(kShards);
  workers.for_each(kShards, [&](size_t s) {
    Part& part = parts[s];
    part.trouble = shards_[s].merge([&](const Entry& entry) {
      ++part.distinct;
      ++part.seen[std::min<size_t>(entry.count, kCounts)];
      if (entry.count < cutoff) return;
      // Far too many are counted, not kept.
      if (++part.kept_number <= most_features) part.kept.push_back(entry);
    });
    shards_[s] = Shard();
  });
  Counted out;
  uint64_t kept_number = 0;
  for (Part& part : parts) {
    ESPALIER_TRY(std::move(part.trouble));
    out.distinct += part.distinct;
    kept_number += part.kept_number;
  }
  if (kept_number > most_features || kept_number >= kNoFeature) {
    uint64_t left = kept_number;
    uint32_t enough = cutoff;
    while (left > most_features && enough < kCounts) {
      for (const Part& part : parts) left -= part.seen[enough];
      ++enough;
    }
    return fail(
        "{} features were seen {} times or more, and the memory allowed is enough for {}; -p cutoff={} "
        "leaves {}",
        kept_number, cutoff, most_features, enough, left);
  }
  std::vector<Entry> kept;
  kept.reserve(kept_number);
  for (Part& part : parts) {
    kept.insert(kept.end(), part.kept.begin(), part.kept.end());
    part.kept = {};
  }
  std::sort(kept.begin(), kept.end(), [](const Entry& a, const Entry& b) {
    return a.count != b.count ? a.count > b.count : a.first < b.first;
  });
  out.hashes.reserve(kept.size());
  out.counts.reserve(kept.size());
  out.first.reserve(kept.size());
  for (const Entry& entry : kept) {
    out.hashes.push_back(entry.hash);
    out.counts.push_back(entry.count);
    out.first.push_back(entry.first);
    out.occurrences += entry.count;
  }
  return out;
}

}  // namespace espalier::linear

#include "espalier/linear/encoding/merge_ranks.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "espalier/base/hash_index.h"
#include "espalier/linear/encoding/feature_map.h"

namespace espalier::linear {

std::vector<std::string> in_order_of_first(const std::vector<FirstSeen>& mine, const Team& team) {
  std::vector<std::byte> message;
  for (const FirstSeen& one : mine) {
    put(message, one.place);
    put_text(message, one.text);
  }
  std::map<std::string, uint64_t> first;
  const Gathered<std::byte> all = team.gather(message);
  for (size_t r = 0; r < all.ranks(); ++r)
    for (MessageReader reader(all[r]); !reader.done();) {
      const uint64_t place = reader.get<uint64_t>();
      const auto [known, is_new] = first.emplace(reader.get_text(), place);
      if (!is_new) known->second = std::min(known->second, place);
    }
  std::vector<std::pair<uint64_t, std::string>> sorted;
  for (const auto& [text, place] : first) sorted.emplace_back(place, text);
  std::sort(sorted.begin(), sorted.end());
  std::vector<std::string> out;
  for (auto& [place, text] : sorted) out.push_back(std::move(text));
  return out;
}

Spread spread_over(const Team& team, const Dataset& data, std::vector<uint32_t> numbers) {
  Spread spread;
  spread.number = std::move(numbers);
  int64_t sums[2 + ExactSum::kIntegers] = {static_cast<int64_t>(data.sequences()),
                                           static_cast<int64_t>(data.tokens())};
  data.weighted_tokens().to_integers(sums + 2);
  team.sum(sums);
  spread.sequences = static_cast<size_t>(sums[0]);
  spread.tokens = static_cast<size_t>(sums[1]);
  spread.counted = ExactSum::from_integers(sums + 2).value();
  return spread;
}

namespace {

/// A feature on its way between ranks.
struct SentFeature {
  uint64_t hash, place;
  uint32_t count;
  uint32_t name_size;
};

/// The features of some hashes, from all ranks.
struct Merged {
  std::vector<SentFeature> features;
  std::vector<std::string_view> names;
};

Merged merge_hashes(const Gathered<SentFeature>& sent, const Gathered<char>& names) {
  Merged out;
  HashIndex index(size_t{1} << 12);
  for (size_t r = 0; r < sent.ranks(); ++r) {
    const char* name = names[r].data();
    for (const SentFeature& feature : sent[r]) {
      const std::string_view text(name, feature.name_size);
      name += feature.name_size;
      const uint32_t i = index.find_or_add(
          feature.hash, out.features.size(), [&](uint32_t e) { return out.features[e].hash == feature.hash; },
          [&](uint32_t e) { return out.features[e].hash; });
      if (i == out.features.size()) {
        out.features.push_back(feature);
        out.names.push_back(text);
        continue;
      }
      out.features[i].count += feature.count;
      if (feature.place > out.features[i].place) continue;
      out.features[i].place = feature.place;
      out.features[i].name_size = feature.name_size;
      out.names[i] = text;
    }
  }
  return out;
}

bool comes_before(const SentFeature& a, const SentFeature& b) {
  return a.count != b.count ? a.count > b.count : a.place < b.place;
}

}  // namespace

FeatureCollector::Features merge_features(FeatureCollector& mine, uint32_t cutoff,
                                          const std::function<uint64_t(uint64_t)>& place, const Team& team,
                                          size_t& before) {
  const size_t ranks = team.size();
  const auto owner = [&](uint64_t hash) { return (hash >> 32) % ranks; };
  std::vector<SentFeature> kept;
  std::vector<char> kept_names;
  bool named = false;
  {
    std::vector<std::vector<SentFeature>> to(ranks);
    std::vector<std::vector<char>> names_to(ranks);
    mine.for_each([&](uint32_t, uint64_t hash, uint32_t count, uint64_t first, std::string_view name) {
      const size_t r = owner(hash);
      to[r].push_back({hash, place(first), count, static_cast<uint32_t>(name.size())});
      names_to[r].insert(names_to[r].end(), name.begin(), name.end());
    });
    const Gathered<SentFeature> sent = team.exchange(to);
    const Gathered<char> names = team.exchange(names_to);
    const Merged merged = merge_hashes(sent, names);
    int64_t counts[2] = {static_cast<int64_t>(merged.features.size()), names.items.empty() ? 0 : 1};
    team.sum(counts);
    before = static_cast<size_t>(counts[0]);
    named = counts[1] > 0;
    for (size_t i = 0; i < merged.features.size(); ++i) {
      if (merged.features[i].count < cutoff) continue;
      kept.push_back(merged.features[i]);
      kept_names.insert(kept_names.end(), merged.names[i].begin(), merged.names[i].end());
    }
  }
  std::vector<std::vector<char>> to_first(ranks);
  to_first[0] = std::move(kept_names);
  const Gathered<char> names = team.exchange(to_first);  // empty but on rank 0
  const Gathered<SentFeature> all = team.gather(kept);
  std::vector<uint32_t> order(all.items.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](uint32_t a, uint32_t b) { return comes_before(all.items[a], all.items[b]); });

  FeatureCollector::Features out;
  std::vector<uint64_t> name_begin;
  if (team.first() && named) {
    uint64_t begin = 0;
    for (const SentFeature& feature : all.items) {
      name_begin.push_back(begin);
      begin += feature.name_size;
    }
  }
  HashIndex index(size_t{1} << 12);
  for (const uint32_t i : order) {
    const uint64_t hash = all.items[i].hash;
    index.find_or_add(
        hash, out.hashes.size(), [&](uint32_t e) { return out.hashes[e] == hash; },
        [&](uint32_t e) { return out.hashes[e]; });
    out.hashes.push_back(hash);
    out.counts.push_back(all.items[i].count);
    if (name_begin.empty()) continue;
    out.names.append(names.items.data() + name_begin[i], all.items[i].name_size);
    out.names += '\n';
  }
  mine.for_each([&](uint32_t provisional, uint64_t hash, uint32_t, uint64_t, std::string_view) {
    if (out.renumber.size() <= provisional) out.renumber.resize(provisional + 1, kNoFeature);
    const uint32_t found = index.find(hash, [&](uint32_t e) { return out.hashes[e] == hash; });
    out.renumber[provisional] = found == HashIndex::kNone ? kNoFeature : found;
  });
  mine = FeatureCollector();
  return out;
}

template <typename Column>
void merge_rows(RowLayout<Column>& rows, const Team& team) {
  if (team.alone()) return;
  const size_t features = rows.rows(), ranks = team.size();
  // The rows of a range of features: their lengths, then their columns.
  std::vector<std::vector<uint32_t>> lengths(ranks);
  std::vector<std::vector<Column>> columns(ranks);
  for (size_t r = 0; r < ranks; ++r) {
    const Range range = piece_of(features, ranks, r);
    for (size_t f = range.first; f < range.last; ++f) lengths[r].push_back(rows.begin[f + 1] - rows.begin[f]);
    columns[r].assign(rows.column.begin() + rows.begin[range.first],
                      rows.column.begin() + rows.begin[range.last]);
  }
  std::vector<uint32_t> my_lengths;
  std::vector<Column> my_columns;
  {
    const Gathered<uint32_t> all_lengths = team.exchange(lengths);
    const Gathered<Column> all_columns = team.exchange(columns);
    const Range mine = piece_of(features, ranks, team.rank());
    std::vector<size_t> next(all_columns.begin.begin(), all_columns.begin.end() - 1);
    std::vector<Column> row;
    for (size_t f = mine.first; f < mine.last; ++f) {
      row.clear();
      for (size_t r = 0; r < ranks; ++r) {
        const uint32_t length = all_lengths[r][f - mine.first];
        row.insert(row.end(), all_columns.items.begin() + static_cast<ptrdiff_t>(next[r]),
                   all_columns.items.begin() + static_cast<ptrdiff_t>(next[r] + length));
        next[r] += length;
      }
      std::sort(row.begin(), row.end());
      row.erase(std::unique(row.begin(), row.end()), row.end());
      my_lengths.push_back(static_cast<uint32_t>(row.size()));
      my_columns.insert(my_columns.end(), row.begin(), row.end());
    }
  }
  const Gathered<uint32_t> merged_lengths = team.gather(my_lengths);
  Gathered<Column> merged_columns = team.gather(my_columns);
  ESPALIER_CHECK(merged_lengths.items.size() == features && merged_columns.items.size() < kNoFeature);
  rows.column.assign(merged_columns.items.begin(), merged_columns.items.end());
  for (size_t f = 0; f < features; ++f) rows.begin[f + 1] = rows.begin[f] + merged_lengths.items[f];
}
template void merge_rows(RowLayout<uint16_t>& rows, const Team& team);
template void merge_rows(RowLayout<uint32_t>& rows, const Team& team);

namespace {

void put_sequence(std::vector<std::byte>& out, const Dataset& data, size_t s) {
  const size_t T = data.length(s), first = data.sequence_begin[s];
  put(out, data.number_of(s));
  put(out, static_cast<uint64_t>(T));
  put(out, data.weight[s]);
  put(out, data.state_values.empty() ? uint8_t{0} : uint8_t{1});
  put_all(out, data.gold.data() + first, T);
  for (size_t t = first; t < first + T; ++t) {
    const auto state = data.state[t], edge = data.edge[t];
    put(out, static_cast<uint32_t>(state.size()));
    put_all(out, state.data(), state.size());
    if (!data.state_values.empty())
      put_all(out, data.state_values.data() + data.state.begin[t], state.size());
    put(out, static_cast<uint32_t>(edge.size()));
    put_all(out, edge.data(), edge.size());
  }
}

/// Reads what put_sequence wrote after the number.
Dataset get_sequence(MessageReader& reader) {
  Dataset data;
  const size_t T = reader.get<uint64_t>();
  data.weight.push_back(reader.get<float>());
  const bool valued = reader.get<uint8_t>() != 0;
  data.gold.resize(T);
  reader.get_all(data.gold.data(), T);
  data.sequence_begin.push_back(T);
  std::vector<uint32_t> features;
  for (size_t t = 0; t < T; ++t) {
    features.resize(reader.get<uint32_t>());
    reader.get_all(features.data(), features.size());
    data.state.append(features);
    const size_t values = data.state_values.size();
    data.state_values.resize(values + features.size(), 1.0f);
    if (valued) reader.get_all(data.state_values.data() + values, features.size());
    features.resize(reader.get<uint32_t>());
    reader.get_all(features.data(), features.size());
    data.edge.append(features);
  }
  return data;
}

}  // namespace

Dataset gather_sequences(const Dataset& data, std::span<const uint32_t> which, const Team& team) {
  if (team.alone()) return data.subset(which);
  std::vector<std::byte> message;
  for (const uint32_t s : which) put_sequence(message, data, s);
  std::map<uint32_t, Dataset> sorted;
  const Gathered<std::byte> all = team.gather(message);
  for (size_t r = 0; r < all.ranks(); ++r)
    for (MessageReader reader(all[r]); !reader.done();) {
      const uint32_t number = reader.get<uint32_t>();
      sorted.emplace(number, get_sequence(reader));
    }
  Dataset out;
  for (const auto& [number, one] : sorted) {
    for (size_t t = 0; t < one.tokens(); ++t) {
      out.state.append(one.state[t]);
      out.edge.append(one.edge[t]);
    }
    out.state_values.insert(out.state_values.end(), one.state_values.begin(), one.state_values.end());
    out.gold.insert(out.gold.end(), one.gold.begin(), one.gold.end());
    out.sequence_begin.push_back(out.gold.size());
    out.weight.push_back(one.weight[0]);
  }
  return out;
}

}  // namespace espalier::linear

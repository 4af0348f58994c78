#include "espalier/linear/dataset.h"

#include <algorithm>
#include <numeric>

#include "espalier/linear/merge_ranks.h"

namespace espalier::linear {

namespace {

bool shard_order(uint32_t a, uint32_t b) {
  const uint32_t sa = a % kUpdateShards, sb = b % kUpdateShards;
  return sa != sb ? sa < sb : a < b;
}

/// Sorts a token's features, and their values, by shard.
void sort_features(std::span<uint32_t> ids, std::span<float> values,
                   std::vector<std::pair<uint32_t, float>>& pairs) {
  if (values.empty()) {
    std::sort(ids.begin(), ids.end(), shard_order);
    return;
  }
  pairs.clear();
  for (size_t i = 0; i < ids.size(); ++i) pairs.emplace_back(ids[i], values[i]);
  std::sort(pairs.begin(), pairs.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? shard_order(a.first, b.first) : a.second < b.second;
  });
  for (size_t i = 0; i < ids.size(); ++i) std::tie(ids[i], values[i]) = pairs[i];
}

/// Renumbers provisional ids, drops those below the cut-off, and sorts each token's list. In place and in
/// parallel over tokens; gaps are closed afterwards.
void renumber(Ragged<uint32_t>& lists, std::vector<float>& values, const std::vector<uint32_t>& final_number,
              const Workers& workers) {
  constexpr size_t kPieces = 64;
  const size_t tokens = lists.size();
  std::vector<uint32_t> kept(tokens, 0);
  workers.for_each(kPieces, [&](size_t piece) {
    std::vector<std::pair<uint32_t, float>> pairs;
    const Range range = piece_of(tokens, kPieces, piece);
    for (size_t t = range.first; t < range.last; ++t) {
      const size_t first = lists.begin[t];
      size_t out = first;
      for (size_t i = first; i < lists.begin[t + 1]; ++i) {
        const uint32_t number = final_number[lists.values[i]];
        if (number == kNoFeature) continue;
        if (!values.empty()) values[out] = values[i];
        lists.values[out++] = number;
      }
      kept[t] = static_cast<uint32_t>(out - first);
      sort_features({lists.values.data() + first, kept[t]},
                    values.empty() ? std::span<float>() : std::span<float>(values.data() + first, kept[t]),
                    pairs);
    }
  });
  size_t out = 0;
  for (size_t t = 0; t < tokens; ++t) {
    const size_t first = lists.begin[t];
    if (out != first) {
      std::copy_n(lists.values.begin() + static_cast<ptrdiff_t>(first), kept[t],
                  lists.values.begin() + static_cast<ptrdiff_t>(out));
      if (!values.empty())
        std::copy_n(values.begin() + static_cast<ptrdiff_t>(first), kept[t],
                    values.begin() + static_cast<ptrdiff_t>(out));
    }
    lists.begin[t] = out;
    out += kept[t];
  }
  lists.begin.back() = out;
  lists.values.resize(out);
  lists.values.shrink_to_fit();
  if (!values.empty()) values.resize(out);
}

}  // namespace

bool Dataset::fully_labelled(size_t s) const {
  const auto labels = gold_of(s);
  return std::find(labels.begin(), labels.end(), data::kNoLabel) == labels.end();
}

std::optional<uint32_t> Dataset::find_number(uint32_t number) const {
  if (!spread) return number;
  const auto it = std::lower_bound(spread->number.begin(), spread->number.end(), number);
  if (it == spread->number.end() || *it != number) return std::nullopt;
  return static_cast<uint32_t>(it - spread->number.begin());
}

ExactSum Dataset::weighted_tokens() const {
  ExactSum tokens;
  for (size_t s = 0; s < sequences(); ++s)
    tokens.add(static_cast<double>(weight[s]) * static_cast<double>(length(s)));
  return tokens;
}

Dataset Dataset::subset(std::span<const uint32_t> which) const {
  Dataset out;
  for (const uint32_t s : which) {
    for (size_t t = sequence_begin[s]; t < sequence_begin[s + 1]; ++t) {
      out.state.append(state[t]);
      out.edge.append(edge[t]);
      if (!state_values.empty())
        out.state_values.insert(out.state_values.end(),
                                state_values.begin() + static_cast<ptrdiff_t>(state.begin[t]),
                                state_values.begin() + static_cast<ptrdiff_t>(state.begin[t + 1]));
      out.gold.push_back(gold[t]);
    }
    out.sequence_begin.push_back(out.gold.size());
    out.weight.push_back(weight[s]);
  }
  return out;
}

struct DatasetBuilder::State {
  const data::FeatureExtractor& extractor;
  const Workers& workers;
  EncodeOptions options;
  EncodedTraining result;
  FeatureCollector state_features, edge_features;
  bool any_value = false;
  size_t known;  ///< labels that there were before the data

  // The block being filled. A block's size does not depend on the threads, and nothing depends on it.
  static constexpr size_t kBlockTokens = 1 << 15;
  static constexpr size_t kBlockText = 4 << 20;  // tokens of many attributes have much text
  std::vector<data::Sequence> block;
  size_t block_tokens = 0, block_text = 0;
  std::vector<data::HashedFeatures> hashed;

  // A constructor: where initialising an aggregate runs out of memory, g++ 12 destroys some members twice.
  State(const data::FeatureExtractor& features, const Workers& threads, EncodeOptions how,
        data::LabelSet known_labels)
      : extractor(features), workers(threads), options(how), known(known_labels.size()) {
    result.labels = std::move(known_labels);
  }
  void flush();
  void number(bool edges);
};

DatasetBuilder::DatasetBuilder(const data::FeatureExtractor& extractor, const Workers& workers,
                               EncodeOptions options, data::LabelSet known)
    : state_(std::make_unique<State>(extractor, workers, options, std::move(known))) {}
DatasetBuilder::~DatasetBuilder() = default;

size_t DatasetBuilder::sequences() const { return state_->result.data.sequences() + state_->block.size(); }
size_t DatasetBuilder::tokens() const { return state_->result.data.tokens() + state_->block_tokens; }

void DatasetBuilder::add(data::Sequence sequence) {
  Dataset& data = state_->result.data;
  for (size_t row = 0; row < sequence.length(); ++row) {
    const std::string_view label = sequence.has_labels() ? sequence.label(row) : data::kUnknownLabelText;
    data.gold.push_back(label == data::kUnknownLabelText ? data::kNoLabel : state_->result.labels.add(label));
  }
  if (!state_->options.features) {
    data.sequence_begin.push_back(data.tokens() + sequence.length());
    data.weight.push_back(sequence.weight());
    return;
  }
  state_->block_tokens += sequence.length();
  state_->block_text += sequence.text_bytes();
  state_->block.push_back(std::move(sequence));
  if (state_->block_tokens >= State::kBlockTokens || state_->block_text >= State::kBlockText) state_->flush();
}

/// Numbers the state (or edge) features of the block and appends them to the data set.
void DatasetBuilder::State::number(bool edges) {
  Ragged<uint32_t>& lists = edges ? result.data.edge : result.data.state;
  FeatureCollector& collector = edges ? edge_features : state_features;
  std::vector<uint64_t> all;
  std::vector<uint32_t> origin;  // first hash of each sequence of the block
  for (size_t s = 0; s < block.size(); ++s) {
    const data::HashedFeatures& h = hashed[s];
    const auto& part = edges ? h.edge : h.state;
    const auto& begin = edges ? h.edge_begin : h.state_begin;
    origin.push_back(static_cast<uint32_t>(all.size()));
    for (size_t t = 0; t + 1 < begin.size(); ++t)
      lists.begin.push_back(lists.values.size() + all.size() + begin[t + 1]);
    all.insert(all.end(), part.begin(), part.end());
  }
  FeatureCollector::Namer namer;
  if (options.names) {
    namer = [&](std::span<const uint32_t> positions, FeatureCollector::Names& names) {
      data::FeatureNames namer_of_row(extractor);
      // Positions ascend, and so do sequences and rows.
      size_t s = 0, row = 0;
      bool there = false;
      for (const uint32_t position : positions) {
        while (s + 1 < block.size() && origin[s + 1] <= position) {
          ++s;
          row = 0;
          there = false;
        }
        const auto& begin = edges ? hashed[s].edge_begin : hashed[s].state_begin;
        const uint32_t local = position - origin[s];
        while (begin[row + 1] <= local) {
          ++row;
          there = false;
        }
        if (!there) namer_of_row.move_to(block[s], row);
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
  const size_t old = lists.values.size();
  lists.values.resize(old + all.size());
  collector.add(all, lists.values.data() + old, workers, namer);
}

void DatasetBuilder::State::flush() {
  if (block.empty()) return;
  if (hashed.size() < block.size()) hashed.resize(block.size());
  const size_t pieces = std::min<size_t>(block.size(), 64);
  workers.for_each(pieces, [&](size_t piece) {
    data::FeatureExtractor::Scratch scratch;
    const Range range = piece_of(block.size(), pieces, piece);
    for (size_t s = range.first; s < range.last; ++s) extractor.extract(block[s], scratch, hashed[s]);
  });
  const size_t values_before = result.data.state.values.size();
  number(false);
  if (extractor.has_edge_features()) number(true);
  std::vector<float>& values = result.data.state_values;
  for (size_t s = 0; s < block.size(); ++s) {
    if (!hashed[s].state_values.empty() && !any_value) {
      any_value = true;
      size_t before = values_before;
      for (size_t earlier = 0; earlier < s; ++earlier) before += hashed[earlier].state.size();
      values.assign(before, 1.0f);
    }
    if (any_value) {
      if (hashed[s].state_values.empty()) {
        values.insert(values.end(), hashed[s].state.size(), 1.0f);
      } else {
        values.insert(values.end(), hashed[s].state_values.begin(), hashed[s].state_values.end());
      }
    }
    result.data.sequence_begin.push_back(result.data.tokens() + block[s].length());
    result.data.weight.push_back(block[s].weight());
  }
  block.clear();
  block_tokens = block_text = 0;
}

/// Renumbers the labels that were new on this rank by their first appearance anywhere.
void DatasetBuilder::merge_labels(const Team& team) {
  Dataset& data = state_->result.data;
  data::LabelSet& labels = state_->result.labels;
  std::vector<FirstSeen> fresh;
  std::vector<bool> seen(labels.size(), false);
  std::fill_n(seen.begin(), state_->known, true);
  for (size_t s = 0; s < data.sequences(); ++s)
    for (size_t t = 0; t < data.length(s); ++t) {
      const data::Label label = data.gold_of(s)[t];
      if (label == data::kNoLabel || seen[label]) continue;
      seen[label] = true;
      fresh.push_back({place_in_all(data.number_of(s), t), labels.name(label)});
    }
  data::LabelSet merged;
  for (size_t label = 0; label < state_->known; ++label)
    merged.add(labels.name(static_cast<data::Label>(label)));
  for (const std::string& name : in_order_of_first(fresh, team)) merged.add(name);
  for (data::Label& label : data.gold)
    if (label != data::kNoLabel) label = *merged.find(labels.name(label));
  labels = std::move(merged);
}

/// Numbers the state (or edge) features of all blocks for good, and puts the numbers into the data set.
FeatureSpace DatasetBuilder::number_features(bool edges, const Team& team) {
  Dataset& data = state_->result.data;
  FeatureCollector& collector = edges ? state_->edge_features : state_->state_features;
  Ragged<uint32_t>& lists = edges ? data.edge : data.state;
  std::vector<float> no_values;
  std::vector<float>& values = edges ? no_values : data.state_values;
  if (!edges) state_->result.state_before_cutoff = collector.size();
  FeatureCollector::Features found;
  if (team.alone()) {
    found = collector.finish(state_->options.cutoff, state_->workers);
  } else {
    size_t before = 0;
    found = merge_features(
        collector, state_->options.cutoff,
        [&](uint64_t position) {
          // Of the token that has the position, and of its sequence: the lists are still those of add().
          const auto token = std::upper_bound(lists.begin.begin(), lists.begin.end(), position) - 1;
          const auto sequence = std::upper_bound(data.sequence_begin.begin(), data.sequence_begin.end(),
                                                 static_cast<uint64_t>(token - lists.begin.begin())) -
                                1;
          const uint32_t number = data.number_of(static_cast<size_t>(sequence - data.sequence_begin.begin()));
          return place_in_all(number, position - lists.begin[*sequence]);
        },
        team, before);
    if (!edges) state_->result.state_before_cutoff = before;
  }
  // FeatureMap must be able to distinguish the features (see its contract); the rare ones it cannot are
  // dropped.
  std::vector<uint32_t> numbers(found.size()), refused;
  std::iota(numbers.begin(), numbers.end(), 0);
  FeatureMap::build(found.hashes, numbers, &refused);
  for (uint32_t& number : found.renumber)
    if (std::binary_search(refused.begin(), refused.end(), number)) number = kNoFeature;
  renumber(lists, values, found.renumber, state_->workers);
  return FeatureSpace{std::move(found.hashes), std::move(found.counts), std::move(found.names)};
}

EncodedTraining DatasetBuilder::finish(const Team& team, std::vector<uint32_t> numbers) {
  state_->flush();
  EncodedTraining& result = state_->result;
  if (!team.alone()) {
    ESPALIER_CHECK(numbers.size() == result.data.sequences());
    result.data.spread = spread_over(team, result.data, std::move(numbers));
    merge_labels(team);
  }
  if (!state_->options.features) {
    result.data.state.begin.assign(result.data.tokens() + 1, 0);
    result.data.edge.begin.assign(result.data.tokens() + 1, 0);
    return std::move(result);
  }
  result.state = number_features(false, team);
  if (state_->extractor.has_edge_features()) {
    result.edge = number_features(true, team);
  } else {
    result.data.edge.begin.assign(result.data.tokens() + 1, 0);
  }
  return std::move(result);
}

void Encoder::append(const data::Sequence& sequence, const data::LabelSet& labels, Scratch& scratch,
                     Dataset& dataset) const {
  extractor_.extract(sequence, scratch.extraction, scratch.hashed);
  const data::HashedFeatures& h = scratch.hashed;
  std::vector<std::pair<uint32_t, float>> pairs;
  const bool valued = !h.state_values.empty() || !dataset.state_values.empty();
  if (valued && dataset.state_values.empty()) dataset.state_values.assign(dataset.state.values.size(), 1.0f);

  scratch.found.resize(h.state.size());
  state_.find_all(h.state, scratch.found.data());
  for (size_t t = 0; t < sequence.length(); ++t) {
    const size_t begin = dataset.state.values.size();
    for (size_t i = h.state_begin[t]; i < h.state_begin[t + 1]; ++i) {
      if (scratch.found[i] == kNoFeature) continue;
      dataset.state.push(scratch.found[i]);
      if (valued) dataset.state_values.push_back(h.state_values.empty() ? 1.0f : h.state_values[i]);
    }
    dataset.state.close();
    const size_t n = dataset.state.values.size() - begin;
    sort_features({dataset.state.values.data() + begin, n},
                  valued ? std::span<float>(dataset.state_values.data() + begin, n) : std::span<float>(),
                  pairs);
  }
  scratch.found.resize(h.edge.size());
  edge_.find_all(h.edge, scratch.found.data());
  for (size_t t = 0; t < sequence.length(); ++t) {
    if (!h.edge.empty())
      for (size_t i = h.edge_begin[t]; i < h.edge_begin[t + 1]; ++i)
        if (scratch.found[i] != kNoFeature) dataset.edge.push(scratch.found[i]);
    dataset.edge.close();
    std::string_view label = sequence.has_labels() ? sequence.label(t) : data::kUnknownLabelText;
    dataset.gold.push_back(labels.find(label).value_or(data::kNoLabel));
  }
  dataset.sequence_begin.push_back(dataset.tokens() + sequence.length());
  dataset.weight.push_back(sequence.weight());
}

}  // namespace espalier::linear

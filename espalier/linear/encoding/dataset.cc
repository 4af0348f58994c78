#include "espalier/linear/encoding/dataset.h"

#include <algorithm>
#include <optional>

#include "espalier/linear/encoding/feature_block.h"
#include "espalier/linear/encoding/merge_ranks.h"
#include "espalier/linear/encoding/spilled_encoding.h"
#include "espalier/linear/encoding/stored_features.h"

namespace espalier::linear {

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

uint64_t Dataset::occurrences(bool edges) const {
  if (stored != nullptr) return edges ? stored->edge_occurrences() : stored->state_occurrences();
  return (edges ? edge : state).values.size();
}

Dataset Dataset::subset(std::span<const uint32_t> which) const {
  Dataset out;
  if (stored != nullptr) {
    out.stored = stored->subset(which, sequence_begin);
    for (const uint32_t s : which) {
      const std::span<const data::Label> labels = gold_of(s);
      out.gold.insert(out.gold.end(), labels.begin(), labels.end());
      out.sequence_begin.push_back(out.gold.size());
      out.weight.push_back(weight[s]);
    }
    return out;
  }
  size_t tokens_kept = 0, state_kept = 0, edges_kept = 0;
  for (const uint32_t s : which) {
    const uint64_t first = sequence_begin[s], last = sequence_begin[s + 1];
    tokens_kept += last - first;
    state_kept += state.begin[last] - state.begin[first];
    edges_kept += edge.begin[last] - edge.begin[first];
  }
  out.state.begin.reserve(tokens_kept + 1);
  out.edge.begin.reserve(tokens_kept + 1);
  out.state.values.reserve(state_kept);
  out.edge.values.reserve(edges_kept);
  if (!state_values.empty()) out.state_values.reserve(state_kept);
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
  NumberBlocks state_numbers, edge_numbers;  ///< by which these know the features, until finish()
  bool any_value = false;
  size_t known;  ///< labels that there were before the data

  // The block being filled.
  FeatureBlock block;
  std::optional<SpilledEncoding> spilled;  ///< where memory is bounded

  // A constructor: where initialising an aggregate runs out of memory, g++ 12 destroys some members twice.
  State(const data::FeatureExtractor& features, const Workers& threads, EncodeOptions how,
        data::LabelSet known_labels)
      : extractor(features), workers(threads), options(how), known(known_labels.size()) {
    result.labels = std::move(known_labels);
    if (how.memory == 0 || !how.features) return;
    spilled.emplace(features, threads, how);
    block.fit_into(how.memory);
  }
  void flush();
  void number(bool edges);
};

DatasetBuilder::DatasetBuilder(const data::FeatureExtractor& extractor, const Workers& workers,
                               EncodeOptions options, data::LabelSet known)
    : state_(std::make_unique<State>(extractor, workers, options, std::move(known))) {}
DatasetBuilder::~DatasetBuilder() = default;

size_t DatasetBuilder::sequences() const {
  return state_->result.data.sequences() + state_->block.sequences.size();
}
size_t DatasetBuilder::tokens() const { return state_->result.data.tokens() + state_->block.tokens; }

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
  state_->block.add(std::move(sequence));
  if (state_->block.full()) state_->flush();
}

/// Numbers the state (or edge) features of the block and appends them to the data set.
void DatasetBuilder::State::number(bool edges) {
  FeatureLists& lists = edges ? result.data.edge : result.data.state;
  FeatureCollector& collector = edges ? edge_features : state_features;
  const std::vector<uint64_t>& all = block.join(edges, lists.begin, lists.begin.back());
  collector.add(all, (edges ? edge_numbers : state_numbers).add(all.size()), workers,
                options.names ? block.namer(extractor, edges) : FeatureCollector::Namer());
}

void DatasetBuilder::State::flush() {
  if (block.sequences.empty()) return;
  block.extract(extractor, workers);
  if (spilled) {
    spilled->add(block);
  } else {
    const size_t values_before = result.data.state.begin.back();
    number(false);
    if (extractor.has_edge_features()) number(true);
    any_value |= block.append_values(any_value, values_before, result.data.state_values);
  }
  for (const data::Sequence& sequence : block.sequences) {
    result.data.sequence_begin.push_back(result.data.tokens() + sequence.length());
    result.data.weight.push_back(sequence.weight());
  }
  block.clear();
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
  FeatureLists& lists = edges ? data.edge : data.state;
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
  const std::vector<uint32_t> refused = indistinguishable(found.hashes);
  for (uint32_t& number : found.renumber)
    if (std::binary_search(refused.begin(), refused.end(), number)) number = kNoFeature;
  (edges ? state_->edge_numbers : state_->state_numbers)
      .number_and_sort(
          lists, values, [&](uint32_t provisional) { return found.renumber[provisional]; }, state_->workers);
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
  if (state_->spilled) {
    state_->block = {};
    state_->spilled->finish(result);
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

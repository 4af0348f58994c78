// A block of sequences with their features, as they are encoded: DatasetBuilder fills one after the other.
// Tested by dataset_test.cc.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "espalier/base/parallel.h"
#include "espalier/data/features/features.h"
#include "espalier/linear/encoding/dataset.h"
#include "espalier/linear/encoding/feature_collector.h"

namespace espalier::linear {

/// Its size does not depend on the threads, and nothing depends on it.
struct FeatureBlock {
  std::vector<data::Sequence> sequences;
  std::vector<data::HashedFeatures> hashed;  ///< of each sequence; there may be more
  size_t tokens = 0, text = 0;
  size_t most_tokens = size_t{1} << 15;

  /// Small enough for a bound of memory: a token has some fifty features, in several arrays.
  void fit_into(size_t memory) {
    most_tokens = std::clamp<size_t>(memory >> 16, size_t{1} << 10, size_t{1} << 15);
  }

  void add(data::Sequence sequence) {
    tokens += sequence.length();
    text += sequence.text_bytes();
    sequences.push_back(std::move(sequence));
  }
  bool full() const {
    constexpr size_t kText = 4 << 20;  // tokens of many attributes have much text
    return tokens >= most_tokens || text >= kText;
  }
  void clear() {
    sequences.clear();
    tokens = text = 0;
  }

  /// Fills `hashed`.
  void extract(const data::FeatureExtractor& extractor, const Workers& workers);

  /// All state (or edge) features, end to end. Appends where the list of each token ends, the first beginning
  /// at `before`.
  template <typename Begins>
  std::vector<uint64_t> join(bool edges, Begins& begin, size_t before) const;
  /// Names features by their positions in what join() returned. Must not outlive the block's contents.
  FeatureCollector::Namer namer(const data::FeatureExtractor& extractor, bool edges) const;

  /// Whether a feature has a value other than 1.
  bool any_value() const;
  /// Appends the values of the state features, if this block or one before has any. `before` features came
  /// earlier. Returns whether values are kept from now on.
  bool append_values(bool kept, size_t before, StoredVector<float>& values) const;
};

template <typename Begins>
std::vector<uint64_t> FeatureBlock::join(bool edges, Begins& begins, size_t before) const {
  size_t features = 0;
  for (size_t s = 0; s < sequences.size(); ++s) features += (edges ? hashed[s].edge : hashed[s].state).size();
  std::vector<uint64_t> all;
  all.reserve(features);
  for (size_t s = 0; s < sequences.size(); ++s) {
    const auto& part = edges ? hashed[s].edge : hashed[s].state;
    const auto& begin = edges ? hashed[s].edge_begin : hashed[s].state_begin;
    for (size_t t = 0; t + 1 < begin.size(); ++t) begins.push_back(before + all.size() + begin[t + 1]);
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

/// Sorts a token's features, and their values, by update shard.
void sort_features(std::span<uint32_t> ids, std::span<float> values,
                   std::vector<std::pair<uint32_t, float>>& pairs);

/// The features, by number, that FeatureMap cannot distinguish from an earlier one (see its contract),
/// ascending. They are dropped.
std::vector<uint32_t> indistinguishable(std::span<const uint64_t> hashes);

/// Replaces every value of the lists by number_of(value), drops those that become kNoFeature, and sorts each
/// token's list. In place and in parallel over tokens; gaps are closed afterwards.
template <typename Lists, typename Values, typename NumberOf>
void number_and_sort(Lists& lists, Values& values, const NumberOf& number_of, const Workers& workers) {
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
        const uint32_t number = number_of(lists.values[i]);
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
  if (!values.empty()) values.resize(out);
}

}  // namespace espalier::linear

// A block of sequences with their features, as they are encoded: DatasetBuilder fills one after the other.
// Tested by dataset_test.cc.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
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
  std::vector<uint64_t> joined;              ///< by join(), which reuses its memory
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

  /// All state (or edge) features, end to end, until the next call. Appends where the list of each token
  /// ends, the first beginning at `before`.
  template <typename Begins>
  const std::vector<uint64_t>& join(bool edges, Begins& begin, size_t before);
  /// Names features by their positions in what join() returned. Must not outlive the block's contents.
  FeatureCollector::Namer namer(const data::FeatureExtractor& extractor, bool edges) const;

  /// Whether a feature has a value other than 1.
  bool any_value() const;
  /// Appends the values of the state features, if this block or one before has any. `before` features came
  /// earlier. Returns whether values are kept from now on.
  bool append_values(bool kept, size_t before, std::vector<float>& values) const;
};

template <typename Begins>
const std::vector<uint64_t>& FeatureBlock::join(bool edges, Begins& begins, size_t before) {
  size_t features = 0;
  for (size_t s = 0; s < sequences.size(); ++s) features += (edges ? hashed[s].edge : hashed[s].state).size();
  std::vector<uint64_t>& all = joined;
  all.clear();
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

/// Where the features of each token begin, after all but kept[t] of them are gone: moves the others together,
/// in `features` unless that is null, and in `values` unless that is empty.
void close_gaps(std::span<const uint32_t> kept, uint32_t* features, Ragged<uint32_t>& lists,
                std::vector<float>& values);

/// The features, by number, that FeatureMap cannot distinguish from an earlier one (see its contract),
/// ascending. They are dropped.
std::vector<uint32_t> indistinguishable(std::span<const uint64_t> hashes);

/// Replaces a token's features by number_of(feature), drops those that become kNoFeature, and sorts the rest,
/// all in place. `values` may be null. Returns how many are left.
template <typename NumberOf>
size_t number_token(uint32_t* features, float* values, size_t count, const NumberOf& number_of,
                    std::vector<std::pair<uint32_t, float>>& pairs) {
  size_t kept = 0;
  for (size_t i = 0; i < count; ++i) {
    const uint32_t number = number_of(features[i]);
    if (number == kNoFeature) continue;
    if (values != nullptr) values[kept] = values[i];
    features[kept++] = number;
  }
  sort_features({features, kept}, values == nullptr ? std::span<float>() : std::span<float>(values, kept),
                pairs);
  return kept;
}

/// Does this for all lists, in parallel over tokens; gaps are closed afterwards.
template <typename NumberOf>
void number_and_sort(Ragged<uint32_t>& lists, std::vector<float>& values, const NumberOf& number_of,
                     const Workers& workers) {
  constexpr size_t kPieces = 64;
  const size_t tokens = lists.size();
  std::vector<uint32_t> kept(tokens, 0);
  workers.for_each(kPieces, [&](size_t piece) {
    std::vector<std::pair<uint32_t, float>> pairs;
    const Range range = piece_of(tokens, kPieces, piece);
    for (size_t t = range.first; t < range.last; ++t)
      kept[t] = static_cast<uint32_t>(number_token(lists.values.data() + lists.begin[t],
                                                   values.empty() ? nullptr : values.data() + lists.begin[t],
                                                   lists[t].size(), number_of, pairs));
  });
  close_gaps(kept, lists.values.data(), lists, values);
  lists.values.resize(lists.begin.back());
}

/// The provisional numbers of a training set, block by block as they came. Blocks are never copied to make
/// room for more, and memory that threads write first is cleared by them.
class NumberBlocks {
 public:
  /// Room for the features of another block. The caller fills it.
  uint32_t* add(size_t count) {
    blocks_.push_back(std::make_unique_for_overwrite<uint32_t[]>(count));
    first_.push_back(first_.back() + count);
    return blocks_.back().get();
  }
  /// number_and_sort for all blocks: lists.values is filled, and the blocks are gone. `lists.begin` has where
  /// the features of each token begin in all blocks together.
  template <typename NumberOf>
  void number_and_sort(Ragged<uint32_t>& lists, std::vector<float>& values, const NumberOf& number_of,
                       const Workers& workers);

 private:
  std::vector<std::unique_ptr<uint32_t[]>> blocks_;
  std::vector<uint64_t> first_{0};  ///< of each block; where the last one ends
};

template <typename NumberOf>
void NumberBlocks::number_and_sort(Ragged<uint32_t>& lists, std::vector<float>& values,
                                   const NumberOf& number_of, const Workers& workers) {
  constexpr size_t kPiecesOfBlock = 8;
  std::vector<uint32_t> kept(lists.size(), 0);
  std::vector<size_t> first_token;  // of each block
  for (const uint64_t first : first_)
    first_token.push_back(static_cast<size_t>(
        std::lower_bound(lists.begin.begin(), lists.begin.end(), first) - lists.begin.begin()));
  first_token.back() = lists.size();
  workers.for_each(blocks_.size() * kPiecesOfBlock, [&](size_t piece) {
    std::vector<std::pair<uint32_t, float>> pairs;
    const size_t b = piece / kPiecesOfBlock, tokens = first_token[b + 1] - first_token[b];
    const Range range = piece_of(tokens, kPiecesOfBlock, piece % kPiecesOfBlock);
    for (size_t t = first_token[b] + range.first; t < first_token[b] + range.last; ++t)
      kept[t] = static_cast<uint32_t>(number_token(blocks_[b].get() + (lists.begin[t] - first_[b]),
                                                   values.empty() ? nullptr : values.data() + lists.begin[t],
                                                   lists.begin[t + 1] - lists.begin[t], number_of, pairs));
  });
  uint64_t all = 0;
  for (const uint32_t count : kept) all += count;
  lists.values.reserve(all);
  for (size_t b = 0; b < blocks_.size(); ++b) {
    for (size_t t = first_token[b]; t < first_token[b + 1];) {
      // As many tokens at once as have lost nothing, and the one after them.
      const uint32_t* const from = blocks_[b].get() + (lists.begin[t] - first_[b]);
      size_t count = 0;
      for (bool whole = true; whole && t < first_token[b + 1]; ++t) {
        count += kept[t];
        whole = kept[t] == lists.begin[t + 1] - lists.begin[t];
      }
      lists.values.insert(lists.values.end(), from, from + count);
    }
    blocks_[b] = nullptr;
  }
  blocks_.clear();
  first_.assign(1, 0);
  close_gaps(kept, nullptr, lists, values);
}

}  // namespace espalier::linear

// Scores of candidates from weights, whatever the weights are.
#pragma once

#include <cstdint>
#include <span>

#include "espalier/search/space.h"

namespace espalier::search {

/// The features of one input that do not depend on history, found before the search: block b is
/// ids[begin[b] .. begin[b+1]), with values beside it (null: all 1). Views; the owner outlives the search.
struct StaticBlocks {
  std::span<const uint64_t> begin;  ///< one more than blocks; empty: no blocks
  const uint32_t* ids = nullptr;
  const float* values = nullptr;
  size_t size() const { return begin.empty() ? 0 : begin.size() - 1; }
  std::span<const uint32_t> operator[](uint32_t b) const {
    return {ids + begin[b], static_cast<size_t>(begin[b + 1] - begin[b])};
  }
  const float* values_of(uint32_t b) const { return values == nullptr ? nullptr : values + begin[b]; }
};

/// Anything that scores the labels of a candidate from its features. One object a thread: it keeps scratch.
class Scorer {
 public:
  using Value = float;
  virtual ~Scorer() = default;

  /// A new input begins: what was summed up for the one before is void.
  virtual void begin(const StaticBlocks& blocks) = 0;
  /// Scores of every label, padded; valid until the next call.
  virtual std::span<const float> score(const FeatureSink& features) = 0;
  /// The same for a block and hashed features that were kept under a key; empty where they were not.
  virtual std::span<const float> recall(const Recall&) { return {}; }
  /// Of the labels of a range, the one with the highest score for these, the first of equals; kNoLabel where
  /// nothing was kept. The one question of a greedy search, answered without a row.
  struct Best {
    uint32_t label;
    float score;
  };
  static constexpr uint32_t kNoLabel = 0xFFFFFFFF;
  virtual Best recall_best(const Recall&, LabelRange) { return {kNoLabel, 0}; }
  /// Keeps the sum of the hashed features among these; false where nothing is ever kept.
  virtual bool keep(const FeatureSink&, uint64_t /*key*/) { return false; }

  template <SearchSpace S>
  std::span<const float> row(const S& space, const typename S::State& state, uint32_t candidate) {
    if constexpr (HasRecall<S>) {
      const Recall known = space.recall(state);
      if (known.key != 0) {
        if (const auto row = recall(known); !row.empty()) return row;
        sink_.clear();
        space.features(state, candidate, sink_);
        return keep(sink_, known.key) ? recall(known) : score(sink_);
      }
    }
    sink_.clear();
    space.features(state, candidate, sink_);
    return score(sink_);
  }

  template <SearchSpace S>
  Best best_label(const S& space, const typename S::State& state, LabelRange range) {
    if constexpr (HasRecall<S>) {
      const Recall known = space.recall(state);
      if (known.key != 0)
        if (const Best best = recall_best(known, range); best.label != kNoLabel) return best;
    }
    const auto scores = row(space, state, 0);
    const auto label = static_cast<uint32_t>(
        range.first + linear::place_of_largest(scores.subspan(range.first, range.last - range.first)));
    return {label, scores[label]};
  }

 protected:
  FeatureSink sink_;
};

}  // namespace espalier::search

// Scorer: the one virtual interface of the module's classifiers, whatever their weights are. row() scores the
// labels of a candidate in a state of any search space; a Scorer therefore satisfies RowScorerOf (space.h).
// Implementations: RowWeights (in training), KernelScorer, and the scorers of stored_policy.h. Header only;
// tested in row_weights_test.cc.
#pragma once

#include <cstdint>
#include <span>

#include "espalier/search/space.h"

namespace espalier::search {

/// The features of one input that do not depend on history, found before the search: block b has the features
/// ids[begin[b] .. begin[b+1]) and the values at the same indexes (null: all 1). These are views; the owner
/// must outlive the search.
struct StaticBlocks {
  std::span<const uint64_t> begin;  ///< one more than there are blocks; empty if there are none
  const uint32_t* ids = nullptr;
  const float* values = nullptr;
  size_t size() const { return begin.empty() ? 0 : begin.size() - 1; }
  std::span<const uint32_t> operator[](uint32_t b) const {
    return {ids + begin[b], static_cast<size_t>(begin[b + 1] - begin[b])};
  }
  const float* values_of(uint32_t b) const { return values == nullptr ? nullptr : values + begin[b]; }
};

/// Scores the labels of a candidate from its features. Keeps scratch, so each thread needs its own.
class Scorer {
 public:
  using Value = float;
  virtual ~Scorer() = default;

  /// Starts a new input; sums kept for the previous one become invalid.
  virtual void begin(const StaticBlocks& blocks) = 0;
  /// The scores of all labels, padded; valid until the next call.
  virtual std::span<const float> score(const FeatureSink& features) = 0;
  /// The scores of a block plus the hashed features kept under a key; empty if nothing is kept under it.
  virtual std::span<const float> recall(const Recall&) { return {}; }
  /// recall_best() returns the label with the highest such score in a range; ties go to the first. kNoLabel
  /// if nothing is kept under the key. This is all that a greedy search needs, and it avoids writing a row.
  struct Best {
    uint32_t label;
    float score;
  };
  static constexpr uint32_t kNoLabel = 0xFFFFFFFF;
  virtual Best recall_best(const Recall&, LabelRange) { return {kNoLabel, 0}; }
  /// Keeps the sum of the hashed features under a key. Returns false if this scorer keeps no sums.
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

  /// Scorers that can sum a candidate's features in parts, so that what growing candidates have in common is
  /// summed once: for each state start_parts(), then add_part() for what all candidates from here on have,
  /// and score_with_parts() for the scores of a candidate, given the rest of it. Sums are made in another
  /// order than by score(), so they may differ from it by rounding. False: score() is all there is.
  virtual bool start_parts() { return false; }
  virtual void add_part(const FeatureSink&) {}
  virtual std::span<const float> score_with_parts(const FeatureSink& rest) { return score(rest); }

  /// The scores of all actions of a state.
  template <SearchSpace S>
  requires HasGrowingCandidates<S>
  void score_actions(const S& space, const typename S::State& state, std::span<const Action> actions,
                     std::vector<float>& scores) {
    if (!start_parts()) return score_by_rows(space, *this, state, actions, scores);
    sink_.clear();
    space.shared_features(state, sink_);
    add_part(sink_);
    uint32_t grown = 0;
    for (size_t i = 0; i < actions.size();) {
      const uint32_t candidate = actions[i].candidate;
      for (; grown <= candidate; ++grown) {
        sink_.clear();
        space.added_features(state, grown, sink_);
        add_part(sink_);
      }
      sink_.clear();
      space.own_features(state, candidate, sink_);
      const std::span<const float> row = score_with_parts(sink_);
      for (; i < actions.size() && actions[i].candidate == candidate; ++i) scores[i] = row[actions[i].label];
    }
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

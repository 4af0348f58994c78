// The filter of PairLevel for up to 64 labels, with vectors of floats: the weights of pairs are rows over all
// labels, those that are not alive count as very low. Scores are taken relative to the best of their
// position, so they stay small, and what is kept differs from PairLevel only where a rating is within
// rounding of the threshold. Tested in dense_pairs_test.cc against PairLevel.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "espalier/base/array.h"
#include "espalier/cascade/pair_level.h"

namespace espalier::cascade {

/// The weights of pairs of labels in rows by the first label.
struct DensePairWeights {
  static constexpr size_t kMostLabels = 64;

  size_t labels = 0, stride = 0;
  AlignedVector<float> row;        ///< K×S: row[i·S + j] for i before j; padding is very low
  std::vector<float> first, last;  ///< of labels after the start and before the end

  DensePairWeights() = default;
  explicit DensePairWeights(const PairWeights& weights);
};

/// Buffers are reused: one object per thread.
class DensePairs {
 public:
  /// As PairLevel::filter. False, which cannot be excluded where scores are huge: rounding has left no path,
  /// and PairLevel must be asked.
  bool filter(const AliveLabels& alive, std::span<const float> node, const DensePairWeights& weights,
              const PriorMean& prior, double alpha, KeptPairs& kept);

 private:
  void spread(const AliveLabels& alive, std::span<const float> node, const DensePairWeights& weights);
  /// Which labels may be in a pair whose regret is at most `limit`.
  void choose(const AliveLabels& alive, float limit);
  void list(const DensePairWeights& weights, float limit, KeptPairs& kept);
  bool drop_unconnected(KeptPairs& kept);

  AlignedVector<float> own_;      ///< T×S: scores of the labels alive, very low elsewhere
  AlignedVector<float> forward_;  ///< T×S: best score up to and with a label, less that of the best label
  AlignedVector<float>
      backward_;             ///< T×S: best score behind a label; forward + backward is 0 on the best path
  std::vector<float> best_;  ///< of the pairs into each position
  AliveLabels chosen_;
  std::vector<uint32_t> place_, source_, number_;
  std::vector<uint8_t> keep_pair_, keep_label_;
};

}  // namespace espalier::cascade

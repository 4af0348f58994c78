// The filter of a level of order 2 whose lattice has an arc for every pair of neighbouring labels alive, as
// it always is behind a level of order 1. It does what make_trellis, score_trellis, find_ratings, keep_from
// and grow do together, to the last bit, without a lattice: the arcs between two positions are a matrix.
// Tested in pair_level_test.cc against these.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "espalier/base/result.h"
#include "espalier/cascade/gram_table.h"
#include "espalier/cascade/max_pass.h"
#include "espalier/cascade/trellis.h"

namespace espalier::cascade {

/// The weights of pairs of labels, by the later one: weight[j·labels + i] for i before j.
struct PairWeights {
  size_t labels = 0;
  std::vector<float> weight, first, last;  ///< first, last: of labels after the start and before the end

  PairWeights() = default;
  /// `gram`: the weights of a level, per gram of the table; grams beyond it have none.
  PairWeights(const GramTable& grams, std::span<const float> gram);
};

/// Keeps pairs by max-marginals (Unit::kCliques). Buffers are reused: one object per thread.
class PairLevel {
 public:
  /// Rates all pairs of labels alive and keeps those rated α or more, the best path, and nothing that is on
  /// no path. `node` is T×stride. Precondition: at least one label alive at every position, and a position.
  void filter(const AliveLabels& alive, const float* node, size_t stride, const PairWeights& weights,
              const UsualMean& usual, double alpha);

  /// How many arcs grown() has.
  size_t arcs_when_grown() const { return grown_arcs_; }
  /// The trellis of the pairs kept, without ratings.
  Trellis grown(const GramTable& grams) const;

 private:
  void score(const float* node, size_t stride, const PairWeights& weights);
  void find_best();
  void keep(const UsualMean& usual, double alpha);
  void drop_unconnected();

  const AliveLabels* alive_ = nullptr;
  std::vector<size_t> arc_begin_;  ///< of the arcs into each position: by target, then by source
  std::vector<float> arc_;         ///< scores, and later regrets
  std::vector<float> state_;
  std::vector<double> forward_, beta_;
  std::vector<uint32_t> path_;  ///< the best state of each position
  std::vector<uint8_t> keep_arc_, keep_state_, leads_on_;
  std::vector<uint32_t> place_;  ///< as Growth has it
  size_t grown_arcs_ = 0;
};

}  // namespace espalier::cascade

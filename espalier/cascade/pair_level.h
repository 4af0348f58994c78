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

/// What a filter leaves of the pairs of neighbouring labels.
struct KeptPairs {
  AliveLabels alive;  ///< every label that is left; no ratings
  /// The pairs that end with the alive label s are [place[s], place[s+1]), by rising first label. At the
  /// first position, a label by itself counts as a pair.
  std::vector<uint32_t> place;
  std::vector<uint32_t> source;  ///< the alive label that each pair begins with; none at the first position
  size_t triples = 0;            ///< pairs of pairs that share a label: the arcs of grown()

  void clear() {
    alive.begin.assign(1, 0);
    alive.label.clear();
    place.clear();
    source.clear();
    triples = 0;
  }
};

/// The trellis of these pairs, without ratings.
Trellis grown(const KeptPairs& pairs, const GramTable& grams);

/// Keeps pairs by max-marginals (Unit::kCliques). Buffers are reused: one object per thread.
class PairLevel {
 public:
  /// Rates all pairs of labels alive and keeps those rated α or more, the best path, and nothing that is on
  /// no path. `node` has the score of every label alive. Precondition: at least one label alive at every
  /// position, and a position.
  void filter(const AliveLabels& alive, std::span<const float> node, const PairWeights& weights,
              const PriorMean& prior, double alpha, KeptPairs& kept);

 private:
  void score(std::span<const float> node, const PairWeights& weights);
  void find_best();
  void keep(const PriorMean& prior, double alpha);
  void drop_unconnected();
  void list(KeptPairs& kept);

  const AliveLabels* alive_ = nullptr;
  std::vector<size_t> arc_begin_;  ///< of the arcs into each position: by target, then by source
  std::vector<float> arc_;         ///< scores, and later regrets
  std::vector<float> state_;
  std::vector<double> forward_, beta_;
  std::vector<uint32_t> path_;  ///< the best state of each position
  std::vector<uint8_t> keep_arc_, keep_state_, leads_on_;
  std::vector<uint32_t> number_;  ///< of the states that are left
};

}  // namespace espalier::cascade

// The best labelling by a last level of order 3, over the pairs of labels that a filter keeps. It does
// what grown, score_trellis and chain::viterbi do together, to the last bit, without a lattice.
// Tested in triple_level_test.cc against these.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "espalier/cascade/gram_table.h"
#include "espalier/cascade/pair_level.h"
#include "espalier/chain/ways_back.h"

namespace espalier::cascade {

/// The weights of pairs and triples of labels, h before i before j, in tables that are indexed by all of
/// them: K³ floats.
struct TripleWeights {
  /// More labels have no tables: they would not fit into the cache, and most of them would be empty.
  static constexpr size_t kMostLabels = 96;

  size_t labels = 0;
  std::vector<float> triple;       ///< [(j·K + i)·K + h]
  std::vector<float> pair;         ///< [j·K + i]
  std::vector<float> second;       ///< [j·K + i]: start, i, j
  std::vector<float> last_triple;  ///< [j·K + i]: i, j, end
  std::vector<float> last_pair;    ///< [j]: j, end
  std::vector<float> first_pair;   ///< [j]: start, j
  std::vector<float> first;        ///< [j]: start, start, j
  std::vector<float> alone;        ///< [j]: start, j, end

  TripleWeights() = default;
  /// `gram`: the weights of a level, per gram of the table; grams beyond it have none.
  TripleWeights(const GramTable& grams, std::span<const float> gram);
};

/// Positions `first` to `last` between two at which one pair of labels alone is left, the ends of the
/// sequence being such, too; and at least so much of the probability of all ways through them is that of the
/// best one.
struct BestShare {
  uint32_t first = 0, last = 0;
  double share = 1;
};

/// Buffers are reused: one object per thread.
class TripleLevel {
 public:
  /// The best labelling among the pairs that were kept, and its score; ties as in chain::viterbi. `node` has
  /// the scores of pairs.alive. O(triples left).
  double decode(const KeptPairs& pairs, std::span<const float> node, const TripleWeights& weights,
                std::vector<data::Label>& labels);
  /// The score of a labelling; −∞ where a pair of it was not kept. Arguments as in decode().
  double score_of(const KeptPairs& pairs, std::span<const float> node, const TripleWeights& weights,
                  std::span<const data::Label> labels) const;
  /// The shares of the best labelling in the stretches of which the pairs consist that decode() was called
  /// with last, but for stretches without another way. They are found from below, within a few percent of
  /// what the others have, in a fraction of the time of find_ways_back(). False if one of them is below
  /// `least`.
  bool find_shares(const KeptPairs& pairs, const TripleWeights& weights, double temperature, double least,
                   std::vector<BestShare>& out);
  /// The ways through the pairs that decode() was called with last. O(triples left).
  void find_ways_back(const KeptPairs& pairs, const TripleWeights& weights, double temperature,
                      chain::WaysBack& out) const;

 private:
  std::vector<double> best_;       ///< per pair
  std::vector<double> sum_;        ///< per pair: of the ways to it in its stretch, the best being 1
  std::vector<uint32_t> back_;     ///< per pair: the one before it on the best path
  std::vector<data::Label> from_;  ///< per pair: its first label
};

}  // namespace espalier::cascade

// The log loss of a whole training set and its exact gradient, for batch optimisers. Tested in
// espalier/chain/gradients_test.cc.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "espalier/chain/learners/batch.h"
#include "espalier/chain/learners/restriction.h"
#include "espalier/chain/learners/stochastic.h"

namespace espalier::chain {

/// ∂/∂w for every weight of a ChainWeights, in double because batch optimisers subtract gradients that are
/// almost equal.
struct WeightGradient {
  std::vector<double> state;  ///< as ChainWeights::state_rows lays them out
  std::vector<double> trans;  ///< K×S
  std::vector<double> edge;   ///< as ChainWeights::edge_rows
};

/// Σ over sequences of weight · loss, without penalties. Deterministic at any number of threads and ranks:
/// loss and gradient are summed as integers (base/exact_sum.h), each weight's gradient with as many bits
/// after the point as the occurrences of its feature leave room for. One object must not be used by several
/// threads at once.
class DataLoss {
 public:
  /// The arguments but the monitor must outlive this. `label_weight` and `restriction` as in TrainingContext.
  DataLoss(const linear::Dataset& data, const Workers& workers, LogLoss loss,
           std::span<const float> label_weight, const Restriction* restriction = nullptr,
           const Monitor& monitor = {}, const Team* team = nullptr);

  /// Replaces the contents of `gradient` by the sums over all ranks of the team. If the monitor asks to stop,
  /// the result is that of a part of the data and of no use.
  double evaluate(const ChainWeights& weights, WeightGradient& gradient);

 private:
  std::vector<size_t> cut_into_blocks(const ChainWeights& weights) const;
  void choose_units(const ChainWeights& weights);
  void add_rows(const ChainWeights& weights);

  /// The gradient of every weight, in units of its feature.
  struct Sums {
    std::vector<int64_t> state, trans, edge;
  };

  const linear::Dataset& data_;
  const Monitor monitor_;
  LogLoss loss_;
  std::span<const float> label_weight_;
  const Restriction* restriction_;
  const Team* team_;
  BatchRunner runner_;
  std::vector<uint32_t> order_;
  std::vector<uint8_t> state_unit_, edge_unit_;  ///< of each feature: a place in units_
  std::vector<FixedPoint> units_;
  Sums sums_;
};

}  // namespace espalier::chain

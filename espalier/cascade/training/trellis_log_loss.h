// The log loss of a trellis and its gradient, as lattice_loss has it for a scored lattice, without an
// exponential for every arc: those of the weights of grams are kept as long as the weights stay. Tested in
// losses_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "espalier/cascade/losses.h"
#include "espalier/cascade/weights.h"

namespace espalier::cascade {

/// exp of the weight of every gram, in step with the weights as long as the owner calls set.
class GramPotentials {
 public:
  void set_all(std::span<const float> weights);
  void set(uint32_t gram, float weight);
  /// 1 for grams without a weight.
  float operator[](uint32_t gram) const { return gram < value_.size() ? value_[gram] : 1.0f; }

 private:
  std::vector<float> value_;
};

/// Buffers are reused: one object per thread. O(states + arcs).
class TrellisLogLoss {
 public:
  /// −log P(truth) for a level of order 2 or more and scale 1 without edge features; node is T×S. Empty if
  /// the numbers are beyond what sums of exponentials can hold; then take lattice_loss.
  std::optional<double> find(const LevelView& level, const GramPotentials& potentials, const float* node,
                             size_t stride, const Trellis& trellis, std::span<const uint32_t> truth,
                             std::span<const uint32_t> truth_arcs, LatticeGradient& out);

 private:
  bool run_forward(const LevelView& level, const GramPotentials& potentials, const float* node, size_t stride,
                   const Trellis& trellis, LatticeGradient& out);

  std::vector<double> forward_;  ///< per state, sums to 1 at every position
  double log_z_ = 0;
};

}  // namespace espalier::cascade

// The sample as boosting sees it: who is right where, and the current weight of each place.
//
// Call read_boost_sample; tested in espboost_test.cc. Memory: the distinct patterns, or 4 bytes per vote
// where experts give probabilities.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "espalier/base/result.h"
#include "espalier/ensemble/votes/votes.h"

namespace espalier::ensemble {

/// What a path does under the distribution D_t: the weight, times |ρ|, of the places where it is right and
/// where it is wrong, and the best step.
struct BoostStep {
  double right = 0, wrong = 0;
  double step = 0;        ///< α that minimises Z(α) = Σ D exp(−α ρ); infinite where nothing is wrong
  double normaliser = 0;  ///< Z(α)
};

/// D_t over the places (items with known gold) of a sample, and the margins ρ of every expert there.
class BoostSample {
 public:
  virtual ~BoostSample() = default;
  /// Σ D ρ by slot and expert: how steeply F falls in the direction of an expert in a slot.
  virtual void descent(std::vector<double>& slots_by_experts) const = 0;
  virtual BoostStep step(std::span<const uint32_t> path) const = 0;
  /// D_{t+1} = D_t exp(−α ρ) / Z.
  virtual void reweigh(std::span<const uint32_t> path, double alpha) = 0;

  size_t experts() const { return experts_; }
  size_t slots() const { return used_.size(); }
  /// Items by slot.
  std::span<const double> used() const { return used_; }

 protected:
  void use(uint32_t slot, double items) {
    if (slot >= used_.size()) used_.resize(slot + 1u, 0);
    used_[slot] += items;
  }
  size_t experts_ = 0;
  std::vector<double> used_;
};

/// Reads a stream once. Where experts give labels alone ρ is +1, −1 or, in silence, 0: places with the same
/// experts right are one pattern, and the step is ½ log(W₊/W₋), Z = W₀ + 2 sqrt(W₊W₋) (Schapire and Singer
/// 1999). Where they give probabilities, an expert that says y with probability c has h̃(y) = c, so ρ is +c or
/// −c: places are kept one by one, 4 bytes per expert, and the step is found by Newton's method.
Result<std::unique_ptr<BoostSample>> read_boost_sample(VoteSource& source);

/// The minimiser of Σ weight · exp(−α margin), which is convex, to 1e-12 of its size; infinite where no
/// margin is negative and 0 where none is positive.
double boosting_line_search(std::span<const double> weight, std::span<const double> margin);

}  // namespace espalier::ensemble

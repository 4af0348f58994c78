// The confidence of a vote as a probability: its share of the weight, calibrated. Tested in model_test.cc.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "espalier/base/result.h"

namespace espalier::ensemble {

/// A monotone map from a score in [0, 1] to how often decisions with such a score are right: isotonic
/// regression (pool adjacent violators) over equal bins, each pool smoothed by one success and one failure.
/// Fitted on sequences that the weights were not learned from.
class ConfidenceMap {
 public:
  static constexpr size_t kBins = 128;

  /// Counts of a score; the last bin holds 1 alone, the share of a unanimous vote.
  struct Counts {
    std::array<double, kBins> right{}, total{};
    void add(double score, bool correct);
    double items() const;
  };
  static ConfidenceMap fit(const Counts& counts);
  /// A map that leaves scores as they are.
  static ConfidenceMap identity();
  static Result<ConfidenceMap> from_values(std::span<const double> values);

  double operator()(double score) const { return probability_[bin(score)]; }
  std::span<const double> values() const { return probability_; }

 private:
  static size_t bin(double score);
  std::array<double, kBins> probability_{};
};

/// Confidence in a whole sequence before its own map: the geometric mean of its tokens' confidences, which,
/// unlike their product, stays comparable between lengths; the map then says how often sequences with such a
/// mean are right throughout.
double sequence_score(std::span<const double> token_confidence);

}  // namespace espalier::ensemble

// Calibration of confidences: Reliability measures how often predictions of a given confidence are right;
// fit_temperature finds the one-parameter correction.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace espalier::eval {

/// Confidences in equal-width bins with how often they were right (Guo et al. 2017, section 2). Bin k of n
/// holds the confidences in (k/n, (k+1)/n]; 0 falls in the first. Sums are kept in fixed point (2^-32), so
/// that merging shards in any order gives the same bits. Constant space.
class Reliability {
 public:
  static constexpr size_t kBins = 15;

  struct Bin {
    double low = 0, high = 0;
    uint64_t count = 0;
    double confidence = 0;  ///< mean, 0 where the bin is empty
    double accuracy = 0;    ///< fraction right, 0 where the bin is empty
  };

  /// Confidences are probabilities: values outside [0, 1] are clipped, NaN counts as 0.
  void add(double confidence, bool correct);
  void merge(const Reliability& other);

  uint64_t count() const;
  /// Σ_bins (count / total) · |accuracy − confidence|, in [0, 1]; 0 where nothing was added.
  double expected_calibration_error() const;
  /// Mean of (confidence − [correct])², the Brier score of "the prediction is right", in [0, 1].
  double brier_score() const;
  /// All bins, lowest first.
  std::vector<Bin> bins() const;

 private:
  struct Sums {
    uint64_t count = 0;
    uint64_t correct = 0;
    uint64_t confidence = 0;  // In units of 2^-32.
  };
  std::array<Sums, kBins> sums_;
  uint64_t squared_error_ = 0;  // In units of 2^-32.
};

/// The temperature in [low, high] that minimises a negative log-likelihood: golden-section search over log T,
/// which finds the minimum of any function with a single valley (that of temperature scaling is convex in
/// 1/T, so it has one) to a relative 1e-6 in about 35 evaluations. Values that are not finite count as worse
/// than any other; where neither probe is finite the search goes towards higher temperatures, since it is the
/// cold end that overflows. Never returns a temperature worse than 1 when 1 is in the range. Precondition: 0
/// < low < high.
double fit_temperature(const std::function<double(double temperature)>& negative_log_likelihood,
                       double low = 1e-3, double high = 1e3);

}  // namespace espalier::eval

#include "espalier/eval/calibration.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "espalier/base/result.h"

namespace espalier::eval {
namespace {

constexpr double kUnit = 0x1.0p32;

uint64_t to_fixed(double x) { return static_cast<uint64_t>(std::llround(x * kUnit)); }

double mean_of(uint64_t fixed_sum, uint64_t count) {
  return static_cast<double>(fixed_sum) / kUnit / static_cast<double>(count);
}

}  // namespace

void Reliability::add(double confidence, bool correct) {
  // The comparison is false for NaN.
  const double c = confidence > 0 ? std::min(confidence, 1.0) : 0.0;
  const double scaled = std::ceil(c * kBins) - 1;
  Sums& bin = sums_[static_cast<size_t>(std::clamp(scaled, 0.0, static_cast<double>(kBins - 1)))];
  ++bin.count;
  bin.correct += correct ? 1 : 0;
  bin.confidence += to_fixed(c);
  const double error = c - (correct ? 1.0 : 0.0);
  squared_error_ += to_fixed(error * error);
}

void Reliability::merge(const Reliability& other) {
  for (size_t k = 0; k < kBins; ++k) {
    sums_[k].count += other.sums_[k].count;
    sums_[k].correct += other.sums_[k].correct;
    sums_[k].confidence += other.sums_[k].confidence;
  }
  squared_error_ += other.squared_error_;
}

uint64_t Reliability::count() const {
  uint64_t total = 0;
  for (const Sums& bin : sums_) total += bin.count;
  return total;
}

double Reliability::expected_calibration_error() const {
  const uint64_t total = count();
  if (total == 0) return 0;
  double gaps = 0;
  for (const Bin& bin : bins())
    gaps += static_cast<double>(bin.count) * std::abs(bin.accuracy - bin.confidence);
  return gaps / static_cast<double>(total);
}

double Reliability::brier_score() const {
  const uint64_t total = count();
  return total == 0 ? 0.0 : mean_of(squared_error_, total);
}

std::vector<Reliability::Bin> Reliability::bins() const {
  std::vector<Bin> result(kBins);
  for (size_t k = 0; k < kBins; ++k) {
    const Sums& sums = sums_[k];
    Bin& bin = result[k];
    bin.low = static_cast<double>(k) / kBins;
    bin.high = static_cast<double>(k + 1) / kBins;
    bin.count = sums.count;
    if (sums.count == 0) continue;
    bin.confidence = mean_of(sums.confidence, sums.count);
    bin.accuracy = static_cast<double>(sums.correct) / static_cast<double>(sums.count);
  }
  return result;
}

double fit_temperature(const std::function<double(double temperature)>& negative_log_likelihood, double low,
                       double high) {
  ESPALIER_CHECK(low > 0 && low < high && std::isfinite(high));
  const auto value_at = [&](double log_temperature) {
    const double value = negative_log_likelihood(std::exp(log_temperature));
    return std::isnan(value) ? std::numeric_limits<double>::infinity() : value;
  };
  // The interior points divide [a, b] so that, whichever side is cut off, one of them divides the rest the
  // same way: one evaluation per step, and the interval shrinks by 0.618.
  const double ratio = (std::sqrt(5.0) - 1) / 2;
  double a = std::log(low);
  double b = std::log(high);
  double left = b - ratio * (b - a);
  double right = a + ratio * (b - a);
  double at_left = value_at(left);
  double at_right = value_at(right);
  while (b - a > 1e-6) {
    const bool go_left = at_left < at_right || (at_left == at_right && std::isfinite(at_left));
    if (go_left) {
      b = right;
      right = left;
      at_right = at_left;
      left = b - ratio * (b - a);
      at_left = value_at(left);
    } else {
      a = left;
      left = right;
      at_left = at_right;
      right = a + ratio * (b - a);
      at_right = value_at(right);
    }
  }
  const double best = std::clamp(std::exp((a + b) / 2), low, high);
  // A flat or noisy function can mislead the search; a temperature of 1, which leaves the scores alone, is
  // better then.
  if (low <= 1 && 1 <= high && !(value_at(std::log(best)) < value_at(0))) return 1;
  return best;
}

}  // namespace espalier::eval

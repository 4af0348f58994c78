#include "espalier/eval/power_law.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "espalier/base/result.h"

namespace espalier::eval {
namespace {

/// Least squares of errors ≈ floor + scale · x with both not negative. Where the free solution has a negative
/// one, the best solution has that one at 0, because the objective is convex.
PowerLaw fit_line(std::span<const double> x, std::span<const double> errors) {
  const auto n = static_cast<double>(x.size());
  double mean_x = 0, mean_y = 0, xx = 0, xy = 0, raw_xx = 0, raw_xy = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    mean_x += x[i] / n;
    mean_y += errors[i] / n;
    raw_xx += x[i] * x[i];
    raw_xy += x[i] * errors[i];
  }
  for (size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - mean_x) * (x[i] - mean_x);
    xy += (x[i] - mean_x) * (errors[i] - mean_y);
  }
  PowerLaw law;
  law.scale = xx > 0 ? std::max(0.0, xy / xx) : 0;
  law.floor = mean_y - law.scale * mean_x;
  if (law.floor < 0) {
    law.floor = 0;
    law.scale = raw_xx > 0 ? std::max(0.0, raw_xy / raw_xx) : 0;
  }
  return law;
}

}  // namespace

double PowerLaw::error(double n) const { return floor + scale * std::pow(n, -exponent); }

PowerLaw fit_power_law(std::span<const double> sizes, std::span<const double> errors) {
  ESPALIER_CHECK(sizes.size() >= 2 && sizes.size() == errors.size());
  // Sizes relative to the largest: powers of huge numbers would lose digits.
  const double largest = *std::max_element(sizes.begin(), sizes.end());
  PowerLaw best;
  double best_distance = std::numeric_limits<double>::infinity();
  std::vector<double> x(sizes.size());
  for (int step = 1; step <= 200; ++step) {
    const double exponent = 0.01 * step;
    for (size_t i = 0; i < x.size(); ++i) x[i] = std::pow(sizes[i] / largest, -exponent);
    PowerLaw law = fit_line(x, errors);
    double distance = 0, worst = 0;
    for (size_t i = 0; i < x.size(); ++i) {
      const double residual = errors[i] - law.floor - law.scale * x[i];
      distance += residual * residual;
      worst = std::max(worst, std::abs(residual));
    }
    if (distance < best_distance * (1 - 1e-12)) {
      best_distance = distance;
      best = law;
      best.exponent = exponent;
      best.worst_residual = worst;
    }
  }
  best.scale *= std::pow(largest, best.exponent);
  return best;
}

}  // namespace espalier::eval

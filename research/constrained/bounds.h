// Upper bounds on the error of learning with and without inference, from the size of the hypothesis spaces
// (Punyakanok, Roth, Yih and Zimak 2005, section 6). Header only; tested in apps/reproduce_test.sh.
#pragma once

#include <cmath>
#include <limits>

namespace espalier::research {

/// Corollary 6.3: one linear classifier in R^d whose least possible error is `best_error`, after m examples,
/// with probability 1 − delta: ε ≤ ε_opt + sqrt(32 (d ln(em/d) + ln(4/δ)) / m).
inline double local_error_bound(double m, double d, double best_error, double delta) {
  return best_error + std::sqrt(32 * (d * std::log(std::exp(1.0) * m / d) + std::log(4 / delta)) / m);
}

/// Corollary 6.4: c classifiers trained together through inference, separable as a whole:
/// ε ≤ sqrt(32 (cd ln(em/cd) + c²d + ln(4/δ)) / m).
inline double global_error_bound(double m, double c, double d, double delta) {
  return std::sqrt(32 * (c * d * std::log(std::exp(1.0) * m / (c * d)) + c * c * d + std::log(4 / delta)) /
                   m);
}

/// The number of examples above which the bound of global training is lower; infinite if it never is
/// (best_error 0). Found by bisection on ln m, since the difference of the bounds decreases with m.
inline double crossing_of_bounds(double c, double d, double best_error, double delta) {
  if (best_error <= 0) return std::numeric_limits<double>::infinity();
  double low = std::log(c * d), high = std::log(1e15);
  for (int i = 0; i < 200; ++i) {
    const double middle = (low + high) / 2, m = std::exp(middle);
    (global_error_bound(m, c, d, delta) > local_error_bound(m, d, best_error, delta) ? low : high) = middle;
  }
  return std::exp(high);
}

}  // namespace espalier::research

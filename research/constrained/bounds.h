// Upper bounds on the error of learning with and without inference, from the size of the hypothesis spaces
// (Punyakanok, Roth, Yih and Zimak 2005, section 6). Header only; tested in bounds_test.cc.
#pragma once

#include <cmath>
#include <limits>

namespace espalier::research {

/// Theorem 6.2, for any hypothesis space: `log_growth` is the natural logarithm of the growth function at 2m,
/// the number of ways in which the space can label 2m examples. With probability 1 − δ,
/// ε ≤ ε_opt + sqrt(32 (ln N(2m) + ln(4/δ)) / m).
inline double growth_error_bound(double m, double best_error, double log_growth, double delta) {
  return best_error + std::sqrt(32 * (log_growth + std::log(4 / delta)) / m);
}

/// ln N(m) of half-spaces in R^d, exactly: an arrangement of m hyperplanes through the origin in general
/// position has 2 Σ_{i<d} C(m−1, i) cells (Cover 1965). Summed in logarithms.
inline double log_growth_of_half_spaces(double m, double d) {
  double term = 0, largest = 0, sum = 1;  // ln C(m−1, 0); the sum is in units of e^largest
  for (double i = 1; i < d && i <= m - 1; ++i) {
    term += std::log((m - i) / i);
    if (term > largest) {
      sum = sum * std::exp(largest - term) + 1;
      largest = term;
    } else {
      sum += std::exp(term - largest);
    }
  }
  return std::log(2.0) + largest + std::log(sum);
}

/// Corollary 6.3: one linear classifier in R^d whose least possible error is `best_error`, after m examples:
/// the theorem with (em/d)^d for the growth function, as printed (at m, not at 2m).
inline double local_error_bound(double m, double d, double best_error, double delta) {
  return growth_error_bound(m, best_error, d * std::log(std::exp(1.0) * m / d), delta);
}

/// Corollary 6.4: c classifiers trained together through inference, separable as a whole: the theorem with
/// (em/cd)^cd · e^(c²d), as printed.
inline double global_error_bound(double m, double c, double d, double delta) {
  return growth_error_bound(m, 0, c * d * std::log(std::exp(1.0) * m / (c * d)) + c * c * d, delta);
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

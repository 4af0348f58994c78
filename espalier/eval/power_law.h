// Learning curves: how the error falls with the amount of data, as a power law, and what more data would
// give.
#pragma once

#include <span>

namespace espalier::eval {

/// error(n) = floor + scale · n^(−exponent), for n training examples; floor and scale are not negative.
struct PowerLaw {
  double floor = 0, scale = 0, exponent = 0;
  double worst_residual = 0;  ///< the largest distance between the law and a point

  double error(double n) const;
};

/// The law with the smallest squared distance to the points. For each exponent of a fine grid (0.01 to 2),
/// floor and scale follow from linear least squares; the best exponent is kept; ties go to the smallest.
/// Precondition: at least two points, as many errors as sizes, sizes above 0.
PowerLaw fit_power_law(std::span<const double> sizes, std::span<const double> errors);

}  // namespace espalier::eval

#include "espalier/ensemble/methods/bounds.h"

#include <cmath>

namespace espalier::ensemble {

double theorem1_excess(double loss_bound, size_t slots, size_t experts, size_t rounds, double delta) {
  const auto l = static_cast<double>(slots), p = static_cast<double>(experts),
             T = static_cast<double>(rounds);
  return 2 * loss_bound * (std::sqrt(l * std::log(p) / T) + std::sqrt(std::log(2 / delta) / T));
}

double proposition2_bound(double random_loss) { return 2 * random_loss; }

double rademacher_bound(size_t experts, size_t values, size_t sequences) {
  const double functions = static_cast<double>(experts) * static_cast<double>(values);
  return std::sqrt(2 * std::log(functions) / static_cast<double>(sequences));
}

double theorem4_bound(double margin_loss, double rho, std::span<const size_t> values, size_t experts,
                      size_t sequences, double delta) {
  const auto l = static_cast<double>(values.size());
  double complexity = 0;
  for (const size_t y : values) {
    const auto labels = static_cast<double>(y);
    complexity += labels * labels * rademacher_bound(experts, y, sequences);
  }
  return margin_loss + 2 / (rho * l) * complexity +
         std::sqrt(std::log(l / delta) / (2 * static_cast<double>(sequences)));
}

double theorem5_bound(std::span<const BoostRound> rounds, double rho) {
  // In logarithms, since 2^T alone would overflow.
  double log_bound = 0;
  for (const BoostRound& round : rounds) {
    if (round.normaliser <= 0) return rho < 1 ? 0 : 1;
    log_bound += std::log(round.normaliser) + rho * round.step;
  }
  return std::exp(log_bound);
}

}  // namespace espalier::ensemble

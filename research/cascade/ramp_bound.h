// The generalisation bound on what a filter loses and leaves alive (Weiss and Taskar 2010, Theorem 1): the
// losses of Definitions 1 and 2, the ramp losses that dominate them, and the bound with its constant. Call
// filter_losses() with the max-marginals of a sequence, and ramp_bound(). Header only; tested in
// ramp_bound_test.cc. The bound is loose: it says nothing below some hundred thousand sequences.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

namespace espalier::research {

/// The ramp with slope 1/γ: 1 up to 0, 0 from γ on.
inline double ramp(double x, double gamma) { return std::clamp(1 - x / gamma, 0.0, 1.0); }

/// Equation 6: t(α) = α θ* + (1 − α) mean θ*(y_c), where θ* is the largest max-marginal.
inline double mean_max_threshold(std::span<const double> max_marginals, double alpha) {
  double best = max_marginals.front(), sum = 0;
  for (const double x : max_marginals) {
    best = std::max(best, x);
    sum += x;
  }
  return alpha * best + (1 - alpha) * sum / static_cast<double>(max_marginals.size());
}

/// What a filter does to one sequence.
struct FilterLosses {
  double filter = 0;           ///< L_f: 1 if the truth scores at most the threshold
  double efficiency = 0;       ///< L_e: the share of clique assignments that are kept
  double ramp_filter = 0;      ///< φ_f ≥ L_f
  double ramp_efficiency = 0;  ///< φ_e ≥ L_e; the paper writes φ(y*(y_c), −θ) for t − θ*(y_c)
};
/// `truth` is the score of the gold labelling, `max_marginals` those of all clique assignments.
inline FilterLosses filter_losses(double truth, std::span<const double> max_marginals, double alpha,
                                  double gamma) {
  const double t = mean_max_threshold(max_marginals, alpha);
  FilterLosses out;
  out.filter = truth <= t ? 1 : 0;
  out.ramp_filter = ramp(truth - t, gamma);
  for (const double x : max_marginals) {
    out.efficiency += x >= t ? 1 : 0;
    out.ramp_efficiency += ramp(t - x, gamma);
  }
  out.efficiency /= static_cast<double>(max_marginals.size());
  out.ramp_efficiency /= static_cast<double>(max_marginals.size());
  return out;
}

/// Lemmas 2 to 5: θ(y) − t(α) as a function of the scores of the m clique assignments is Lipschitz with
/// sqrt(2ℓ), and φ_f and φ_e with this divided by γ.
inline double filter_lipschitz(double cliques) { return std::sqrt(2 * cliques); }

/// A filter class and a sample.
struct RampBoundSetting {
  double assignments = 1;  ///< m: of all cliques together
  double cliques = 1;      ///< ℓ
  double norm = 1;         ///< B: the largest ‖w‖; features of a clique assignment have norm 1 at most
  double gamma = 1;
  double sequences = 1;  ///< n
  double delta = 0.05;
};
/// What is added to the mean ramp loss of a sample to bound the expected loss, with probability 1 − δ for all
/// filters of the class and all α at once. The paper hides the constant of the first term. By Bartlett and
/// Mendelson (2002): R_n(φ∘F) ≤ sqrt(π/2) G_n(φ∘F) ≤ sqrt(π/2) · 2 (sqrt(2ℓ)/γ) · m · 2B/sqrt(n).
inline double ramp_bound(const RampBoundSetting& s) {
  const double pi = 3.14159265358979323846;
  return std::sqrt(pi / 2) * 4 * filter_lipschitz(s.cliques) / s.gamma * s.assignments * s.norm /
             std::sqrt(s.sequences) +
         std::sqrt(8 * std::log(2 / s.delta) / s.sequences);
}

}  // namespace espalier::research

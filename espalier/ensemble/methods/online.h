// On-line to batch: hypotheses from the distributions that WMWP goes through (section 3.3).
//
// Call learn_online. Two passes, linear in items × experts; memory for a few tables of slots × experts.
#pragma once

#include <cstddef>
#include <vector>

#include "espalier/base/progress.h"
#include "espalier/base/random.h"
#include "espalier/base/result.h"
#include "espalier/ensemble/methods/weight_table.h"
#include "espalier/ensemble/methods/wmwp.h"
#include "espalier/ensemble/votes/votes.h"

namespace espalier::ensemble {

struct OnlineOptions {
  WmwpOptions wmwp;
  double delta = 0.05;       ///< in (0, 1)
  double loss_bound = 1;     ///< M, the largest loss; 1 for normalised Hamming
  bool keep_suffix = false;  ///< for `rand`, which needs every distribution of the suffix
};

/// The distributions p_t of a suffix, each slots × p, for H_Rand (equation 4).
struct DistributionSuffix {
  size_t experts = 0, slots = 0;
  std::vector<float> weights;  ///< distributions × slots × p

  size_t size() const { return slots * experts == 0 ? 0 : weights.size() / (slots * experts); }
  /// Draws a distribution, then a path: one expert for each slot.
  void draw_path(Random& random, std::vector<uint32_t>& path) const;
};

/// What one run of WMWP over a sample gives.
struct OnlineResult {
  size_t rounds = 0;          ///< T: sequences with known gold
  double mean_loss = 0;       ///< of the distributions as they were played, Σ_t E_t / T
  size_t suffix_begin = 0;    ///< P_δ = {p_t : t ≥ suffix_begin}, from 0
  double gamma = 0;           ///< Γ(P_δ)
  WeightTable mvote;          ///< the mean of the suffix: the factors of equation 5
  size_t cv_round = 0;        ///< the t of H_CV
  double cv_value = 0;        ///< its criterion
  WeightTable cv;             ///< p_t itself
  DistributionSuffix suffix;  ///< where asked for
};

/// Two passes over the stream, with memory for a few tables of slots × p whatever the number of sequences
/// (and the suffix, where it is to be kept). The first pass finds T and the total loss S_T, and the losses
/// C_T(e) of every arc. The second plays the same rounds again and knows at round t, with n = T − t + 1,
///   Γ(suffix from t) = (S_T − S_{t−1}) / n + M sqrt(log(1/δ) / n)                                and
///   CV(t) = Σ_e w_t(e) (C_T(e) − C_{t−1}(e)) / n + M sqrt(log(T(T+1)/δ) / (2n)),
/// so that the best suffix can be summed up from where it begins: whenever a better one begins, the sum
/// starts again. Linear in items × p.
Result<OnlineResult> learn_online(VoteSource& source, const OnlineOptions& options,
                                  const Monitor& monitor = {});

/// The exact expectation of H_Rand's normalised Hamming loss: a path takes expert j in slot k with the mean
/// probability that `mvote` holds, and the loss is a sum over items.
Result<double> expected_random_loss(VoteSource& source, const WeightTable& mvote);

/// Γ's second term, and that of the criterion of H_CV.
double suffix_penalty(double loss_bound, double delta, size_t size);
double cv_penalty(double loss_bound, double delta, size_t rounds, size_t size);

}  // namespace espalier::ensemble

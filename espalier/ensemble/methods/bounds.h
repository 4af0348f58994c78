// The guarantees of the paper as numbers. Tested in espboost_test.cc and
// espalier/ensemble/automaton/automaton_test.cc.
#pragma once

#include <cstddef>
#include <span>

#include "espalier/ensemble/methods/espboost.h"

namespace espalier::ensemble {

/// Theorem 1: with probability 1 − δ, the expected loss of H_Rand is at most that of the best path expert
/// plus 2M sqrt(l log p / T) + 2M sqrt(log(2/δ) / T). Returns what is added.
double theorem1_excess(double loss_bound, size_t slots, size_t experts, size_t rounds, double delta);

/// Proposition 2: the expected Hamming loss of the vote is at most twice that of H_Rand.
double proposition2_bound(double random_loss);

/// The Rademacher complexity of H^k is at most that of the p·|Y| indicators it holds, by Massart's lemma
/// sqrt(2 log(p |Y|) / m).
double rademacher_bound(size_t experts, size_t values, size_t sequences);

/// Theorem 4: with probability 1 − δ, loss ≤ R̂_ρ + (2/ρ l) Σ_k |Y_k|² R_m(H^k) + sqrt(log(l/δ) / (2m)).
/// `values`: |Y_k| for each of the l slots.
double theorem4_bound(double margin_loss, double rho, std::span<const size_t> values, size_t experts,
                      size_t sequences, double delta);

/// Theorem 5: R̂_ρ ≤ Π_t Z_t exp(ρ α_t), which for experts that speak everywhere and give labels alone is the
/// paper's 2^T Π_t sqrt(ε_t^{1−ρ} (1−ε_t)^{1+ρ}).
double theorem5_bound(std::span<const BoostRound> rounds, double rho);

}  // namespace espalier::ensemble

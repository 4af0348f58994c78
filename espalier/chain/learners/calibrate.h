// After training: the temperature that turns the scores of a margin learner into probabilities, and the
// effect of storing weights in 16 bits.
#pragma once

#include "espalier/base/parallel.h"
#include "espalier/chain/weights.h"
#include "espalier/linear/dataset.h"
#include "espalier/linear/kernel_model.h"

namespace espalier::chain {

/// The temperature τ for which P(y|x) ∝ exp(score(x, y)/τ) gives the held-out labellings the highest
/// likelihood. Sequences that are not fully labelled are skipped; at most `most` are used. Returns 1 if none
/// is left.
double fit_temperature(const ChainWeights& weights, const linear::Dataset& held_out, const Workers& workers,
                       size_t most = 1000);

/// The same for a kernel machine, which labels each token by itself.
double fit_temperature(const linear::KernelModel& kernel, const linear::Dataset& held_out,
                       size_t most_tokens = 5000);

/// Rounds weights as a model file with 16-bit weights does.
void round_to_16_bits(AlignedVector<float>& weights, const Workers& workers);

/// The share of tokens whose label in the best labelling changes when the weights are rounded to 16 bits; at
/// most `most` sequences are decoded.
double labels_changed_by_rounding(const ChainWeights& weights, const linear::Dataset& data,
                                  const Workers& workers, size_t most = 1500);

}  // namespace espalier::chain

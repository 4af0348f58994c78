// Probabilities for learners that only promise the right order of scores. Tested in apps/verbs_test.sh.
#pragma once

#include "espalier/base/parallel.h"
#include "espalier/chain/weights.h"
#include "espalier/linear/dataset.h"
#include "espalier/linear/kernel_model.h"

namespace espalier::chain {

/// The temperature τ for which P(y|x) ∝ exp(score(x, y)/τ) gives the held-out labellings the highest
/// likelihood. Sequences that are not fully labelled are passed over; at most `most` are looked at. 1 where
/// nothing is left.
double fit_temperature(const ChainWeights& weights, const linear::Dataset& held_out, const Workers& workers,
                       size_t most = 1000);

/// The same for a kernel machine, whose tokens stand alone.
double fit_temperature(const linear::KernelModel& kernel, const linear::Dataset& held_out,
                       size_t most_tokens = 5000);

/// Rounds weights as a model file that stores them in 16 bits would.
void round_to_16_bits(AlignedVector<float>& weights, const Workers& workers);

/// The share of tokens whose label in the best labelling changes when the weights are rounded to 16 bits as
/// the model file would store them; at most `most` sequences are looked at.
double labels_changed_by_rounding(const ChainWeights& weights, const linear::Dataset& data,
                                  const Workers& workers, size_t most = 1500);

}  // namespace espalier::chain

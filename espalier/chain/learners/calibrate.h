// After training: the temperature that turns the scores of a margin learner into probabilities, and the
// effect of storing weights in 16 bits.
#pragma once

#include <span>

#include "espalier/base/parallel.h"
#include "espalier/base/progress.h"
#include "espalier/chain/weights.h"
#include "espalier/linear/classifiers/kernel_model.h"
#include "espalier/linear/encoding/dataset.h"

namespace espalier::chain {

/// What a look at the data after training may cost, in steps from one label to another (K² for each token): a
/// few seconds. With hundreds of labels the samples below get smaller.
inline constexpr double kMostSteps = 2e9;

/// The temperature τ for which P(y|x) ∝ exp(score(x, y)/τ) gives the held-out labellings the highest
/// likelihood. Sequences that are not fully labelled are skipped; at most `most` are used, and of many labels
/// fewer. Returns 1 if none is left, or the monitor asks to stop.
double fit_temperature(const ChainWeights& weights, const linear::Dataset& held_out, const Workers& workers,
                       size_t most = 1000, const Monitor& monitor = {}, double steps = kMostSteps);

/// The same for a kernel machine, which labels each token by itself.
double fit_temperature(const linear::KernelModel& kernel, const linear::Dataset& held_out,
                       size_t most_tokens = 5000);

/// Rounds weights as a model file with 16-bit weights does.
void round_to_16_bits(std::span<float> weights, const Workers& workers);

/// The share of tokens whose label in the best labelling changes when the weights are rounded to 16 bits; at
/// most `most` sequences are decoded, and of many labels fewer. Returns 1, for "not known", if the monitor
/// asks to stop or no sequence is short enough. Of several ranks, rank 0 finds out, for sequences of all of
/// them; others get 0.
double labels_changed_by_rounding(const ChainWeights& weights, const linear::Dataset& data,
                                  const Workers& workers, size_t most = 1500, const Monitor& monitor = {},
                                  double steps = kMostSteps, const Team& team = Team());

}  // namespace espalier::chain

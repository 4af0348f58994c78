// Losses of one sequence and their gradients with respect to its scores. Learners add them up over a batch
// and pass them on to the weights.
#pragma once

#include <span>

#include "espalier/chain/learners/batch.h"
#include "espalier/chain/learners/restriction.h"

namespace espalier::chain {

/// −log P(gold | x) = log Z − score(gold). Gradient: posterior probability minus gold indicator. Unknown
/// labels are summed out: the loss is then log Z − log Z restricted to the labellings that agree with the
/// known labels. A token is active if the gradient of some label exceeds `ignore`. With a restriction, log Z
/// sums over the allowed labellings only.
double log_loss_gradient(SequenceScores& scores, std::span<const data::Label> gold, ChainScratch& scratch,
                         const TransitionPotentials& potentials, float ignore, ScoreGradient out,
                         const Restriction* restriction = nullptr, size_t sequence = 0);

/// Σ_t −log P(gold_t | gold_{t−1}, x): each position is normalised by itself (MEMM; without transitions,
/// independent logistic regressions). Positions whose own label is unknown are left out, and with transitions
/// also those whose previous label is unknown.
double local_log_loss_gradient(const SequenceScores& scores, std::span<const data::Label> gold,
                               bool transitions, float ignore, ScoreGradient out);

/// Indicator of `predicted` minus indicator of `gold`, at the positions and pairs where they differ: the
/// direction of a perceptron step. The caller must have completed unknown gold labels. Returns the number of
/// positions that differ.
double structure_difference(const ChainScores& scores, std::span<const data::Label> gold,
                            std::span<const data::Label> predicted, ScoreGradient out);

/// The best labelling that agrees with the known gold labels; the gold labelling itself if all are known.
/// With a restriction, the best of the allowed labellings.
void complete_gold(SequenceScores& scores, std::span<const data::Label> gold, ChainScratch& scratch,
                   std::vector<data::Label>& completed, const Restriction* restriction = nullptr,
                   size_t sequence = 0);

}  // namespace espalier::chain

// Losses of one sequence and their gradients with respect to its scores.
#pragma once

#include <span>

#include "espalier/chain/learners/batch.h"
#include "espalier/chain/learners/restriction.h"

namespace espalier::chain {

/// −log P(gold | x) = log Z − score(gold). Gradient: posterior probability minus gold indicator. Tokens whose
/// label is not known are summed over: the loss is then log Z − log Z restricted to labellings that agree
/// with what is known. A token is active where some label's gradient exceeds `ignore`. With a restriction,
/// log Z is that of the labellings that may be.
double log_loss_gradient(SequenceScores& scores, std::span<const data::Label> gold, ChainScratch& scratch,
                         const TransitionPotentials& potentials, float ignore, ScoreGradient out,
                         const Restriction* restriction = nullptr, size_t sequence = 0);

/// Σ_t −log P(gold_t | gold_{t−1}, x): each position normalised by itself (MEMM; with no transitions,
/// independent logistic regressions). Positions whose own or previous label is not known are left out (the
/// latter only where there are transitions).
double local_log_loss_gradient(const SequenceScores& scores, std::span<const data::Label> gold,
                               bool transitions, float ignore, ScoreGradient out);

/// Indicator of `predicted` minus indicator of `gold`, at the positions and pairs where they differ: what the
/// perceptron steps along. Unknown gold labels must have been completed by the caller. Returns the number of
/// positions that differ.
double structure_difference(const ChainScores& scores, std::span<const data::Label> gold,
                            std::span<const data::Label> predicted, ScoreGradient out);

/// The best labelling that agrees with what is known of the gold labels: gold itself where all of it is. With
/// a restriction, the best of those that may be.
void complete_gold(SequenceScores& scores, std::span<const data::Label> gold, ChainScratch& scratch,
                   std::vector<data::Label>& completed, const Restriction* restriction = nullptr,
                   size_t sequence = 0);

}  // namespace espalier::chain

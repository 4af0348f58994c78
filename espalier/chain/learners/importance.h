// How much sequences and labels count in training, in the same way for every learner: sequence weights scale
// the gradient, label weights the cost of a mistake. Tested in learners_test.cc.
#pragma once

#include <span>

#include "espalier/chain/learners/batch.h"

namespace espalier::chain {

/// The number of tokens on all ranks, each counted by its sequence's weight. Objectives are reported per such
/// token.
double counted_tokens(const linear::Dataset& data);

/// A gradient in which sequence s counts data.weight[s] times: loss and gradient are multiplied. A weight of
/// 0 leaves the sequence out. `data` and whatever `inner` refers to must outlive the result.
BatchRunner::Gradient counting_copies(const linear::Dataset& data, BatchRunner::Gradient inner);

/// Raises the scores of the wrong labels of every token by what a mistake there costs beyond `base`:
///   node[t][y] += label_weight[gold_t] − base  for y ≠ gold_t  (no weights: all 1),
/// so that a learner gives costly labels a wider margin. Log losses become the softmax-margin of Gimpel and
/// Smith (2010) with base 1; with base 0 this is the loss augmentation of the structured SVM, its Hamming
/// loss weighted by label. Tokens with an unknown label cost nothing.
void add_costs(SequenceScores& scores, std::span<const data::Label> gold, std::span<const float> label_weight,
               float base);

}  // namespace espalier::chain

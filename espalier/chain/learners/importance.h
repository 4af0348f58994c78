// How much sequences and labels count in training: the same meaning for every learner. Tested in
// learners_test.cc.
#pragma once

#include <span>

#include "espalier/chain/learners/batch.h"

namespace espalier::chain {

/// Tokens, each counted as often as its sequence's weight says: what objectives are reported per.
double counted_tokens(const linear::Dataset& data);

/// A gradient in which sequence s stands for data.weight[s] copies of itself: loss and gradient are
/// multiplied. A weight of 0 takes the sequence out. `data` and what `inner` refers to must outlive the
/// result.
BatchRunner::Gradient counting_copies(const linear::Dataset& data, BatchRunner::Gradient inner);

/// Raises the scores of the wrong labels of every token by what a mistake there costs beyond `base`:
///   node[t][y] += label_weight[gold_t] − base  for y ≠ gold_t  (no weights: all 1),
/// so that a learner sees mistakes on costly labels as closer than they are and buys them a wider margin. Log
/// losses become the softmax-margin of Gimpel and Smith (2010) with base 1; with base 0 this is the loss
/// augmentation of the structured SVM, its Hamming loss weighted by label. Tokens whose label is not known
/// cost nothing.
void add_costs(SequenceScores& scores, std::span<const data::Label> gold, std::span<const float> label_weight,
               float base);

}  // namespace espalier::chain

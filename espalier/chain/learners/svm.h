// The structured support vector machine, trained by block-coordinate Frank–Wolfe. Call train_svm.
#pragma once

#include <functional>

#include "espalier/chain/learners/round.h"

namespace espalier::chain {

/// How far training is from the optimum. Both values are in units of the loss, over the whole data: primal =
/// |w|²/2C + Σ hinge, dual = Σ loss of the dual labellings − |w|²/2C, and the optimum lies between them.
struct DualityGap {
  int pass = 0;
  double primal = 0, dual = 0;
  double per_sequence = 0;  ///< (primal − dual) / sequences, each counted by its weight
};

struct SvmOptions {
  double c = 0.2;  ///< C: the weight of the loss compared with |w|²/2
  int passes = 15;
  double tolerance = 0.01;  ///< stops when the gap per sequence is below this: a hundredth of a mistake
  int gap_every =
      5;  ///< passes between two measurements of the gap, each a decoding of all the data; 0: none
  bool average = true;  ///< use the weights averaged over all steps, step k with weight k
  std::function<void(const DualityGap&)> gap_measured = {};
};

/// Minimises |w|²/2 + C·Σ_i hinge_i with hinge_i = max_y [loss(y) + score(y)] − score(gold) and the Hamming
/// loss, a mistake on a label costing its label_weight (margin rescaling). Under a restriction, y runs over
/// the allowed labellings, and soft constraints are subtracted from both scores. In the notation of
/// Lacoste-Julien, Jaggi, Schmidt and Pletscher (2013), λ = 1/(C·n), and the whole objective is multiplied by
/// C·n.
///
/// A block is a sequence, or a token where labels do not interact (a multi-class SVM). One step decodes a
/// block with the loss added to the scores and moves its dual labelling towards the answer as far as the
/// exact line search says; steps are sequential, so threads are used only to measure the gap and never change
/// the result. With a warm start, |w − start|² takes the place of |w|².
///
/// Unknown labels are completed by the best labelling under the current weights before every step on their
/// sequence, and cost nothing themselves (a latent SVM; the gap is then that of the last completion). The
/// objective reported is the primal per token, with hinges as measured during the pass. An error if the saved
/// state is from another kind of run.
Result<ChainWeights> train_svm(TrainingContext context, const SvmOptions& options);

}  // namespace espalier::chain

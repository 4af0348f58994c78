// Follow the perturbed leader (FPL) over path experts, with any expert allowed in any slot, and its batch
// hypotheses.
//
// Call learn_fpl; automaton_learning.h has it for paths of a given automaton. Three passes, linear in items ×
// experts.
#pragma once

#include <cstddef>

#include "espalier/base/progress.h"
#include "espalier/base/random.h"
#include "espalier/base/result.h"
#include "espalier/ensemble/methods/weight_table.h"
#include "espalier/ensemble/votes/votes.h"

namespace espalier::ensemble {

struct FplOptions {
  double epsilon = 0;  ///< perturbations are uniform in [0, 1/ε]; 0 takes the paper's 0.5 / (p · l)
  double delta = 0.05;
  double loss_bound = 1;
  uint64_t seed = 1;
};

struct FplResult {
  size_t rounds = 0;
  double epsilon = 0;
  double mean_loss = 0;     ///< of the paths as they were played
  size_t suffix_begin = 0;  ///< of H_FPL, from 0
  double gamma = 0;
  WeightTable fpl;      ///< how often each expert was taken in each slot in the suffix: its plurality vote
  size_t cv_round = 0;  ///< of H_FPL-CV
  double cv_value = 0;
  WeightTable fpl_cv;  ///< the one path: weight 1 for its expert in each slot
};

/// Kalai and Vempala (2005) for paths: with c(k, j) the errors of expert j in slot k so far, each round draws
/// new q(k, j) ~ U[0, 1/ε] and plays in each slot the expert that minimises c + q. H_FPL is the plurality
/// vote of the paths of the suffix that minimises Γ, H_FPL-CV the single path by the criterion of H_CV
/// (online.h, whose two passes serve here too, after a third that counts the slots). A slot is drawn for in
/// the rounds that use it, and its plurality is over those. Linear in items × p.
///
/// A silent expert is skipped, and charged the mean loss of the others.
Result<FplResult> learn_fpl(VoteSource& source, const FplOptions& options, const Monitor& monitor = {});

}  // namespace espalier::ensemble

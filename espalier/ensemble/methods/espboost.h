// ESPBoost: boosting over path experts (section 4, Algorithm 1).
//
// Call learn_espboost. Two passes, then O(patterns × experts) per round.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "espalier/base/progress.h"
#include "espalier/base/result.h"
#include "espalier/ensemble/automaton/automaton.h"
#include "espalier/ensemble/methods/weight_table.h"
#include "espalier/ensemble/votes/votes.h"

namespace espalier::ensemble {

struct BoostOptions {
  int rounds = 100;
  double edge = 0;  ///< γ: the weak-learning assumption asks for ε_t < ½ − γ
};

struct BoostRound {
  std::vector<uint32_t> path;  ///< the expert taken in each slot
  double error = 0;            ///< ε_t, of those who speak
  double step = 0;             ///< α_t
  double normaliser = 0;       ///< Z_t
};

enum class BoostEnd { kRounds, kWeakLearning, kPerfect, kInterrupted };

struct BoostResult {
  std::vector<BoostRound> rounds;
  BoostEnd end = BoostEnd::kRounds;
  double failed_error = 0;  ///< ε of the best path in the round that did not take place, with kWeakLearning
  double objective = 1;     ///< F(α) = Π_t Z_t, which bounds the loss on the sample (Lemma 3)
  WeightTable table;        ///< Σ_t α_t over the rounds whose path has the expert in the slot
  std::string in_words() const;
};

/// Coordinate descent on F(α) = mean over items of exp(−Σ_t α_t ρ_t), where ρ_t is +1 where the path is
/// right, −1 where it is wrong and 0 where its expert is silent. With W₊, W₋, W₀ the weight under D_t of the
/// three, the step is ½ log(W₊/W₋) and Z_t = W₀ + 2 sqrt(W₊W₋) (Schapire and Singer 1999); without silence
/// that is Algorithm 1. D_t is the same for all items of a slot with the same experts right, so it is kept
/// for patterns, not items.
///
/// Where experts are probabilistic (VoteView::probability), ρ_t is plus or minus the probability and the step
/// is found by a line search (boost_sample.h); ε_t is then the part of Σ D|ρ| that is wrong.
///
/// Under an automaton the paths are its own, and the best one is a shortest path.
///
/// Ends early where no path has ε_t < ½ − γ (the weak-learning assumption fails), or where the first path is
/// never wrong: it is then the only one. Two passes; O(rounds · patterns · p).
Result<BoostResult> learn_espboost(VoteSource& source, const BoostOptions& options,
                                   const Monitor& monitor = {}, const ExpertAutomaton* automaton = nullptr);

/// R̂_ρ: the share of items with known gold whose margin ρ(h̃^k, x_i, y_i) / ‖α‖₁, in [−1, 1], is at most ρ.
/// All sequences have equal weight.
Result<double> margin_loss(VoteSource& source, const WeightTable& table, double rho);

}  // namespace espalier::ensemble

// The methods that others are compared with: forward selection (SLE), simple majority, best single expert.
#pragma once

#include <cstddef>
#include <vector>

#include "espalier/base/progress.h"
#include "espalier/base/result.h"
#include "espalier/ensemble/methods/weight_table.h"
#include "espalier/ensemble/votes/votes.h"

namespace espalier::ensemble {

struct SleOptions {
  int rounds = 100;
};

struct SleResult {
  std::vector<uint32_t> added;  ///< experts in the order of their selection, up to the best prefix
  double error = 0;             ///< of that prefix on the sample
  WeightTable table;            ///< how often each was added; ties go to the earliest added
};

/// Nguyen and Guo (2007): forward selection with replacement, each round the expert whose addition gives the
/// lowest loss of the vote, the best prefix in the end. On a tie the value of the earliest-added expert wins,
/// so a second expert never changes the vote of the first, which is why selection may stay with one (section
/// 5.1). Among experts whose addition is equally good, one that was added before is added again. One pass;
/// O(rounds · patterns · p · values at an item).
Result<SleResult> learn_sle(VoteSource& source, const SleOptions& options, const Monitor& monitor = {});

/// All experts have equal weight everywhere; ties go to the first.
WeightTable majority_table(size_t experts);

/// Losses of the single experts over a stream.
Result<std::vector<HammingMean>> expert_losses(VoteSource& source);

/// The expert with the lowest mean loss (ties go to the first), and the table that follows it. Where it is
/// silent the others have equal weight.
struct BestExpert {
  size_t expert = 0;
  double loss = 0;
  WeightTable table;
};
Result<BestExpert> best_expert(VoteSource& source);
WeightTable single_expert_table(size_t experts, size_t expert);

}  // namespace espalier::ensemble

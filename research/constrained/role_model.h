// Classifiers of roles, trained one by one or through inference.
#pragma once

#include <span>
#include <vector>

#include "espalier/base/parallel.h"
#include "espalier/base/progress.h"
#include "espalier/chain/weights.h"
#include "espalier/linear/dataset.h"
#include "espalier/tasks/structures/roles.h"

namespace espalier::research {

/// Predicates as numbers: sequence s of the data set is predicate s, its tokens the candidates. Those without
/// candidates are left out by the caller.
linear::EncodedTraining encode_roles(std::span<const tasks::RolePredicate> predicates,
                                     const Workers& workers);
/// The same for other predicates, through the features of a training set.
linear::Dataset encode_roles(std::span<const tasks::RolePredicate> predicates,
                             const linear::EncodedTraining& training);
/// A copy with the `features` most frequent features alone.
linear::EncodedTraining most_frequent_features(const linear::EncodedTraining& training, size_t features);

/// How roles are learned and used.
struct RoleTraining {
  const constrain::Constraints* constraints = nullptr;  ///< null: local training; otherwise inference-based
  std::span<const tasks::RolePredicate> predicates;  ///< those encoded, for what constraints say about them
  int passes = 8;
  uint64_t seed = 1;
};

/// The averaged perceptron over candidates: each by itself (Figure 1a), or through the best legal assignment
/// (1b). `note`, where given, gets what training has to say about predicates whose roles break the
/// constraints.
Result<chain::ChainWeights> train_roles(const linear::EncodedTraining& training, const RoleTraining& how,
                                        const Workers& workers, const Monitor& monitor,
                                        std::string* note = nullptr);

/// The roles of a predicate by its scores: the best of each candidate, or with constraints the best
/// assignment. With options.method kInteger this is the integer program; otherwise the exact search.
constrain::Decoded assign_roles(const constrain::Compiled* compiled, const constrain::Instance& instance,
                                const constrain::Scores& scores,
                                const constrain::DecodeOptions& options = {});

}  // namespace espalier::research

// Classifiers of roles for the comparison of training regimes: train_roles() trains each classifier by itself
// or through inference, assign_roles() decodes with or without constraints. The command's own `--task roles`
// does not use this.
#pragma once

#include <span>
#include <vector>

#include "espalier/base/parallel.h"
#include "espalier/base/progress.h"
#include "espalier/chain/weights.h"
#include "espalier/linear/encoding/dataset.h"
#include "espalier/tasks/structures/roles.h"

namespace espalier::research {

/// Encodes predicates: sequence s of the data set is predicate s, its tokens are the candidates. The caller
/// leaves out predicates without candidates.
linear::EncodedTraining encode_roles(std::span<const tasks::RolePredicate> predicates,
                                     const Workers& workers);
/// Encodes other predicates with the features of a training set.
linear::Dataset encode_roles(std::span<const tasks::RolePredicate> predicates,
                             const linear::EncodedTraining& training);
/// A copy with only the `features` most frequent features.
linear::EncodedTraining most_frequent_features(const linear::EncodedTraining& training, size_t features);

/// How roles are learned and applied.
struct RoleTraining {
  const constrain::Constraints* constraints = nullptr;  ///< null: local training; otherwise inference-based
  std::span<const tasks::RolePredicate>
      predicates;  ///< the encoded predicates, which the constraints look at
  int passes = 8;
  uint64_t seed = 1;
};

/// The averaged perceptron over candidates: each by itself (Figure 1a), or through the best legal assignment
/// (1b). `note`, if given, receives what training reports about predicates whose roles violate the
/// constraints.
Result<chain::ChainWeights> train_roles(const linear::EncodedTraining& training, const RoleTraining& how,
                                        const Workers& workers, const Monitor& monitor,
                                        std::string* note = nullptr);

/// The roles of a predicate given its scores: the best of each candidate or, with constraints, the best
/// assignment. options.method kInteger solves the integer program; otherwise an exact search.
constrain::Decoded assign_roles(const constrain::Compiled* compiled, const constrain::Instance& instance,
                                const constrain::Scores& scores,
                                const constrain::DecodeOptions& options = {});

}  // namespace espalier::research

// Searches over sequences under constraints: ConstrainedSearch wraps a SearchPredictor and offers only
// decisions after which the constraints can still be satisfied. legal_training() prepares training in the
// same way. Soft constraints and decisions from right to left are not supported. Tested in
// apps/tests/constraints_test.sh.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "espalier/constrain/constrained_model.h"
#include "espalier/constrain/constrained_predictor.h"
#include "espalier/tasks/search_model.h"
#include "espalier/tasks/spaces/sequence_problem.h"

namespace espalier::tasks {

/// The moves of a search of this plan at a token. Fails for constraints it does not support: soft ones, and
/// any with decisions from right to left, since automata read from the left.
Result<std::vector<constrain::Move>> moves_under(const constrain::Constraints& constraints,
                                                 const DecisionPlan& plan);

/// What constraints allow in each training sequence; null if its gold labels violate them. `note` then says
/// how many sequences and which constraints.
struct LegalTraining {
  std::vector<LegalMoves> legal;
  std::string note;
};
using GoldOf = std::function<std::vector<data::Label>(size_t sequence)>;
Result<LegalTraining> legal_training(const constrain::Constraints& constraints,
                                     std::span<const constrain::Instance> instances,
                                     const std::vector<constrain::Move>& moves, const GoldOf& gold);

/// A search under constraints. If a sequence has no legal labelling, clashing constraints are dropped one by
/// one until there is one, and the outcome says so; with `strict` this is an error. If `seconds` are not
/// enough to find out what is legal, that is an error, too. Whatever is found
/// satisfies the constraints. As with every search it may not be the best labelling; for the same reason the
/// price of a constraint, reported with `why`, may be negative, since the same search without it may find
/// something worse. Refers to the model. Immutable; safe to share between threads.
class ConstrainedSearch final : public constrain::ConstrainedModel {
 public:
  static Result<std::unique_ptr<ConstrainedSearch>> make(const SearchPredictor& model,
                                                         constrain::Constraints constraints, bool why,
                                                         bool strict, double seconds = 10);

  Status predict(const data::Sequence& sequence, std::span<const data::Label> forced,
                 const data::PredictOptions& options, Scratch& scratch, data::Prediction& out) const override;

  /// Explains the decisions made under the constraints.
  Explained explain_forced(const data::Sequence& sequence, std::span<const data::Label> forced,
                           Scratch& scratch) const override;

 private:
  /// What the constraints allow in a sequence; if nothing, or if there are too many states or too little time
  /// to find out, what those of them allow that go together, the first in the file first.
  Result<constrain::Completion> find_legal(const data::Sequence& sequence,
                                           const constrain::Instance& instance,
                                           std::span<const data::Label> forced, Deadline deadline,
                                           data::ConstraintEffect& effect) const;
  ConstrainedSearch(const SearchPredictor& model, constrain::Constraints constraints, bool why, bool strict,
                    double seconds, std::vector<constrain::Move> moves);

  const SearchPredictor& model_;
  bool why_, strict_;
  double seconds_;  ///< for finding out what a sequence's constraints allow
  std::vector<constrain::Move> moves_;
};

}  // namespace espalier::tasks

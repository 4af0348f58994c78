// Searches over sequences that keep to constraints: decisions that no completion can mend are not offered.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "espalier/constrain/constrained_predictor.h"
#include "espalier/data/wrapped_predictor.h"
#include "espalier/tasks/search_model.h"
#include "espalier/tasks/spaces/sequence_problem.h"

namespace espalier::tasks {

/// What a search of this shape does at a token. Fails where it cannot keep to the constraints: soft ones have
/// no place in it, and decisions from right to left cannot be followed by automata that read from the left.
Result<std::vector<constrain::Move>> moves_under(const constrain::Constraints& constraints,
                                                 const SequenceShape& shape);

/// What constraints leave of each training sequence; null where the labels that are to be learned break them.
/// `note` then says how many, and which constraints.
struct LegalTraining {
  std::vector<LegalMoves> legal;
  std::string note;
};
using GoldOf = std::function<std::vector<data::Label>(size_t sequence)>;
Result<LegalTraining> legal_training(const constrain::Constraints& constraints,
                                     std::span<const constrain::Instance> instances,
                                     const std::vector<constrain::Move>& moves, const GoldOf& gold);

/// A search under constraints when it is used. Sequences without a legal labelling get the one that is found
/// when clashing constraints are left out one by one, with an outcome that says so; with `strict` they are an
/// error. Whatever is found satisfies the constraints; as every search, it may not be the best, and for the
/// same reason the price of a constraint, told with `why`, may be below zero: without it the same search may
/// go astray. Refers to the model. Immutable, any number of threads.
class ConstrainedSearch final : public data::WrappedPredictor {
 public:
  static Result<std::unique_ptr<ConstrainedSearch>> make(const SearchPredictor& model,
                                                         constrain::Constraints constraints, bool why,
                                                         bool strict);

  Status predict(const data::Sequence& sequence, std::span<const data::Label> forced,
                 const data::PredictOptions& options, Scratch& scratch, data::Prediction& out) const override;

  /// Explains the decisions taken under the constraints.
  Result<std::vector<Explanation>> explain(const data::Sequence& sequence, Scratch& scratch) const override;
  std::string about_constraints() const override;

  const constrain::Compiled& compiled() const { return compiled_; }

 private:
  /// What the constraints leave of a sequence; where that is nothing, what they leave without those that clash.
  Result<constrain::Completion> find_legal(const data::Sequence& sequence, const constrain::Instance& instance,
                                           std::span<const data::Label> forced,
                                           data::ConstraintEffect& effect) const;
  ConstrainedSearch(const SearchPredictor& model, constrain::Constraints constraints, bool why, bool strict,
                    std::vector<constrain::Move> moves);

  const SearchPredictor& model_;
  constrain::Compiled compiled_;
  bool why_, strict_;
  std::vector<constrain::Move> moves_;
  std::vector<constrain::Compiled> without_;  ///< each constraint left out, where reasons are wanted
};

}  // namespace espalier::tasks

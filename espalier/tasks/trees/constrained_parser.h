// A parser under constraints: wraps a TreePredictor and keeps to TreeRules.
// Tested in tree_rules_test.cc and apps/tests/parse_test.sh.
#pragma once

#include <memory>

#include "espalier/data/wrapped_predictor.h"
#include "espalier/tasks/trees/tree_model.h"
#include "espalier/tasks/trees/tree_rules.h"

namespace espalier::tasks {

/// The parser must outlive this. Immutable; any number of threads.
/// Prediction::constraints tells which sentences break a rule all the same
/// (Outcome::kInfeasible, although another search might have kept it).
class ConstrainedParser final : public data::WrappedPredictor {
 public:
  /// `strict`: a sentence whose tree breaks a rule is an error.
  static Result<std::unique_ptr<ConstrainedParser>> make(const TreePredictor& parser, TreeRules rules,
                                                         bool strict);
  Status predict(const data::Sequence& sequence, std::span<const data::Label> forced,
                 const data::PredictOptions& options, Scratch& scratch, data::Prediction& out) const override;
  Explained explain_forced(const data::Sequence& sequence, std::span<const data::Label> forced,
                           Scratch& scratch) const override;
  std::string about_constraints() const override { return rules_.about(); }

 private:
  ConstrainedParser(const TreePredictor& parser, TreeRules rules, bool strict)
      : WrappedPredictor(parser), parser_(parser), rules_(std::move(rules)), strict_(strict) {}

  const TreePredictor& parser_;
  TreeRules rules_;
  bool strict_;
};

}  // namespace espalier::tasks

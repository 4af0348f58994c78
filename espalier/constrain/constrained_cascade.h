// A cascade under constraints: wraps a CascadePredictor and decodes among the labellings that the constraints
// allow. Only for regular constraints. Tested in apps/tests/constraints_test.sh.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "espalier/cascade/model/model.h"
#include "espalier/constrain/constrained_lattice.h"
#include "espalier/constrain/constrained_model.h"
#include "espalier/constrain/constrained_predictor.h"

namespace espalier::constrain {

/// Wraps a cascade, which must outlive it. The lattice of label n-grams that the filters leave is intersected
/// with the constraints, and its best path is the answer. If the filters left no allowed path, they are
/// relaxed step by step, at last to no filtering at all; the outcome is then kApproximate. If there is still
/// none, the answer is the labelling with the fewest violations (kInfeasible), or with `strict` an error. A
/// lattice that is not ready in time is an error, too.
/// Immutable; any number of threads.
class ConstrainedCascade final : public ConstrainedModel {
 public:
  static Result<std::unique_ptr<ConstrainedCascade>> make(const cascade::CascadePredictor& model,
                                                          Constraints constraints, bool why, bool strict,
                                                          double seconds = 10);

  Status predict(const data::Sequence& sequence, std::span<const data::Label> forced,
                 const data::PredictOptions& options, Scratch& scratch, data::Prediction& out) const override;

  /// Explains the labelling found under the constraints.
  Explained explain_forced(const data::Sequence& sequence, std::span<const data::Label> forced,
                           Scratch& scratch) const override;

 private:
  ConstrainedCascade(const cascade::CascadePredictor& model, Constraints constraints, bool why, bool strict,
                     double seconds);
  Result<data::ConstraintEffect> find_lattice(const data::Sequence& sequence, const Instance& instance,
                                              std::span<const data::Label> forced, Deadline deadline,
                                              Scratch& scratch, ConstrainedLattice& product) const;

  const cascade::CascadePredictor& model_;
  bool why_, strict_;
  double seconds_;  ///< per sequence
};

}  // namespace espalier::constrain

// A cascade that obeys constraints when it is used. Tested in apps/constraints_test.sh.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "espalier/cascade/model.h"
#include "espalier/constrain/constrained_lattice.h"
#include "espalier/constrain/constrained_predictor.h"
#include "espalier/data/wrapped_predictor.h"

namespace espalier::constrain {

/// Wraps a cascade, which must outlive it. The lattice that the filters leave, of label n-grams, is
/// intersected with the constraints, and its best path is the answer. Where the filters have left no legal
/// path, they are loosened step by step until there is one, at the last nothing is filtered; the outcome is
/// then kApproximate. Where even so there is none, the labelling that breaks the rules least often is the
/// answer (kInfeasible), or with `strict` an error. Rules must be regular. Immutable, any number of threads.
class ConstrainedCascade final : public data::WrappedPredictor {
 public:
  static Result<std::unique_ptr<ConstrainedCascade>> make(const cascade::CascadePredictor& model,
                                                          Constraints constraints, bool why, bool strict);

  Status predict(const data::Sequence& sequence, std::span<const data::Label> forced,
                 const data::PredictOptions& options, Scratch& scratch, data::Prediction& out) const override;

  const Compiled& compiled() const { return compiled_; }

 private:
  ConstrainedCascade(const cascade::CascadePredictor& model, Constraints constraints, bool why, bool strict);
  Result<data::ConstraintEffect> find_lattice(const data::Sequence& sequence, const Instance& instance,
                                              std::span<const data::Label> forced, Scratch& scratch,
                                              ConstrainedLattice& product) const;

  const cascade::CascadePredictor& model_;
  Compiled compiled_;
  bool why_, strict_;
  std::vector<Compiled> without_;  ///< each constraint left out, where reasons are wanted
};

}  // namespace espalier::constrain

// What every model under constraints is made of: the model that it wraps, the compiled constraints, and what
// it takes to give reasons. Derive from it and implement predict() and explain_forced(). Tested in
// constrained_predictor_test.cc.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "espalier/constrain/effect.h"
#include "espalier/data/wrapped_predictor.h"

namespace espalier::constrain {

/// The wrapped model must outlive this.
class ConstrainedModel : public data::WrappedPredictor {
 public:
  std::string about_constraints() const override {
    return compiled_.describe() + "decoder: " + decoder_ + "\n";
  }
  const Compiled& compiled() const { return compiled_; }

 protected:
  /// `why`: reasons are wanted. `decoder`: what finds the labellings, in words.
  ConstrainedModel(const data::Predictor& model, Constraints constraints, bool why, std::string decoder)
      : WrappedPredictor(model), compiled_(std::move(constraints)), decoder_(std::move(decoder)) {
    if (why) without_ = each_left_out(compiled_.constraints());
  }

  Compiled compiled_;
  std::vector<Compiled> without_;  ///< the constraints without each in turn, if reasons are wanted
  std::string decoder_;
};

}  // namespace espalier::constrain

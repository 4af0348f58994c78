// A chain model that obeys constraints when it is used: learning + inference.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "espalier/chain/model/model.h"
#include "espalier/constrain/decode.h"
#include "espalier/data/wrapped_predictor.h"

namespace espalier::constrain {

/// What the rules see of a sequence that was read.
using InstanceMaker = std::function<Instance(const Constraints& constraints, const data::Sequence& sequence)>;
/// Rows with cells, no spans: what every token task has.
Instance instance_of_rows(const Constraints& constraints, const data::Sequence& sequence);

struct ConstrainedOptions {
  DecodeOptions decode;
  bool why = false;     ///< fill in which constraint changed which token
  bool strict = false;  ///< an instance without a legal labelling, or out of time, is an error
};

/// Wraps a chain model, which must outlive it. Constraints that are local cost next to nothing: what
/// neighbours may not be is −∞ among the model's own transitions, made once. Others go through a lattice, a
/// search or an integer program (decode.h); how each sequence ended is in Prediction::constraints. Immutable,
/// any number of threads.
///
/// Confidences and marginals are those among the labellings that are allowed. The posterior decoder does not
/// go with constraints (label by label there is nothing to constrain); n-best lists and probabilities need
/// rules that are regular.
class ConstrainedPredictor final : public data::WrappedPredictor {
 public:
  ConstrainedPredictor(const chain::ChainPredictor& model, Constraints constraints,
                       ConstrainedOptions options, InstanceMaker instance = instance_of_rows);

  Status predict(const data::Sequence& sequence, std::span<const data::Label> forced,
                 const data::PredictOptions& options, Scratch& scratch, data::Prediction& out) const override;

  const Compiled& compiled() const { return compiled_; }
  /// In words: how each constraint is decoded, and by what.
  std::string describe() const;

 private:
  Status predict_by_lattice(const Instance& instance, const Scores& scores,
                            const data::PredictOptions& options, data::Prediction& out) const;
  Status settle(const data::Sequence& sequence, const Instance& instance, const Scores& scores, Decoded found,
                data::Prediction& out) const;
  void add_reasons(const Instance& instance, const Scores& scores, data::Prediction& out) const;
  bool fast_path(const data::PredictOptions& options) const;

  const chain::ChainPredictor& model_;
  Compiled compiled_;
  ConstrainedOptions options_;
  InstanceMaker instance_;
  AlignedVector<float> trans_;     ///< the model's transitions less what local rules cost
  std::vector<Compiled> without_;  ///< each constraint left out, where reasons are wanted
};

}  // namespace espalier::constrain

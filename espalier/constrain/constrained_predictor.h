// A chain model under constraints (learning, then inference): wraps a ChainPredictor and returns the best
// labelling that the constraints allow.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "espalier/chain/model/model.h"
#include "espalier/constrain/constrained_model.h"
#include "espalier/constrain/decode.h"

namespace espalier::constrain {

/// Makes the rules' view of a sequence.
using InstanceMaker = std::function<Instance(const Constraints& constraints, const data::Sequence& sequence)>;
/// The default, for token tasks: rows with cells, no spans.
Instance instance_of_rows(const Constraints& constraints, const data::Sequence& sequence);

struct ConstrainedOptions {
  DecodeOptions decode;
  bool why = false;     ///< report which constraint changed which token
  bool strict = false;  ///< an instance without an allowed labelling, or out of time, is an error
};

/// Wraps a chain model, which must outlive it. Local constraints cost almost nothing: forbidden neighbours
/// become −∞ in a copy of the model's transitions, made once. Others are decoded by a lattice, a search or an
/// integer program (decode.h); Prediction::constraints tells the outcome for each sequence. Immutable; any
/// number of threads.
///
/// Confidences and marginals are those among the allowed labellings. The posterior decoder is not supported,
/// because it chooses each label by itself. N-best lists and probabilities need regular rules.
class ConstrainedPredictor final : public ConstrainedModel {
 public:
  ConstrainedPredictor(const chain::ChainPredictor& model, Constraints constraints,
                       ConstrainedOptions options, InstanceMaker instance = instance_of_rows);

  Status predict(const data::Sequence& sequence, std::span<const data::Label> forced,
                 const data::PredictOptions& options, Scratch& scratch, data::Prediction& out) const override;

  /// Explains the labelling found under the constraints.
  Explained explain_forced(const data::Sequence& sequence, std::span<const data::Label> forced,
                           Scratch& scratch) const override;

 private:
  Status predict_by_lattice(const Instance& instance, const Scores& scores,
                            const data::PredictOptions& options, const DecodeOptions& how,
                            data::Prediction& out) const;
  Status settle(const data::Sequence& sequence, const Instance& instance, const Scores& scores, Decoded found,
                const DecodeOptions& how, data::Prediction& out) const;
  void add_reasons(const Instance& instance, const Scores& scores, const DecodeOptions& how,
                   data::Prediction& out) const;
  bool fast_path(const data::PredictOptions& options) const;

  const chain::ChainPredictor& model_;
  ConstrainedOptions options_;
  InstanceMaker instance_;
  AlignedVector<float> trans_;  ///< the model's transitions minus local penalties
};

}  // namespace espalier::constrain

// A committee: several models of the same labels, whose probabilities are averaged.
//
// learners/committee.cc trains one, save_committee writes it, CommitteePredictor::load opens it. Each member
// says how probable labels and segments are (Opinion); the weighted mean of that decides (pool). Where labels
// are segments the answer is the set of segments with the largest expected F1 (data/segment_choice.h),
// otherwise the most probable label of each token. Calibrated probabilities, n-best lists, forced labels and
// constraints come from a chain over the mean probabilities, which was trained on sentences that the members
// had not seen. Tested in committee_test.cc.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "espalier/base/files/section_file.h"
#include "espalier/chain/model/model.h"
#include "espalier/constrain/constrained_predictor.h"
#include "espalier/data/label_scheme.h"
#include "espalier/data/predictor.h"
#include "espalier/model/committee/committee_members.h"
#include "espalier/model/model.h"

namespace espalier::model {

/// A member of a committee: its name in explanations, and its model file.
struct CommitteeMember {
  std::string name;
  std::vector<std::byte> model;
};
void save_committee(std::span<const CommitteeMember> members, std::span<const double> weights,
                    data::Scheme scheme, std::span<const std::byte> chain, SectionWriter& out);

/// The bytes of an open model's file.
std::vector<std::byte> bytes_of(const Model& model);

/// The committee behind data::Predictor. Costs the sum of its members. Immutable; thread-safe. Holds views of
/// the section file, which must outlive it.
class CommitteePredictor final : public data::Predictor {
 public:
  static Result<std::unique_ptr<CommitteePredictor>> load(const SectionFile& file);
  /// The same committee under constraints on its labels. It refers to this one, which must outlive it.
  std::unique_ptr<data::Predictor> under(constrain::Constraints rules,
                                         const constrain::ConstrainedOptions& options,
                                         constrain::InstanceMaker instances) const;

  data::Scheme scheme() const { return core_->scheme; }
  const data::LabelSet& labels() const override { return decider_->labels(); }
  std::unique_ptr<Scratch> make_scratch() const override;
  Status predict(const data::Sequence& sequence, std::span<const data::Label> forced,
                 const data::PredictOptions& options, Scratch& scratch, data::Prediction& out) const override;
  Explained explain_forced(const data::Sequence& sequence, std::span<const data::Label> forced,
                           Scratch& scratch) const override;
  StrongestWeights strongest(size_t how_many, std::optional<data::Label> only) const override;
  std::vector<WeightedTransition> weighted_transitions() const override;
  Size size() const override;
  std::string about_weights() const override {
    return "weights of the mean probabilities, by which labellings are ranked";
  }
  std::string about_constraints() const override { return decider_->about_constraints(); }
  std::string details() const override;

 private:
  struct Core {
    std::vector<std::string> names;
    std::vector<double> weights;
    data::Scheme scheme = data::Scheme::kNone;
    std::vector<Model> members;
    Model chain;
  };
  struct Buffers;
  CommitteePredictor(std::shared_ptr<const Core> core, const data::Predictor& decider,
                     std::unique_ptr<const data::Predictor> constrained);
  std::shared_ptr<const Core> core_;
  std::unique_ptr<const data::Predictor> constrained_;  ///< null: decider_ is the chain itself
  const data::Predictor* decider_;
  /// Fills in the labels that the members choose, with what was asked for about them.
  Status answer(const data::PredictOptions& options, Buffers& b, data::Prediction& out) const;
  Members members_;
};

}  // namespace espalier::model

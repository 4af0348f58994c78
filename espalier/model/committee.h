// A committee: several models of the same labels, and a chain that decides from what they say.
//
// learners/committee.cc trains one, save_committee writes it, CommitteePredictor::load opens it. The members
// label a sequence; VoteMaker turns their labels and probabilities into attributes of a sequence ("svm says
// B-NP"); the chain, trained on the answers of members that had not seen the sentence, labels that. So a
// committee has the probabilities, n-best lists, forced labels and constraints of a chain, and explains its
// labels by what each member said. Tested in committee_test.cc.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "espalier/base/section_file.h"
#include "espalier/chain/model/model.h"
#include "espalier/constrain/constrained_predictor.h"
#include "espalier/data/predictor.h"
#include "espalier/model/model.h"

namespace espalier::model {

/// What the members say about a sequence, as a sequence with attributes. Immutable; one scratch per thread.
class VoteMaker {
 public:
  struct Voter {
    std::string name;
    const Model* model;
  };
  struct Scratch {
    std::vector<std::unique_ptr<data::Predictor::Scratch>> members;
    std::vector<data::Prediction> said;
    std::string name, all;
  };
  explicit VoteMaker(std::vector<Voter> voters) : voters_(std::move(voters)) {}
  Scratch make_scratch() const;
  /// `with_cells`: the cells are copied, too, for constraints that read them. Labels are always.
  Status vote(const data::Sequence& sequence, bool with_cells, Scratch& scratch, data::Sequence& out) const;

 private:
  std::vector<Voter> voters_;
};

/// A member of a committee: its name in explanations, and its model file.
struct CommitteeMember {
  std::string name;
  std::vector<std::byte> model;
};
void save_committee(std::span<const CommitteeMember> members, std::span<const std::byte> chain,
                    SectionWriter& out);

/// The bytes of an open model's file.
std::vector<std::byte> bytes_of(const Model& model);

/// The committee behind data::Predictor. Costs the sum of its members. Immutable; thread-safe.
class CommitteePredictor final : public data::Predictor {
 public:
  static Result<std::unique_ptr<CommitteePredictor>> load(const SectionFile& file);
  /// The same committee under constraints on its labels. It refers to this one, which must outlive it.
  std::unique_ptr<data::Predictor> under(constrain::Constraints rules,
                                         const constrain::ConstrainedOptions& options,
                                         constrain::InstanceMaker instances) const;

  const data::LabelSet& labels() const override { return decider_->labels(); }
  std::unique_ptr<Scratch> make_scratch() const override;
  Status predict(const data::Sequence& sequence, std::span<const data::Label> forced,
                 const data::PredictOptions& options, Scratch& scratch, data::Prediction& out) const override;
  Explained explain_forced(const data::Sequence& sequence, std::span<const data::Label> forced,
                           Scratch& scratch) const override;
  StrongestWeights strongest(size_t how_many, std::optional<data::Label> only) const override;
  std::vector<WeightedTransition> weighted_transitions() const override;
  Size size() const override;
  std::string about_weights() const override { return "weights of what the members say"; }
  std::string about_constraints() const override { return decider_->about_constraints(); }
  std::string details() const override;

 private:
  struct Core {
    std::vector<std::string> names;
    std::vector<Model> members;
    Model chain;
  };
  struct Buffers;
  CommitteePredictor(std::shared_ptr<const Core> core, const data::Predictor& decider,
                     std::unique_ptr<const data::Predictor> constrained);
  std::shared_ptr<const Core> core_;
  std::unique_ptr<const data::Predictor> constrained_;  ///< null: decider_ is the chain itself
  const data::Predictor* decider_;
  VoteMaker votes_;
};

}  // namespace espalier::model

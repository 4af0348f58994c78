#include "espalier/model/committee.h"

#include <nlohmann/json.hpp>

namespace espalier::model {

using data::Label;

namespace {

constexpr std::string_view kCommitteeSection = "committee";
/// Probabilities below this are left out of the votes.
constexpr float kLeastProbability = 0.005f;
constexpr size_t kMostMembers = 32;

std::string member_section(size_t member) { return fmt::format("member{}", member + 1); }

}  // namespace

std::vector<std::byte> bytes_of(const Model& model) {
  SectionWriter out;
  for (const SectionFile::Entry& entry : model.file().entries()) out.add(entry.name, entry.bytes);
  return out.to_bytes();
}

VoteMaker::Scratch VoteMaker::make_scratch() const {
  Scratch scratch;
  for (const Voter& voter : voters_) scratch.members.push_back(voter.model->predictor().make_scratch());
  scratch.said.resize(voters_.size());
  return scratch;
}

Status VoteMaker::vote(const data::Sequence& sequence, bool with_cells, Scratch& scratch,
                       data::Sequence& out) const {
  for (size_t m = 0; m < voters_.size(); ++m) {
    const data::Predictor& member = voters_[m].model->predictor();
    data::PredictOptions options;
    options.marginals = !member.is_search();
    ESPALIER_TRY(member.predict(sequence, {}, options, *scratch.members[m], scratch.said[m]));
  }
  out.clear(with_cells ? sequence.columns() : 0);
  std::string& name = scratch.name;
  for (size_t t = 0; t < sequence.length(); ++t) {
    out.begin_row(with_cells ? sequence.raw(t) : std::string_view(), sequence.line(t));
    for (size_t c = 0; with_cells && c < sequence.columns(); ++c) out.add_cell(sequence.cell(t, c));
    scratch.all = "all say";
    for (size_t m = 0; m < voters_.size(); ++m) {
      const data::LabelSet& labels = voters_[m].model->labels();
      const std::vector<Label>& said = scratch.said[m].labels();
      const auto add = [&](std::string_view what, Label label, float value) {
        name.assign(voters_[m].name);
        name += what;
        name += labels.name(label);
        out.add_attribute(name, value);
      };
      add(" says ", said[t], 1);
      if (t > 0) add(" before: ", said[t - 1], 1);
      if (t + 1 < said.size()) add(" after: ", said[t + 1], 1);
      scratch.all += ' ';
      scratch.all += labels.name(said[t]);
      const std::vector<float>& p = scratch.said[m].marginals;
      for (size_t j = 0; !p.empty() && j < labels.size(); ++j)
        if (p[t * labels.size() + j] >= kLeastProbability)
          add(" believes ", static_cast<Label>(j), p[t * labels.size() + j]);
    }
    out.add_attribute(scratch.all, 1);
    if (sequence.has_labels()) out.set_label(sequence.label(t));
  }
  out.set_weight(sequence.weight());
  return {};
}

void save_committee(std::span<const CommitteeMember> members, std::span<const std::byte> chain,
                    SectionWriter& out) {
  nlohmann::json names = nlohmann::json::array();
  for (size_t m = 0; m < members.size(); ++m) {
    names.push_back(members[m].name);
    out.add(member_section(m), members[m].model);
  }
  out.add("decider", chain);
  out.add_text(kCommitteeSection, nlohmann::json{{"members", names}}.dump());
}

struct CommitteePredictor::Buffers final : data::Predictor::Scratch {
  VoteMaker::Scratch voting;
  std::unique_ptr<data::Predictor::Scratch> deciding;
  data::Sequence votes;
};

CommitteePredictor::CommitteePredictor(std::shared_ptr<const Core> core, const data::Predictor& decider,
                                       std::unique_ptr<const data::Predictor> constrained)
    : core_(std::move(core)), constrained_(std::move(constrained)), decider_(&decider), votes_([&] {
        std::vector<VoteMaker::Voter> voters;
        for (size_t m = 0; m < core_->members.size(); ++m)
          voters.push_back({core_->names[m], &core_->members[m]});
        return voters;
      }()) {}

Result<std::unique_ptr<CommitteePredictor>> CommitteePredictor::load(const SectionFile& file) {
  ESPALIER_ASSIGN(const std::string_view text, file.text(kCommitteeSection));
  const nlohmann::json header = nlohmann::json::parse(text, nullptr, false);
  auto core = std::make_shared<Core>();
  try {
    core->names = header.at("members").get<std::vector<std::string>>();
  } catch (const nlohmann::json::exception&) {
    return fail("{}: section '{}' does not name the members", file.name(), kCommitteeSection);
  }
  if (core->names.empty() || core->names.size() > kMostMembers)
    return fail("{}: a committee of {} members", file.name(), core->names.size());
  const auto open = [&](const std::string& section) -> Result<Model> {
    ESPALIER_ASSIGN(const auto bytes, file.array<std::byte>(section));
    ESPALIER_ASSIGN(Model model, Model::from_bytes({bytes.begin(), bytes.end()},
                                                   fmt::format("{}: {}", file.name(), section)));
    if (model.as<CommitteePredictor>() != nullptr)
      return fail("{}: a member of a committee is a committee", file.name());
    return model;
  };
  for (size_t m = 0; m < core->names.size(); ++m) {
    ESPALIER_ASSIGN(Model member, open(member_section(m)));
    core->members.push_back(std::move(member));
  }
  ESPALIER_ASSIGN(core->chain, open("decider"));
  if (core->chain.as<chain::ChainPredictor>() == nullptr || !core->chain.about().features.attributes)
    return fail("{}: what decides for the committee is not a chain over votes", file.name());
  const data::Predictor& chain = core->chain.bare();
  return std::unique_ptr<CommitteePredictor>(new CommitteePredictor(std::move(core), chain, nullptr));
}

std::unique_ptr<data::Predictor> CommitteePredictor::under(constrain::Constraints rules,
                                                           const constrain::ConstrainedOptions& options,
                                                           constrain::InstanceMaker instances) const {
  auto constrained = std::make_unique<const constrain::ConstrainedPredictor>(
      *core_->chain.as<chain::ChainPredictor>(), std::move(rules), options, std::move(instances));
  const data::Predictor& decider = *constrained;
  return std::unique_ptr<data::Predictor>(new CommitteePredictor(core_, decider, std::move(constrained)));
}

std::unique_ptr<data::Predictor::Scratch> CommitteePredictor::make_scratch() const {
  auto buffers = std::make_unique<Buffers>();
  buffers->voting = votes_.make_scratch();
  buffers->deciding = decider_->make_scratch();
  return buffers;
}

Status CommitteePredictor::predict(const data::Sequence& sequence, std::span<const Label> forced,
                                   const data::PredictOptions& options, Scratch& scratch,
                                   data::Prediction& out) const {
  Buffers& b = static_cast<Buffers&>(scratch);
  ESPALIER_TRY(votes_.vote(sequence, constrained_ != nullptr, b.voting, b.votes));
  return decider_->predict(b.votes, forced, options, *b.deciding, out);
}

Result<std::vector<data::Predictor::Explanation>> CommitteePredictor::explain_forced(
    const data::Sequence& sequence, std::span<const Label> forced, Scratch& scratch) const {
  Buffers& b = static_cast<Buffers&>(scratch);
  ESPALIER_TRY(votes_.vote(sequence, constrained_ != nullptr, b.voting, b.votes));
  return decider_->explain_forced(b.votes, forced, *b.deciding);
}

Result<std::vector<data::Predictor::WeightedFeature>> CommitteePredictor::strongest(
    size_t how_many, std::optional<Label> only) const {
  return core_->chain.bare().strongest(how_many, only);
}

std::vector<data::Predictor::WeightedTransition> CommitteePredictor::weighted_transitions() const {
  return core_->chain.bare().weighted_transitions();
}

data::Predictor::Size CommitteePredictor::size() const {
  Size all = core_->chain.bare().size();
  for (const Model& member : core_->members) {
    const Size one = member.bare().size();
    all.features += one.features;
    all.weights += one.weights;
  }
  return all;
}

std::string CommitteePredictor::details() const {
  nlohmann::ordered_json members = nlohmann::ordered_json::array();
  for (size_t m = 0; m < core_->members.size(); ++m) {
    nlohmann::ordered_json settings = nlohmann::ordered_json::object();
    for (const auto& [name, value] : core_->members[m].about().parameters) settings[name] = value;
    members.push_back({{"name", core_->names[m]},
                       {"learner", core_->members[m].about().learner},
                       {"task", core_->members[m].about().task},
                       {"parameters", settings}});
  }
  return nlohmann::ordered_json{{"members", members}}.dump();
}

}  // namespace espalier::model

#include "espalier/model/learner.h"

#include "espalier/model/registry.h"

namespace espalier::model {

namespace {

/// What is wrong with a situation whatever the settings.
Status check_situation(const LearnerTraits& traits, const Situation& situation) {
  if (situation.start_from && !traits.starts_from_models)
    return fail("learner {} cannot train a model further", traits.name);
  if (situation.checkpoints && !traits.keeps_checkpoints)
    return fail("learner {} can neither write nor resume checkpoints", traits.name);
  if (situation.ranks && !traits.several_ranks && !traits.shares_parts)
    return fail(
        "learner {} does not train on several ranks; crf, memm, local, perceptron and committee do. Train it "
        "with espalier, on one machine",
        traits.name);
  if (situation.memory && situation.ranks)
    return fail("--memory is for one machine; several ranks each hold their share of the data in memory");
  if (situation.memory && !traits.bounds_memory)
    return fail("learner {} keeps all of its data in memory; --memory goes with crf, memm and perceptron",
                traits.name);
  if (situation.memory && situation.constraints)
    return fail("constraints keep what they speak about in memory; they do not go with --memory");
  if (situation.constraints && situation.task.kind == TaskKind::kBrackets)
    return fail("task brackets prevents overlaps itself and does not support constraints");
  if (situation.task.kind == TaskKind::kParse) {
    if (situation.constraints)
      return fail(
          "a parser is not trained under constraints; give them to "
          "tag, eval and explain");
    if (situation.start_from)
      return fail(
          "a parser cannot be trained further: its file keeps a part "
          "of each feature's hash, not the whole; train "
          "on all data together");
  }
  if (situation.task.kind == TaskKind::kSummary) {
    if (situation.constraints) return fail("task summary does not support constraints");
    if (situation.start_from) return fail("a summariser cannot be trained further");
  }
  if (situation.constraints && traits.constraints == ConstraintUse::kNone)
    return fail(
        "learner {} cannot be trained with constraints; perceptron, svm, crf and local can, cascades and the "
        "learners of searches. Give them to tag and eval instead",
        traits.name);
  return {};
}

class Spec final : public LearnerSpec {
 public:
  Spec(LearnerTraits traits, ParameterTable<CommonOptions> table, ErasedLearnerCode code)
      : traits_(traits), table_(std::move(table)), code_(std::move(code)), parameters_(table_.parameters()) {}
  const LearnerTraits& traits() const override { return traits_; }
  const std::vector<Parameter>& parameters() const override { return parameters_; }
  Status check_settings(std::span<const std::string> settings) const override {
    ESPALIER_TRY(table_.parse(traits_.name, settings));
    return {};
  }
  Result<std::unique_ptr<const ConfiguredLearner>> configure(std::span<const std::string> settings,
                                                             const Situation& situation) const override {
    ESPALIER_ASSIGN(ParsedOptions parsed, table_.parse(traits_.name, settings));
    ESPALIER_TRY(check_situation(traits_, situation));
    ESPALIER_TRY(table_.check(parsed, situation));
    const DataNeeds needs = code_.needs ? code_.needs(parsed.options.get(), situation) : DataNeeds();
    return std::unique_ptr<const ConfiguredLearner>(new Configured(*this, std::move(parsed), needs));
  }

 private:
  class Configured final : public ConfiguredLearner {
   public:
    Configured(const Spec& spec, ParsedOptions parsed, DataNeeds needs)
        : spec_(spec), parsed_(std::move(parsed)), needs_(needs) {}
    const LearnerTraits& traits() const override { return spec_.traits_; }
    const CommonOptions& common() const override { return parsed_.as<CommonOptions>(); }
    const ParameterTexts& texts() const override { return parsed_.texts; }
    DataNeeds needs() const override { return needs_; }
    Status train(TrainingJob& job) const override { return spec_.code_.train(job, parsed_.options.get()); }

   private:
    const Spec& spec_;
    ParsedOptions parsed_;
    DataNeeds needs_;
  };
  LearnerTraits traits_;
  ParameterTable<CommonOptions> table_;
  ErasedLearnerCode code_;
  std::vector<Parameter> parameters_;
};

}  // namespace

std::unique_ptr<const LearnerSpec> make_erased_learner(LearnerTraits traits,
                                                       ParameterTable<CommonOptions> table,
                                                       ErasedLearnerCode code) {
  return std::make_unique<const Spec>(traits, std::move(table), std::move(code));
}

}  // namespace espalier::model

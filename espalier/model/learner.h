// A learner as the rest of the library sees it: what it is called, what can be set, and, once its settings
// are checked, how it trains.
//
// learners/NAME.cc holds everything about one learner: its options struct, the table of its parameters
// (parameters.h), what `auto` stands for given the data (with the rules of defaults.h), and `train`. It makes
// one LearnerSpec with make_learner(), which registry.cc lists.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "espalier/base/result.h"
#include "espalier/model/common_options.h"
#include "espalier/model/parameters.h"

namespace espalier::model {

struct TrainingJob;

/// What a learner makes: which code reads its model file (model.cc).
enum class ModelKind { kChain, kCascade, kSearch, kBrackets, kCommittee };

/// What constraints a learner can train with.
enum class ConstraintUse {
  kNone,
  kRegular,  ///< those that an automaton can check: it sums over all labellings that satisfy them
  kAny,
};

/// What is the same for all settings of a learner.
struct LearnerTraits {
  std::string_view name;
  std::string_view summary;  ///< one line for help texts
  ModelKind kind = ModelKind::kChain;
  ConstraintUse constraints = ConstraintUse::kNone;
  bool starts_from_models = true;  ///< can train a model further
  bool keeps_checkpoints = true;   ///< can stop and resume
  bool several_ranks = false;      ///< can train on several ranks, each with a part of the data
  bool shares_parts =
      false;  ///< on several ranks, each reads all the data and makes some of the model's parts
  bool bounds_memory = false;  ///< keeps nothing in memory that grows with the data but its labels
  /// The labels that the training data give a word are features, where the data allow it (training_data.cc).
  bool word_labels = false;
  /// scheme=auto may learn places in segments instead of the labels of the data (defaults.h).
  bool refines_segments = false;
};

/// What a learner needs of the training data, besides the labels.
struct DataNeeds {
  bool features = true;      ///< those of tokens, numbered; false: it makes its own from the text
  bool text = false;         ///< the sequences themselves
  bool word_labels = false;  ///< as LearnerTraits::word_labels, with these settings
};

/// A learner with its settings, checked: ready to train.
class ConfiguredLearner {
 public:
  virtual ~ConfiguredLearner() = default;
  virtual const LearnerTraits& traits() const = 0;
  virtual const CommonOptions& common() const = 0;
  /// Every parameter as text, as the model file keeps it.
  virtual const ParameterTexts& texts() const = 0;
  virtual DataNeeds needs() const = 0;
  /// Learns and saves the model. Precondition: the job has read its data.
  virtual Status train(TrainingJob& job) const = 0;
};

class LearnerSpec {
 public:
  virtual ~LearnerSpec() = default;
  virtual const LearnerTraits& traits() const = 0;
  std::string_view name() const { return traits().name; }
  virtual const std::vector<Parameter>& parameters() const = 0;
  /// "name=value" settings alone: unknown names and values out of range are errors.
  virtual Status check_settings(std::span<const std::string> settings) const = 0;
  /// The same, and whether they make sense together and in the situation. Looks at no data.
  virtual Result<std::unique_ptr<const ConfiguredLearner>> configure(std::span<const std::string> settings,
                                                                     const Situation& situation) const = 0;
};

/// How a learner with options `O` trains.
template <typename O>
struct LearnerCode {
  std::function<Status(TrainingJob&, const O&)> train;
  std::function<DataNeeds(const O&, const Situation&)> needs = nullptr;  ///< null: features alone
};

/// The same for options of a type that the caller knows.
struct ErasedLearnerCode {
  std::function<Status(TrainingJob&, const void* options)> train;
  std::function<DataNeeds(const void* options, const Situation&)> needs;
};
std::unique_ptr<const LearnerSpec> make_erased_learner(LearnerTraits traits,
                                                       ParameterTable<CommonOptions> table,
                                                       ErasedLearnerCode code);

/// A learner made of its table and its code. Both live as long as the result.
template <typename O>
std::unique_ptr<const LearnerSpec> make_learner(LearnerTraits traits, const ParameterTable<O>& table,
                                                LearnerCode<O> code) {
  ErasedLearnerCode erased;
  erased.train = [train = std::move(code.train)](TrainingJob& job, const void* options) {
    return train(job, *static_cast<const O*>(options));
  };
  if (code.needs)
    erased.needs = [needs = std::move(code.needs)](const void* options, const Situation& situation) {
      return needs(*static_cast<const O*>(options), situation);
    };
  return make_erased_learner(traits, table, std::move(erased));
}

}  // namespace espalier::model

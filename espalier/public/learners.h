// Learners as small option structs, and what can be known about each.
//
//   es::Crf{.l2 = 0.5}      es::Cascade{.order = 4}      es::Learner("searn", {{"beam", "5"}})
//
// A field that is not set takes the learner's default, which `espalier help LEARNER` (or learners() below)
// explains; `more` holds settings that have no field.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)
namespace espalier {

/// Parameters by name, as `-p name=value` gives them.
using Settings = std::vector<std::pair<std::string, std::string>>;

/// A learner by name with its settings. The structs below turn into one; an empty name stands for the task's
/// first.
struct Learner {
  Learner() = default;
  Learner(std::string learner_name, Settings learner_settings = {})  // NOLINT(google-explicit-constructor)
      : name(std::move(learner_name)), settings(std::move(learner_settings)) {}
  Learner(const char* learner_name) : name(learner_name) {}  // NOLINT(google-explicit-constructor)
  std::string name;
  Settings settings;
};

// One struct per learner, with its basic parameters as fields. They are aggregates, for designated
// initialisers, and turn into a Learner where one is wanted.

/// Conditional random field.
struct Crf {
  std::optional<double> l2 = {};
  std::optional<double> l1 = {};
  std::optional<std::string> algorithm = {};
  std::optional<int> passes = {};
  std::optional<double> rate = {};
  std::optional<double> dropout = {};
  std::optional<int> iterations = {};
  std::optional<int> cutoff = {};
  std::optional<bool> names = {};
  std::optional<std::string> weight_bits = {};
  std::optional<int> patience = {};
  std::optional<std::string> label_weights = {};
  Settings more = {};
  operator Learner() const;  // NOLINT(google-explicit-constructor)
};

/// Maximum-entropy Markov model.
struct Memm {
  std::optional<double> l2 = {};
  std::optional<double> l1 = {};
  std::optional<std::string> algorithm = {};
  std::optional<int> passes = {};
  std::optional<double> rate = {};
  std::optional<double> dropout = {};
  std::optional<int> iterations = {};
  std::optional<int> cutoff = {};
  std::optional<bool> names = {};
  std::optional<std::string> weight_bits = {};
  std::optional<int> patience = {};
  std::optional<std::string> label_weights = {};
  Settings more = {};
  operator Learner() const;  // NOLINT(google-explicit-constructor)
};

/// Averaged structured perceptron.
struct Perceptron {
  std::optional<int> passes = {};
  std::optional<bool> average = {};
  std::optional<bool> calibrate = {};
  std::optional<int> cutoff = {};
  std::optional<bool> names = {};
  std::optional<std::string> weight_bits = {};
  std::optional<int> patience = {};
  std::optional<std::string> label_weights = {};
  Settings more = {};
  operator Learner() const;  // NOLINT(google-explicit-constructor)
};

/// Structured support vector machine.
struct Svm {
  std::optional<double> c = {};
  std::optional<int> passes = {};
  std::optional<bool> average = {};
  std::optional<bool> calibrate = {};
  std::optional<int> cutoff = {};
  std::optional<bool> names = {};
  std::optional<std::string> weight_bits = {};
  std::optional<int> patience = {};
  std::optional<std::string> label_weights = {};
  Settings more = {};
  operator Learner() const;  // NOLINT(google-explicit-constructor)
};

/// One classifier for each token.
struct Local {
  std::optional<std::string> classifier = {};
  std::optional<double> l2 = {};
  std::optional<double> l1 = {};
  std::optional<int> passes = {};
  std::optional<double> rate = {};
  std::optional<double> dropout = {};
  std::optional<double> c = {};
  std::optional<int> cutoff = {};
  std::optional<bool> names = {};
  std::optional<std::string> weight_bits = {};
  std::optional<int> patience = {};
  std::optional<std::string> label_weights = {};
  Settings more = {};
  operator Learner() const;  // NOLINT(google-explicit-constructor)
};

/// Label n-grams of growing order.
struct Cascade {
  std::optional<int> order = {};
  std::optional<std::string> last = {};
  std::optional<std::string> filter_loss = {};
  std::optional<double> budget = {};
  std::optional<int> passes = {};
  std::optional<double> dropout = {};
  std::optional<double> l2 = {};
  std::optional<int> cutoff = {};
  std::optional<bool> names = {};
  std::optional<std::string> weight_bits = {};
  std::optional<int> patience = {};
  std::optional<std::string> label_weights = {};
  Settings more = {};
  operator Learner() const;  // NOLINT(google-explicit-constructor)
};

/// SEARN: the decisions of a search.
struct Searn {
  std::optional<std::string> classifier = {};
  std::optional<int> iterations = {};
  std::optional<int> passes = {};
  std::optional<int> beam = {};
  std::optional<int> history = {};
  std::optional<std::string> direction = {};
  std::optional<std::string> loss = {};
  std::optional<std::string> unit = {};
  std::optional<int> cutoff = {};
  std::optional<bool> names = {};
  std::optional<std::string> weight_bits = {};
  std::optional<int> patience = {};
  Settings more = {};
  operator Learner() const;  // NOLINT(google-explicit-constructor)
};

/// Keeps the target in a breadth-first beam.
struct LasoBr {
  std::optional<int> passes = {};
  std::optional<double> rate = {};
  std::optional<int> beam = {};
  std::optional<int> history = {};
  std::optional<std::string> direction = {};
  std::optional<std::string> loss = {};
  std::optional<std::string> unit = {};
  std::optional<int> cutoff = {};
  std::optional<bool> names = {};
  std::optional<std::string> weight_bits = {};
  std::optional<int> patience = {};
  Settings more = {};
  operator Learner() const;  // NOLINT(google-explicit-constructor)
};

/// Keeps the target in a best-first beam.
struct LasoBst {
  std::optional<int> passes = {};
  std::optional<double> rate = {};
  std::optional<int> beam = {};
  std::optional<int> history = {};
  std::optional<std::string> direction = {};
  std::optional<std::string> loss = {};
  std::optional<std::string> unit = {};
  std::optional<int> cutoff = {};
  std::optional<bool> names = {};
  std::optional<std::string> weight_bits = {};
  std::optional<int> patience = {};
  Settings more = {};
  operator Learner() const;  // NOLINT(google-explicit-constructor)
};

/// Learning as search optimisation.
struct Laso {
  std::optional<int> passes = {};
  std::optional<double> rate = {};
  std::optional<int> beam = {};
  std::optional<int> history = {};
  std::optional<std::string> direction = {};
  std::optional<std::string> loss = {};
  std::optional<std::string> unit = {};
  std::optional<int> cutoff = {};
  std::optional<bool> names = {};
  std::optional<std::string> weight_bits = {};
  std::optional<int> patience = {};
  Settings more = {};
  operator Learner() const;  // NOLINT(google-explicit-constructor)
};

/// Incremental perceptron.
struct Incremental {
  std::optional<std::string> update = {};
  std::optional<int> passes = {};
  std::optional<double> rate = {};
  std::optional<int> beam = {};
  std::optional<int> history = {};
  std::optional<std::string> direction = {};
  std::optional<std::string> loss = {};
  std::optional<std::string> unit = {};
  std::optional<int> cutoff = {};
  std::optional<bool> names = {};
  std::optional<std::string> weight_bits = {};
  std::optional<int> patience = {};
  Settings more = {};
  operator Learner() const;  // NOLINT(google-explicit-constructor)
};

/// Phrases of one type, for the task "brackets".
struct Brackets {
  std::optional<int> passes = {};
  std::optional<std::string> training = {};
  std::optional<int> longest = {};
  std::optional<int> cutoff = {};
  std::optional<bool> names = {};
  std::optional<std::string> weight_bits = {};
  std::optional<int> patience = {};
  Settings more = {};
  operator Learner() const;  // NOLINT(google-explicit-constructor)
};

/// What can be set, for help texts and forms.
struct ParameterInfo {
  std::string name, fallback, meaning, range;
  bool basic = true;  ///< false: for those who study the method
};
struct LearnerInfo {
  std::string name, summary;
  std::vector<std::string> tasks;
  std::vector<ParameterInfo> parameters;
};
struct TaskInfo {
  std::string name, summary;
  std::vector<std::string> learners;  ///< the first is the default
};
std::vector<LearnerInfo> learners();
std::vector<TaskInfo> all_tasks();

}  // namespace espalier
#pragma GCC visibility pop

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

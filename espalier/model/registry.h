// The one table of learners: what they are called, what can be set, and how they train.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "espalier/base/result.h"
#include "espalier/tasks/structures/json_tasks.h"

namespace espalier::model {

/// One thing that can be set with `-p name=value`.
struct Parameter {
  enum class Kind { kNumber, kInteger, kChoice, kFlag, kText };
  std::string_view name;
  Kind kind;
  std::string_view fallback;       ///< the default, as text
  std::string_view help;           ///< one line
  double least = 0, most = 1e300;  ///< numbers and integers
  std::vector<std::string_view> choices = {};
};

/// Checked values of a learner's parameters, defaults filled in.
class ParameterValues {
 public:
  double number(std::string_view name) const;
  int64_t integer(std::string_view name) const;
  bool flag(std::string_view name) const;
  const std::string& text(std::string_view name) const;
  bool is_default(std::string_view name) const;
  const std::map<std::string, std::string, std::less<>>& all() const { return values_; }

 private:
  friend Result<ParameterValues> check_parameters(std::string_view, std::span<const std::string>);
  std::map<std::string, std::string, std::less<>> values_;
  std::map<std::string, std::string, std::less<>> defaults_;
};

/// Something that has one of these values. Names are those of parameters, `auto` made out, or ones that a
/// learner's `choice` adds.
struct Setting {
  std::string_view name;
  std::vector<std::string_view> values;
};
/// Parameters that mean something only where a setting holds.
struct ParameterUse {
  std::vector<std::string_view> parameters;
  Setting where;
  std::string_view what;  ///< what they are for, in words
};
/// Settings that do not go together, and why.
struct Clash {
  Setting one, other;
  std::string_view reason;
};

/// What a parameter, or one of the names that its uses and clashes add, comes to for a task.
using Choice = std::string (*)(std::string_view learner, std::string_view task, const ParameterValues& values,
                               std::string_view name);

/// What a learner makes: which code trains it (train.cc) and reads its file (model.cc).
enum class ModelKind { kChain, kCascade, kSearch, kBrackets };

struct Learner {
  std::string_view name;
  std::string_view summary;  ///< one line for --help
  std::vector<Parameter> parameters;
  ModelKind kind = ModelKind::kChain;
  std::vector<ParameterUse> uses = {};
  std::vector<Clash> clashes = {};
  Choice choice = nullptr;  ///< null: parameters are what they are set to
};

/// What is predicted.
struct Task {
  std::string_view name;
  std::string_view summary;                  ///< for --help
  std::vector<std::string_view> learners;    ///< that can learn it, the first by default
  bool neighbours = true;                    ///< outputs stand in a row, and what stands beside matters
  std::optional<tasks::JsonTask> json = {};  ///< it has JSON lines of its own
};
std::span<const Task> all_tasks();
/// The task of that name, or an error that names the nearest.
Result<const Task*> find_task(std::string_view name);
/// An error where the learner cannot learn the task.
Status check_learner_of_task(const Task& task, std::string_view learner);

/// All learners, in the order --help shows them.
std::span<const Learner> learners();
/// Parameters that every learner takes (cut-offs, names, 16-bit weights …).
std::span<const Parameter> common_parameters();
/// The learner of that name, or an error that names the nearest.
Result<const Learner*> find_learner(std::string_view name);
/// Parses "name=value" settings for a learner; unknown names and values out of range are errors that say what
/// is.
Result<ParameterValues> check_parameters(std::string_view learner, std::span<const std::string> settings);

/// An error where a parameter is set that means nothing beside the others, or where settings contradict each
/// other. What is left at its default is never at fault.
Status check_use(const Learner& learner, const Task& task, const ParameterValues& values);

}  // namespace espalier::model

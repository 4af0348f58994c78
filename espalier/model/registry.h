// The one table of learners, and the tasks they learn.
//
// find_learner() and find_task() look up names; a LearnerSpec (learner.h) checks settings and trains. Nothing
// here reads data. Tested in learner_test.cc.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "espalier/base/result.h"
#include "espalier/model/learner.h"
#include "espalier/tasks/structures/json_tasks.h"

namespace espalier::model {

enum class TaskKind { kLabel, kSegment, kJoint, kRoles, kBrackets, kVariables, kParse, kSummary };

/// What is predicted.
struct Task {
  TaskKind kind;
  std::string_view name;
  std::string_view summary;                  ///< for help texts
  std::vector<std::string_view> learners;    ///< that can learn it; the first is the default
  bool neighbours = true;                    ///< outputs form a sequence, and neighbouring labels interact
  std::optional<tasks::JsonTask> json = {};  ///< set if the task has its own JSON lines format
};
std::span<const Task> all_tasks();
/// The task of that name, or an error that suggests the nearest name.
Result<const Task*> find_task(std::string_view name);
/// An error if the learner cannot learn the task.
Status check_learner_of_task(const Task& task, std::string_view learner);

/// All learners, in the order help texts show them.
std::span<const LearnerSpec* const> learners();
/// The learner of that name, or an error that suggests the nearest name.
Result<const LearnerSpec*> find_learner(std::string_view name);

}  // namespace espalier::model

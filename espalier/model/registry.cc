#include "espalier/model/registry.h"

#include <algorithm>
#include <string>

#include "espalier/base/text/format.h"
#include "espalier/base/text/text.h"
#include "espalier/model/learners/learners.h"

namespace espalier::model {

namespace {

/// "; did you mean 'x'?" if there is a similar name, otherwise nothing.
std::string suggestion(std::string_view wanted, std::span<const std::string_view> names) {
  const std::string near = nearest(wanted, names);
  return near.empty() ? std::string() : fmt::format("; did you mean '{}'?", near);
}

}  // namespace

std::span<const LearnerSpec* const> learners() {
  static const std::vector<std::unique_ptr<const LearnerSpec>> table = [] {
    std::vector<std::unique_ptr<const LearnerSpec>> all;
    all.push_back(crf_learner());
    all.push_back(perceptron_learner());
    all.push_back(svm_learner());
    all.push_back(memm_learner());
    all.push_back(local_learner());
    all.push_back(cascade_learner());
    all.push_back(searn_learner());
    all.push_back(laso_br_learner());
    all.push_back(laso_bst_learner());
    all.push_back(laso_learner());
    all.push_back(incremental_learner());
    all.push_back(committee_learner());
    all.push_back(brackets_learner());
    return all;
  }();
  static const std::vector<const LearnerSpec*> shown = [] {
    std::vector<const LearnerSpec*> all;
    for (const auto& learner : table) all.push_back(learner.get());
    return all;
  }();
  return shown;
}

std::span<const Task> all_tasks() {
  static const std::vector<Task> tasks = [] {
    std::vector<std::string_view> rows, searches, brackets;
    for (const LearnerSpec* const learner : learners()) {
      const ModelKind kind = learner->traits().kind;
      (kind == ModelKind::kBrackets ? brackets : rows).push_back(learner->name());
      if (kind == ModelKind::kSearch) searches.push_back(learner->name());
    }
    const std::vector<std::string_view> one_by_one = {"perceptron", "svm", "local", "crf"};
    return std::vector<Task>{
        {TaskKind::kLabel, "label", "a label for each token", rows},
        {TaskKind::kSegment, "segment", "chunks", searches},
        {TaskKind::kJoint, "joint", "several label columns", searches},
        {TaskKind::kRoles, "roles", "roles of a predicate's candidate constituents (JSON lines)", one_by_one,
         false, tasks::JsonTask::kRoles},
        {TaskKind::kBrackets, "brackets", "phrases of one type, by where they begin and end", brackets},
        {TaskKind::kVariables, "variables", "independent variables under constraints (JSON lines)",
         one_by_one, false, tasks::JsonTask::kVariables},
        {TaskKind::kParse, "parse", "labelled dependency trees", searches},
        {TaskKind::kSummary, "summary", "summaries of documents (JSON lines)", searches, false,
         tasks::JsonTask::kSummary},
    };
  }();
  return tasks;
}

Result<const Task*> find_task(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Task& task : all_tasks()) {
    if (task.name == name) return &task;
    names.push_back(task.name);
  }
  return fail("there is no task '{}'{} (there are {})", name, suggestion(name, names), joined(names, ", "));
}

Status check_learner_of_task(const Task& task, std::string_view learner) {
  ESPALIER_TRY(find_learner(learner));
  if (std::find(task.learners.begin(), task.learners.end(), learner) != task.learners.end()) return {};
  return fail("learner {} does not learn task {}; {} {}", learner, task.name, joined(task.learners, ", "),
              task.learners.size() == 1 ? "does" : "do");
}

Result<const LearnerSpec*> find_learner(std::string_view name) {
  std::vector<std::string_view> names;
  for (const LearnerSpec* const learner : learners()) {
    if (learner->name() == name) return learner;
    names.push_back(learner->name());
  }
  return fail("there is no learner '{}'{} (there are {})", name, suggestion(name, names),
              joined(names, ", "));
}

}  // namespace espalier::model

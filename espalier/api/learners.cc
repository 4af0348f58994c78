// Learners and tasks with what can be set, from the one table of learners.
#include "espalier/public/learners.h"

#include <algorithm>

#include "espalier/model/registry.h"

namespace espalier {
namespace {

std::string range_text(const model::Parameter& parameter) {
  using Kind = model::Parameter::Kind;
  switch (parameter.kind) {
    case Kind::kFlag:
      return "yes or no";
    case Kind::kChoice:
      return fmt::format("{}", fmt::join(parameter.choices, ", "));
    case Kind::kText:
      return "text";
    case Kind::kInteger:
    case Kind::kNumber:
      break;
  }
  return parameter.most < 1e6 ? fmt::format("{:g} to {:g}", parameter.least, parameter.most)
                              : fmt::format("at least {:g}", parameter.least);
}

}  // namespace

std::vector<LearnerInfo> learners() {
  std::vector<LearnerInfo> out;
  for (const model::Learner& learner : model::learners()) {
    LearnerInfo& info = out.emplace_back();
    info.name = learner.name;
    info.summary = learner.summary;
    for (const model::Task& task : model::all_tasks())
      if (std::find(task.learners.begin(), task.learners.end(), learner.name) != task.learners.end())
        info.tasks.emplace_back(task.name);
    const auto add = [&](const model::Parameter& p) {
      info.parameters.push_back({std::string(p.name), std::string(p.fallback), std::string(p.help), range_text(p)});
    };
    for (const model::Parameter& p : learner.parameters) add(p);
    for (const model::Parameter& p : model::common_parameters()) add(p);
  }
  return out;
}

std::vector<TaskInfo> all_tasks() {
  std::vector<TaskInfo> out;
  for (const model::Task& task : model::all_tasks()) {
    TaskInfo& info = out.emplace_back();
    info.name = task.name;
    info.summary = task.summary;
    info.learners.assign(task.learners.begin(), task.learners.end());
  }
  return out;
}

}  // namespace espalier

// Policy::explain: which features decided each action. Tested in task_test.cc.
#include <algorithm>
#include <cmath>
#include <map>

#include "espalier/own_task/policy.h"

namespace espalier {

namespace {

/// What each feature of a candidate adds to the score of one of its labels.
using TaskContributions = std::map<std::string, double>;

TaskContributions contributions_of(const Policy::State& state, const SearchTask& task, const TaskState& at,
                                   Action action) {
  FeatureSink sink;
  std::vector<std::string> names;
  sink.keep_names(&names);
  task.features(at, action.candidate, sink);
  TaskContributions out;
  for (size_t i = 0; i < sink.entries().size(); ++i) {
    double sum = 0;
    // Of several classifiers, the mean of their weights.
    for (size_t c = 0; c < state.stored.size(); ++c)
      state.stored[c]->visit_hashed(sink.entries()[i].hash, [&](uint32_t label, float weight) {
        if (label == action.label) sum += state.shares[c] * double{weight};
      });
    out[names[i]] += sink.entries()[i].value * sum;
  }
  return out;
}

std::vector<Decision::Reason> reasons_for(const TaskContributions& chosen, const TaskContributions& other,
                                          size_t top) {
  std::map<std::string, Decision::Reason> by_name;
  for (const auto& [name, x] : chosen) by_name[name].chosen = x;
  for (const auto& [name, x] : other) by_name[name].runner_up = x;
  std::vector<Decision::Reason> reasons;
  for (auto& [name, reason] : by_name) {
    reason.feature = name;
    if (reason.chosen != reason.runner_up) reasons.push_back(std::move(reason));
  }
  std::stable_sort(reasons.begin(), reasons.end(), [](const Decision::Reason& a, const Decision::Reason& b) {
    return std::abs(a.chosen - a.runner_up) > std::abs(b.chosen - b.runner_up);
  });
  if (reasons.size() > top) reasons.resize(top);
  return reasons;
}

double total_of(const TaskContributions& contributions) {
  double sum = 0;
  for (const auto& [name, x] : contributions) sum += x;
  return sum;
}

}  // namespace

Result<std::vector<Decision>> Policy::explain(const SearchTask& task, const SearchOptions& options,
                                              size_t top) const {
  ESPALIER_ASSIGN(const SearchResult found, decode(task, options));
  std::vector<Decision> decisions;
  TaskState at = task.initial();
  std::vector<Action> actions;
  for (const Action& action : found.actions()) {
    actions.clear();
    task.actions(at, actions);
    Decision decision;
    decision.step = decisions.size();
    decision.action = action;
    decision.action_name = task.action_name(at, action);
    const TaskContributions chosen = contributions_of(*state_, task, at, action);
    decision.score = total_of(chosen);
    TaskContributions runner_up;
    decision.alone = true;
    for (const Action& other : actions) {
      if (other == action) continue;
      TaskContributions its = contributions_of(*state_, task, at, other);
      const double score = total_of(its);
      if (!decision.alone && score <= decision.runner_up_score) continue;
      decision.alone = false;
      decision.runner_up = other;
      decision.runner_up_score = score;
      runner_up = std::move(its);
    }
    if (!decision.alone) decision.runner_up_name = task.action_name(at, decision.runner_up);
    decision.reasons = reasons_for(chosen, runner_up, top);
    decisions.push_back(std::move(decision));
    at = task.apply(at, action);
  }
  return decisions;
}

}  // namespace espalier

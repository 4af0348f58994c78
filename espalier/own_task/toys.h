// For tests only: small search tasks over the public headers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "espalier/task.h"

namespace espalier {

/// Labels follow from the observation and the label before: 0 keeps it, 1 flips it, 2 sets it to 1.
struct ToggleTask {
  struct State {
    uint32_t at = 0, before = 0, errors = 0;
  };
  std::vector<uint32_t> x, y;

  size_t labels() const { return 2; }
  State initial() const { return {}; }
  bool is_goal(const State& s) const { return s.at == x.size(); }
  void actions(const State&, std::vector<Action>& out) const {
    out.push_back({0, 0});
    out.push_back({0, 1});
  }
  State apply(const State& s, Action a) const {
    return {s.at + 1, a.label, s.errors + (a.label != y[s.at] ? 1u : 0u)};
  }
  void features(const State& s, uint32_t, FeatureSink& out) const {
    out.add(x[s.at]);
    out.add("x=" + std::to_string(x[s.at]) + " after " + std::to_string(s.before));
  }
  double loss(const State& s) const { return s.errors; }
  double best_loss(const State& s) const { return s.errors; }
  void optimal_actions(const State& s, std::vector<Action>& out) const { out.push_back({0, y[s.at]}); }
};

inline std::vector<ToggleTask> toggles(uint32_t seed, size_t examples, size_t length) {
  std::mt19937 random(seed);
  std::vector<ToggleTask> tasks(examples);
  for (ToggleTask& task : tasks) {
    uint32_t label = 0;
    for (size_t t = 0; t < length; ++t) {
      task.x.push_back(random() % 3);
      label = task.x.back() == 0 ? label : task.x.back() == 1 ? 1 - label : 1;
      task.y.push_back(label);
    }
  }
  return tasks;
}

/// Each person in turn gets one of the jobs that are left: choices change from state to state. The state is
/// not plain, so that it is shared instead of copied.
struct AssignTask {
  struct State {
    std::vector<uint32_t> jobs;  // of the people so far
  };
  std::vector<std::vector<uint32_t>> suits;
  std::vector<uint32_t> truth;

  State initial() const { return {}; }
  bool is_goal(const State& s) const { return s.jobs.size() == truth.size(); }
  void actions(const State& s, std::vector<Action>& out) const {
    for (uint32_t job = 0; job < truth.size(); ++job)
      if (std::find(s.jobs.begin(), s.jobs.end(), job) == s.jobs.end()) out.push_back({job, 0});
  }
  State apply(const State& s, Action a) const {
    State next = s;
    next.jobs.push_back(a.candidate);
    return next;
  }
  void features(const State& s, uint32_t job, FeatureSink& out) const {
    out.add("suits " + std::to_string(suits[s.jobs.size()][job]));
    for (size_t p = s.jobs.size() + 1; p < truth.size(); ++p)
      out.add("others " + std::to_string(suits[p][job]));
  }
  double loss(const State& s) const { return loss_so_far(s); }
  double loss_so_far(const State& s) const {
    double errors = 0;
    for (size_t p = 0; p < s.jobs.size(); ++p) errors += s.jobs[p] != truth[p];
    return errors;
  }
  std::string describe(const State& s) const { return std::to_string(s.jobs.size()) + " people placed"; }
  std::string action_name(const State&, Action a) const { return "job " + std::to_string(a.candidate); }
};

inline std::vector<AssignTask> assignments(uint32_t seed, size_t examples, uint32_t people) {
  std::mt19937 random(seed);
  std::vector<AssignTask> tasks(examples);
  for (AssignTask& task : tasks) {
    task.truth.resize(people);
    std::iota(task.truth.begin(), task.truth.end(), 0);
    for (uint32_t i = people; i > 1; --i) std::swap(task.truth[i - 1], task.truth[random() % i]);
    task.suits.assign(people, std::vector<uint32_t>(people));
    for (uint32_t p = 0; p < people; ++p)
      for (uint32_t j = 0; j < people; ++j)
        task.suits[p][j] = static_cast<uint32_t>(task.truth[p] == j ? 6 + random() % 4 : random() % 7);
  }
  return tasks;
}

/// Another task with some of its actions: those along one path.
template <PlainTask T>
struct OnePath {
  using State = std::pair<typename T::State, size_t>;
  const T& task;
  std::vector<Action> path;
  size_t labels() const { return TaskView<T>(task).labels(); }
  State initial() const { return {task.initial(), 0}; }
  bool is_goal(const State& s) const { return task.is_goal(s.first); }
  void actions(const State& s, std::vector<Action>& out) const { out.push_back(path[s.second]); }
  State apply(const State& s, Action a) const { return {task.apply(s.first, a), s.second + 1}; }
  void features(const State& s, uint32_t c, FeatureSink& out) const { task.features(s.first, c, out); }
};

/// Every path of a task to a goal.
template <PlainTask T>
void all_paths(const T& task, const typename T::State& at, std::vector<Action>& so_far,
               std::vector<std::vector<Action>>& out) {
  if (task.is_goal(at)) {
    out.push_back(so_far);
    return;
  }
  std::vector<Action> actions;
  task.actions(at, actions);
  for (const Action& a : actions) {
    so_far.push_back(a);
    all_paths(task, task.apply(at, a), so_far, out);
    so_far.pop_back();
  }
}

}  // namespace espalier

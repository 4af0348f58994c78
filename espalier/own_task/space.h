// A SearchTask in the form that the search module's learners and decoders need: one space type for all
// user-defined tasks, so that the module's templates are compiled once.
//
// TaskProblem is a training set, TaskSpace one example. A broken contract is thrown as a TaskFault, which
// learn_to_search and Policy turn into errors; exceptions of the task's own functions pass through. Costs one
// virtual call per question, and a copy of actions and features into the module's own lists. Tested in
// contract_test.cc.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "espalier/base/result.h"
#include "espalier/public/policy.h"
#include "espalier/public/search_task.h"
#include "espalier/search/examples.h"
#include "espalier/search/search_oracle.h"
#include "espalier/search/space.h"

namespace espalier::own_task {

/// A task broke its contract; the message names the example, the step and the function.
class TaskFault : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Where the optimal actions come from.
enum class TaskOracle { kNone, kOwn, kOptimalActions, kBestLoss, kSearch };

/// More labels than this are refused.
inline constexpr size_t kMostTaskLabels = 65536;

struct TaskRules {
  size_t labels = 1;
  size_t most_actions = kMostActions;
  TaskOracle oracle = TaskOracle::kNone;
  size_t oracle_beam = 10;
};

/// Buffers that live from example to example; one per thread.
struct TaskScratch {
  FeatureSink sink;
  std::vector<Action> actions;
  std::vector<search::Action> legal;
};

/// What decoding needs, and the losses.
template <bool kLevels>
class TaskSearch {
 public:
  struct State {
    TaskState value;
    uint32_t steps = 0;  ///< actions so far
  };
  /// `number` is the example's, from 1; 0: it has none.
  TaskSearch(const SearchTask& task, const TaskRules& rules, size_t number, TaskScratch& scratch)
      : task_(&task), rules_(&rules), number_(number), scratch_(&scratch) {}

  State initial() const {
    State s{task_->initial(), 0};
    if (s.value.empty()) fault(s, "initial() gave no state");
    return s;
  }
  bool is_goal(const State& s) const { return task_->is_goal(s.value); }
  void actions(const State& s, std::vector<search::Action>& out) const {
    std::vector<Action>& found = scratch_->actions;
    found.clear();
    task_->actions(s.value, found);
    const size_t first = out.size();
    out.resize(first + found.size());
    uint32_t largest = 0;
    for (size_t i = 0; i < found.size(); ++i) {
      out[first + i] = {found[i].candidate, found[i].label};
      largest = std::max(largest, found[i].label);
    }
    if (largest >= rules_->labels)
      fault(s, fmt::format("actions() gave an action with label {}; labels() says that there are {}", largest,
                           rules_->labels));
  }
  State apply(const State& s, search::Action a) const {
    State next{task_->apply(s.value, {a.candidate, a.label}), s.steps + 1};
    if (next.value.empty()) fault(s, fmt::format("apply() gave no state for the action {}", name_of(s, a)));
    if (next.steps > rules_->most_actions)
      fault(s, fmt::format(
                   "a path of {} actions has not come to a goal: every path must end in a state for which "
                   "is_goal() is true (or allow more with most_actions)",
                   rules_->most_actions));
    if constexpr (kLevels)
      if (level(next) <= level(s))
        fault(s, fmt::format(
                     "level() gave {} after the action {} and {} before it; it must grow with every action",
                     level(next), name_of(s, a), level(s)));
    return next;
  }
  size_t labels() const { return rules_->labels; }
  void features(const State& s, uint32_t candidate, search::FeatureSink& out) const {
    FeatureSink& sink = scratch_->sink;
    sink.clear();
    task_->features(s.value, candidate, sink);
    bool finite = true;
    for (const FeatureSink::Entry& e : sink.entries()) {
      finite = finite && std::abs(e.value) <= kLargestValue;
      out.add(e.hash, e.value);
    }
    if (!finite) fault_of_feature(s, candidate);
  }
  size_t level(const State& s) const requires kLevels { return task_->level(s.value); }

  double loss(const State& s) const { return checked_loss(s, task_->loss(s.value), "loss()"); }
  double loss_so_far(const State& s) const {
    const double loss = task_->loss_so_far(s.value);
    if (!std::isfinite(loss)) fault(s, fmt::format("loss_so_far() gave {}", loss));
    return loss;
  }

  [[noreturn]] void fault(const State& s, const std::string& what) const {
    std::string where =
        number_ > 0 ? fmt::format("example {}, step {}", number_, s.steps) : fmt::format("step {}", s.steps);
    if (task_->offers().describe && !s.value.empty())
      where += fmt::format(", state '{}'", task_->describe(s.value));
    throw TaskFault(where + ": " + what);
  }

 protected:
  /// Larger ones do not fit into a weight.
  static constexpr double kLargestValue = std::numeric_limits<float>::max();

  double checked_loss(const State& s, double loss, const char* function) const {
    if (!(loss >= 0 && std::isfinite(loss)))
      fault(s, fmt::format("{} gave {}; a loss is a finite number, 0 or more", function, loss));
    return loss;
  }
  std::string name_of(const State& s, search::Action a) const {
    return "'" + task_->action_name(s.value, {a.candidate, a.label}) + "'";
  }
  [[noreturn]] void fault_of_feature(const State& s, uint32_t candidate) const {
    FeatureSink sink;
    std::vector<std::string> names;
    sink.keep_names(&names);
    task_->features(s.value, candidate, sink);
    for (size_t i = 0; i < sink.entries().size(); ++i)
      if (!(std::abs(sink.entries()[i].value) <= kLargestValue))
        fault(s, fmt::format("features() gave feature '{}' of candidate {} the value {}", names[i], candidate,
                             sink.entries()[i].value));
    fault(s, fmt::format(
                 "features() gave candidate {} a value that is not a finite number, but not when asked again",
                 candidate));
  }

  const SearchTask* task_;
  const TaskRules* rules_;
  size_t number_;
  TaskScratch* scratch_;
};

/// The same with the optimal actions, from whichever function the task implements.
template <bool kLevels>
class TaskSpace : public TaskSearch<kLevels> {
  using Base = TaskSearch<kLevels>;

 public:
  using State = typename Base::State;
  TaskSpace(const SearchTask& task, const TaskRules& rules, size_t number, TaskScratch& scratch)
      : Base(task, rules, number, scratch) {
    if (rules.oracle == TaskOracle::kSearch) oracle_.emplace(Base(*this), rules.oracle_beam);
  }

  double best_loss(const State& s) const {
    switch (this->rules_->oracle) {
      case TaskOracle::kOwn:
      case TaskOracle::kBestLoss:
        return this->checked_loss(s, this->task_->best_loss(s.value), "best_loss()");
      case TaskOracle::kSearch: {
        const double best = oracle_->best_loss(s);
        if (!std::isfinite(best))
          this->fault(
              s,
              fmt::format("the search for the best completion, with a beam of {}, came to no goal: is_goal() "
                          "is never true, or actions() leads into dead ends",
                          this->rules_->oracle_beam));
        return best;
      }
      default: {
        State now = s;
        std::vector<search::Action> optimal;
        while (!this->is_goal(now)) {
          optimal.clear();
          optimal_actions(now, optimal);
          now = this->apply(now, optimal[0]);
        }
        return this->loss(now);
      }
    }
  }
  /// At least one, each of them legal.
  void optimal_actions(const State& s, std::vector<search::Action>& out) const {
    std::vector<search::Action>& legal = this->scratch_->legal;
    legal.clear();
    this->actions(s, legal);
    if (legal.empty())
      this->fault(s, "actions() gave no action, and is_goal() says that the state is no goal");
    const TaskOracle oracle = this->rules_->oracle;
    if (oracle == TaskOracle::kBestLoss || oracle == TaskOracle::kSearch) {
      std::vector<double> losses;
      for (const search::Action& a : legal) losses.push_back(best_loss(this->apply(s, a)));
      const double least = *std::min_element(losses.begin(), losses.end());
      for (size_t i = 0; i < legal.size(); ++i)
        if (losses[i] == least) out.push_back(legal[i]);
      return;
    }
    std::vector<Action>& found = this->scratch_->actions;
    found.clear();
    this->task_->optimal_actions(s.value, found);
    if (found.empty()) this->fault(s, "optimal_actions() gave no action");
    for (const Action& a : found) {
      const search::Action one{a.candidate, a.label};
      if (std::find(legal.begin(), legal.end(), one) == legal.end())
        this->fault(
            s,
            fmt::format("optimal_actions() gave the action {}, which is none of the {} that actions() gave",
                        this->name_of(s, one), legal.size()));
      out.push_back(one);
    }
  }

 private:
  std::optional<search::SearchOracle<Base>> oracle_;
};

/// Examples to learn from. `poll` is called before each.
template <bool kLevels>
struct TaskProblem {
  using Space = TaskSpace<kLevels>;
  const SearchTasks& tasks;
  const TaskRules& rules;
  TaskScratch& scratch;
  const std::function<void()>& poll;
  size_t size() const { return tasks.size(); }
  Space space(size_t i) const {
    poll();
    return Space(tasks[i], rules, i + 1, scratch);
  }
  search::StaticBlocks blocks(size_t) const { return {}; }
};

}  // namespace espalier::own_task

// What learn_to_search and Policy say when a task breaks its contract, and which tasks they take.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

#include "espalier/own_task/toys.h"
#include "espalier/task.h"

namespace espalier {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

struct CountState {
  int at = 0;
};
const CountState& count_of(const TaskState& s) { return s.as<CountState>(); }

/// Says yes or no five times; yes is right.
TaskFunctions five_times_yes() {
  TaskFunctions f;
  f.labels = 2;
  f.initial = [] { return TaskState(CountState{}); };
  f.is_goal = [](const TaskState& s) { return count_of(s).at % 10 == 5; };
  f.actions = [](const TaskState&, std::vector<Action>& out) { out.insert(out.end(), {{0, 0}, {0, 1}}); };
  f.apply = [](const TaskState& s, Action a) {
    return TaskState(CountState{count_of(s).at + 1 + (a.label == 0 ? 10 : 0)});
  };
  f.features = [](const TaskState&, uint32_t, FeatureSink& out) { out.add("bias"); };
  f.loss = [](const TaskState& s) { return count_of(s).at / 10; };
  f.optimal_actions = [](const TaskState&, std::vector<Action>& out) { out.push_back({0, 1}); };
  return f;
}

std::string error_of(TaskFunctions f, const Learner& learner = {}, size_t most_actions = kMostActions) {
  std::vector<std::shared_ptr<const SearchTask>> tasks = {make_task(five_times_yes()).value(),
                                                          make_task(std::move(f)).value()};
  LearnOptions options;
  options.most_actions = most_actions;
  const auto learned = learn_to_search(tasks, learner, options);
  return learned.ok() ? "no error" : learned.error().message;
}

TEST(SearchTask, MayBeMadeOfFunctions) {
  const std::vector<std::shared_ptr<const SearchTask>> tasks = {make_task(five_times_yes()).value()};
  for (const char* name : {"searn", "laso-br", "laso-bst", "laso", "incremental"}) {
    const Policy policy = learn_to_search(tasks, name).value();
    EXPECT_EQ(policy.mean_loss(tasks).value(), 0) << name;
    EXPECT_EQ(policy.info().oracle, "optimal_actions");
  }
  TaskFunctions incomplete = five_times_yes();
  incomplete.apply = nullptr;
  EXPECT_THAT(make_task(incomplete).error().message, HasSubstr("apply is missing"));
}

TEST(SearchTask, MayHaveMoreLabelsThanAVectorHasLanes) {
  for (const size_t labels : {3, 64, 65, 300}) {
    TaskFunctions f = five_times_yes();
    f.labels = labels;
    f.actions = [labels](const TaskState&, std::vector<Action>& out) {
      for (uint32_t l = 0; l < labels; ++l) out.push_back({0, l});
    };
    f.apply = [labels](const TaskState& s, Action a) {
      return TaskState(CountState{count_of(s).at + 1 + (a.label + 2 == labels ? 0 : 10)});
    };
    f.optimal_actions = [labels](const TaskState&, std::vector<Action>& out) {
      out.push_back({0, static_cast<uint32_t>(labels - 2)});
    };
    const std::vector<std::shared_ptr<const SearchTask>> tasks = {make_task(f).value()};
    const Policy policy = learn_to_search(tasks, "laso-br").value();
    EXPECT_EQ(policy.mean_loss(tasks).value(), 0) << labels;
    const std::vector<Decision> decisions = policy.explain(*tasks[0]).value();
    double total = 0;
    for (const Decision& d : decisions) total += d.score;
    EXPECT_NEAR(policy.decode(*tasks[0]).value().score(), total, 1e-4) << labels;
  }
}

TEST(SearchTask, WhatItGetsWrongIsNamed) {
  const auto with = [](auto change) {
    TaskFunctions f = five_times_yes();
    change(f);
    return f;
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  struct Case {
    TaskFunctions task;
    std::vector<std::string> says;
  };
  const std::vector<Case> cases = {
      {with([](TaskFunctions& f) { f.initial = [] { return TaskState(); }; }),
       {"step 0", "initial() gave no state"}},
      {with([](TaskFunctions& f) {
         f.actions = [](const TaskState& s, std::vector<Action>& out) {
           if (count_of(s).at % 10 != 3) out.insert(out.end(), {{0, 0}, {0, 1}});
         };
       }),
       {"step 3", "actions() gave no action"}},
      {with([](TaskFunctions& f) {
         f.actions = [](const TaskState&, std::vector<Action>& out) {
           out.insert(out.end(), {{0, 0}, {0, 7}});
         };
       }),
       {"step 0", "label 7", "labels() says that there are 2"}},
      {with([](TaskFunctions& f) {
         f.optimal_actions = [](const TaskState& s, std::vector<Action>& out) {
           out.push_back({count_of(s).at == 2 ? 4u : 0u, 1});
         };
       }),
       {"step 2", "optimal_actions() gave the action 'candidate 4, label 1'", "none of the 2"}},
      {with([](TaskFunctions& f) { f.optimal_actions = [](const TaskState&, std::vector<Action>&) {}; }),
       {"step 0", "optimal_actions() gave no action"}},
      {with([](TaskFunctions& f) {
         f.apply = [](const TaskState& s, Action) {
           return count_of(s).at == 1 ? TaskState() : TaskState(CountState{count_of(s).at + 1});
         };
       }),
       {"step 1", "apply() gave no state for the action 'candidate 0, label 1'"}},
      {with([&](TaskFunctions& f) {
         f.features = [=](const TaskState& s, uint32_t, FeatureSink& out) {
           out.add("bias");
           out.add("odd", count_of(s).at % 10 == 1 ? nan : 1);
         };
       }),
       {"step 1", "features() gave feature 'odd' of candidate 0 the value nan"}},
      {with([](TaskFunctions& f) {
         f.features = [](const TaskState&, uint32_t, FeatureSink& out) { out.add(3, 1e300); };
       }),
       {"features() gave feature '#3' of candidate 0 the value 1e+300"}},
      {with([](TaskFunctions& f) { f.is_goal = [](const TaskState&) { return false; }; }),
       {"step 50", "a path of 50 actions has not come to a goal"}},
  };
  for (const Case& c : cases)
    for (const char* name : {"searn", "laso-br", "laso-bst", "laso", "incremental"}) {
      const std::string error = error_of(c.task, name, 50);
      EXPECT_THAT(error, HasSubstr("example 2")) << name;
      for (const std::string& text : c.says) EXPECT_THAT(error, HasSubstr(text)) << name;
    }
}

TEST(SearchTask, ALossThatIsNoneIsNamed) {
  for (const double loss : {-2.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    TaskFunctions f = five_times_yes();
    f.loss = [=](const TaskState&) { return loss; };
    EXPECT_THAT(error_of(f), AllOf(HasSubstr("example 2, step 5"), HasSubstr("loss() gave"))) << loss;
    f = five_times_yes();
    f.optimal_actions = nullptr;
    f.best_loss = [=](const TaskState&) { return loss; };
    const std::vector<std::shared_ptr<const SearchTask>> tasks = {make_task(f).value()};
    EXPECT_THAT(learn_to_search(tasks).error().message, HasSubstr("best_loss() gave"));
    f.best_loss = nullptr;
    f.loss = [=](const TaskState&) { return loss; };
    f.loss_so_far = [=](const TaskState&) { return loss; };
    const std::vector<std::shared_ptr<const SearchTask>> searched = {make_task(f).value()};
    EXPECT_THAT(learn_to_search(searched).error().message,
                HasSubstr(loss < 0 ? "loss() gave -2" : "loss_so_far() gave"));
  }
}

TEST(SearchTask, ErrorsTellTheStateInWords) {
  TaskFunctions f = five_times_yes();
  f.describe = [](const TaskState& s) { return "after " + std::to_string(count_of(s).at); };
  f.optimal_actions = [](const TaskState&, std::vector<Action>&) {};
  EXPECT_THAT(error_of(f), HasSubstr("example 2, step 0, state 'after 0': optimal_actions() gave no action"));
}

TEST(SearchTask, WhatItsFunctionsThrowReachesTheCaller) {
  struct Mine : std::runtime_error {
    using std::runtime_error::runtime_error;
  };
  const auto held = std::make_shared<int>(1);
  const Policy policy =
      learn_to_search(std::vector<std::shared_ptr<const SearchTask>>{make_task(five_times_yes()).value()})
          .value();
  {
    TaskFunctions f = five_times_yes();
    f.initial = [held] { return TaskState(std::pair<std::shared_ptr<int>, int>(held, 0)); };
    const auto at = [](const TaskState& s) { return s.as<std::pair<std::shared_ptr<int>, int>>().second; };
    f.is_goal = [at](const TaskState& s) { return at(s) == 5; };
    f.apply = [at, held](const TaskState& s, Action) {
      if (at(s) == 3) throw Mine("no fourth step");
      return TaskState(std::pair<std::shared_ptr<int>, int>(held, at(s) + 1));
    };
    const std::vector<std::shared_ptr<const SearchTask>> tasks = {make_task(f).value()};
    for (const char* name : {"searn", "laso-br", "laso-bst", "laso", "incremental"})
      EXPECT_THROW((void)learn_to_search(tasks, name), Mine) << name;
    EXPECT_THROW((void)policy.decode(*tasks[0]), Mine);
    EXPECT_THROW((void)policy.decode(*tasks[0], {.beam = 3}), Mine);
    EXPECT_THROW((void)policy.mean_loss(tasks, {}, 2), Mine);
  }
  EXPECT_EQ(held.use_count(), 1);  // every state is gone
  EXPECT_TRUE(policy.decode(*make_task(five_times_yes()).value()).ok());
}

TEST(SearchTask, ExamplesMustAgree) {
  TaskFunctions other = five_times_yes();
  other.labels = 3;
  EXPECT_THAT(error_of(other), HasSubstr("example 2: labels() gave 3"));
  other = five_times_yes();
  other.loss_so_far = [](const TaskState&) { return 0.0; };
  EXPECT_THAT(error_of(other), HasSubstr("other functions than that of example 1"));
  EXPECT_THAT(learn_to_search(SearchTasks()).error().message, HasSubstr("no examples"));
}

TEST(SearchTask, LearningNeedsALossAndAnOracle) {
  TaskFunctions f = five_times_yes();
  const auto learn = [&] {
    const std::vector<std::shared_ptr<const SearchTask>> tasks = {make_task(f).value()};
    return learn_to_search(tasks);
  };
  f.optimal_actions = nullptr;
  EXPECT_THAT(learn().error().message, HasSubstr("optimal_actions(), or best_loss(), or loss_so_far()"));
  f.loss_so_far = f.loss;
  EXPECT_EQ(learn().value().info().oracle, "a search with a beam of 10");
  f.best_loss = f.loss;
  EXPECT_EQ(learn().value().info().oracle, "best_loss");
  f.loss = nullptr;
  EXPECT_THAT(learn().error().message, HasSubstr("loss()"));
}

/// All four ways to know the right actions lead to the same policy where they agree.
struct ToldByLoss : ToggleTask {
  void optimal_actions(const State&, std::vector<Action>&) const = delete;
};
struct ToldByActions : ToggleTask {
  void best_loss(const State&) const = delete;
};
struct FoundBySearch {
  using State = ToggleTask::State;
  ToggleTask task;
  size_t labels() const { return 2; }
  State initial() const { return task.initial(); }
  bool is_goal(const State& s) const { return task.is_goal(s); }
  void actions(const State& s, std::vector<Action>& out) const { task.actions(s, out); }
  State apply(const State& s, Action a) const { return task.apply(s, a); }
  void features(const State& s, uint32_t c, FeatureSink& out) const { task.features(s, c, out); }
  double loss(const State& s) const { return s.errors; }
  double loss_so_far(const State& s) const { return s.errors; }
};

TEST(SearchTask, TheOracleIsTheSameWhereverItComesFrom) {
  const auto plain = toggles(1, 30, 6);
  std::vector<ToldByLoss> by_loss;
  std::vector<ToldByActions> by_actions;
  std::vector<FoundBySearch> searched;
  for (const ToggleTask& t : plain) {
    by_loss.push_back({t});
    by_actions.push_back({t});
    searched.push_back({t});
  }
  for (const char* name : {"searn", "laso-br", "incremental"}) {
    const Policy first = learn_to_search(plain, name).value();
    const std::vector<Policy> others = {learn_to_search(by_loss, name).value(),
                                        learn_to_search(by_actions, name).value(),
                                        learn_to_search(searched, name).value()};
    EXPECT_EQ(others[0].info().oracle, "best_loss");
    EXPECT_EQ(others[1].info().oracle, "optimal_actions");
    EXPECT_EQ(others[2].info().oracle, "a search with a beam of 10");
    for (const Policy& other : others)
      for (const ToggleTask& t : toggles(5, 20, 6))
        EXPECT_EQ(first.decode(t, {.beam = 3}).value().score(), other.decode(t, {.beam = 3}).value().score())
            << name;
  }
}

/// Covers a stretch with pieces of length 1 to 3; states with as much covered compete.
struct PiecesTask {
  struct State {
    uint32_t at = 0, errors = 0;
  };
  std::vector<uint32_t> ends;  ///< of the right pieces; the last is the length
  bool broken = false;
  State initial() const { return {}; }
  bool is_goal(const State& s) const { return s.at == ends.back(); }
  void actions(const State& s, std::vector<Action>& out) const {
    for (uint32_t n = 1; n <= 3 && s.at + n <= ends.back(); ++n) out.push_back({n, 0});
  }
  State apply(const State& s, Action a) const {
    const uint32_t to = s.at + a.candidate;
    const bool right = std::find(ends.begin(), ends.end(), to) != ends.end();
    return {to, s.errors + !right};
  }
  void features(const State& s, uint32_t n, FeatureSink& out) const {
    out.add("length " + std::to_string(n));
    for (uint32_t p = s.at + 1; p <= s.at + n; ++p)
      if (std::find(ends.begin(), ends.end(), p) != ends.end()) out.add(p == s.at + n ? "ends" : "runs over");
  }
  double loss(const State& s) const { return s.errors; }
  double loss_so_far(const State& s) const { return s.errors; }
  size_t level(const State& s) const { return broken ? 0 : s.at; }
};

TEST(SearchTask, StatesOfOneLevelCompete) {
  std::vector<PiecesTask> train = {{{2, 3, 6, 8}}, {{1, 3, 4, 7}}, {{3, 5, 6, 9}}, {{1, 2, 5}}};
  const std::vector<PiecesTask> test = {{{3, 4, 6, 7}}, {{2, 5, 6}}};
  for (const char* name : {"searn", "laso-br", "laso-bst", "laso", "incremental"}) {
    const Policy policy = learn_to_search(train, name).value();
    EXPECT_EQ(policy.mean_loss(test).value(), 0) << name;
    train[1].broken = true;
    EXPECT_THAT(learn_to_search(train, name).error().message,
                AllOf(HasSubstr("example 2"), HasSubstr("level() gave 0"), HasSubstr("must grow")))
        << name;
    train[1].broken = false;
  }
}

TEST(SearchTasks, KeepWhatIsGivenAway) {
  LearnOptions options;
  options.dev = toggles(3, 10, 5);
  const SearchTasks train = toggles(1, 20, 5);
  std::vector<std::unique_ptr<TaskView<ToggleTask>>> pointers;
  const auto test = toggles(2, 10, 5);
  for (const ToggleTask& task : test) pointers.push_back(std::make_unique<TaskView<ToggleTask>>(task));
  const Policy policy = learn_to_search(train, "incremental", options).value();
  EXPECT_EQ(policy.mean_loss(pointers).value(), policy.mean_loss(test).value());
  EXPECT_EQ(policy.mean_loss(options.dev).value(), policy.info().dev_loss);
  EXPECT_EQ(train.size(), 20u);
}

TEST(TaskState, HoldsSmallPlainValuesInsideAndSharesOthers) {
  const TaskState small(CountState{7});
  EXPECT_EQ(small.as<CountState>().at, 7);
  const TaskState copy = small;
  EXPECT_NE(&copy.as<CountState>(), &small.as<CountState>());
  const TaskState text(std::string("a text that is too long to be kept inside of the string itself"));
  const TaskState shared = text;
  EXPECT_EQ(&shared.as<std::string>(), &text.as<std::string>());
  const TaskState large(std::array<int, 100>{1, 2, 3});
  EXPECT_EQ((TaskState(large).as<std::array<int, 100>>()[2]), 3);
  EXPECT_TRUE(TaskState().empty());
  EXPECT_THROW((void)small.as<int>(), ContractViolation);
  EXPECT_THROW((void)TaskState().as<int>(), ContractViolation);
}

TEST(LearnToSearch, RefusesSettingsThatMeanNothing) {
  const auto train = toggles(1, 5, 4);
  const auto error = [&](const std::string& name, const Settings& settings) {
    const auto learned = learn_to_search(train, Learner(name, settings));
    return learned.ok() ? std::string("no error") : learned.error().message;
  };
  EXPECT_THAT(error("crf", {}),
              AllOf(HasSubstr("'crf'"), HasSubstr("searn, laso-br, laso-bst, laso, incremental")));
  EXPECT_THAT(error("searn", {{"history", "2"}}), AllOf(HasSubstr("'history'"), HasSubstr("beam")));
  EXPECT_THAT(error("laso-br", {{"iterations", "2"}}), HasSubstr("'iterations'"));
  EXPECT_THAT(error("searn", {{"beam", "0"}}), HasSubstr("beam=0: expected a whole number from 1"));
  EXPECT_THAT(error("searn", {{"beam", "2.5"}}), HasSubstr("expected a whole number"));
  EXPECT_THAT(error("searn", {{"beam", "many"}}), HasSubstr("beam=many"));
  EXPECT_THAT(error("searn", {{"beta", "nan"}}), HasSubstr("beta=nan"));
  EXPECT_THAT(error("searn", {{"classifier", "liblinear"}}), HasSubstr("expected perceptron, logistic"));
  EXPECT_THAT(error("searn", {{"beam", "2"}, {"beam", "3"}}), HasSubstr("set twice"));
  EXPECT_THAT(error("searn", {{"rate", "0.2"}}), HasSubstr("rate has no effect with classifier=perceptron"));
  EXPECT_THAT(error("searn", {{"samples", "3"}}), HasSubstr("samples has no effect with costs=optimal"));
  EXPECT_THAT(error("searn", {{"beta", "0.5"}, {"roll-in", "aggregate"}}), HasSubstr("beta has no effect"));
  EXPECT_THAT(error("searn", {{"oracle-beam", "3"}}), HasSubstr("oracle-beam has no effect"));
  EXPECT_THAT(error("searn", {{"patience", "3"}}), HasSubstr("patience has no effect without dev"));
  EXPECT_EQ(error("incremental", {{"update", "early"}, {"beam", "2"}}), "no error");
  LearnOptions options;
  options.threads = -1;
  EXPECT_FALSE(learn_to_search(train, "searn", options).ok());
}

}  // namespace
}  // namespace espalier

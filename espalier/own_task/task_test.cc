#include "espalier/task.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <thread>

#include "espalier/base/files/section_file.h"
#include "espalier/base/files/temporary_directory.h"
#include "espalier/model/model.h"
#include "espalier/own_task/toys.h"

namespace espalier {
namespace {

using ::testing::HasSubstr;

const std::vector<std::string>& every_learner() {
  static const std::vector<std::string> names = {"searn", "laso-br", "laso-bst", "laso", "incremental"};
  return names;
}

TEST(Policy, EveryLearnerLearnsLabels) {
  const auto train = toggles(1, 100, 8), test = toggles(2, 100, 8);
  for (const std::string& name : every_learner()) {
    const Policy policy = learn_to_search(train, name).value();
    EXPECT_LT(policy.mean_loss(test).value(), 0.05) << name;
    EXPECT_EQ(policy.info().learner, name);
    EXPECT_EQ(policy.info().examples, 100u);
    EXPECT_EQ(policy.info().labels, 2u);
    EXPECT_GT(policy.info().weights, 0u);
    EXPECT_EQ(policy.info().oracle, "optimal_actions and best_loss");
  }
}

TEST(Policy, EveryLearnerLearnsChoicesThatChange) {
  const auto train = assignments(1, 150, 4), test = assignments(2, 150, 4);
  double untrained = 0;  // the first job that is left is right once in four
  for (const AssignTask& task : test)
    for (uint32_t p = 0; p < 4; ++p) untrained += task.truth[p] != p;
  untrained /= 150;
  for (const std::string& name : every_learner()) {
    const Policy policy = learn_to_search(train, Learner(name, {{"beam", "4"}})).value();
    EXPECT_LT(policy.mean_loss(test).value(), untrained / 3) << name;
    EXPECT_EQ(policy.info().oracle, "a search with a beam of 10");
  }
}

TEST(Policy, EveryClassifierAndCostOfSearnLearns) {
  const auto train = toggles(1, 60, 6), test = toggles(2, 60, 6);
  const std::vector<Settings> choices = {{{"classifier", "logistic"}},
                                         {{"classifier", "softmax-margin"}, {"l2", "0.01"}},
                                         {{"classifier", "svm"}, {"rate", "0.2"}},
                                         {{"costs", "sample"}, {"samples", "2"}},
                                         {{"costs", "sample"}, {"oracle-roll-outs", "0.5"}},
                                         {{"beta", "0.4"}},
                                         {{"beta", "0.4"}, {"iterations", "3"}, {"beam", "3"}},
                                         {{"roll-in", "aggregate"}},
                                         {{"folds", "3"}},
                                         {{"average", "no"}}};
  for (const Settings& settings : choices)
    EXPECT_LT(learn_to_search(train, Learner("searn", settings)).value().mean_loss(test).value(), 0.1)
        << settings[0].first << '=' << settings[0].second;
}

/// Scores of whole paths, each found by a search that can go no other way.
template <PlainTask T>
std::vector<std::pair<double, std::vector<Action>>> scored_paths(const Policy& policy, const T& task) {
  std::vector<std::vector<Action>> paths;
  std::vector<Action> none;
  all_paths(task, task.initial(), none, paths);
  std::vector<std::pair<double, std::vector<Action>>> scored;
  for (const auto& path : paths) {
    const SearchResult one = policy.decode(OnePath<T>{task, path}).value();
    EXPECT_EQ(one.actions(), path);
    scored.emplace_back(one.score(), path);
  }
  std::stable_sort(scored.begin(), scored.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  return scored;
}

TEST(Policy, AWideBeamFindsWhatBruteForceFinds) {
  const Policy policy = learn_to_search(assignments(1, 50, 4), Learner("laso-br", {{"passes", "2"}})).value();
  size_t greedy_is_worse = 0;
  for (const AssignTask& task : assignments(7, 40, 4)) {
    const auto all = scored_paths(policy, task);
    ASSERT_EQ(all.size(), 24u);
    const SearchResult wide = policy.decode(task, {.beam = 24, .nbest = 24}).value();
    EXPECT_EQ(wide.end, SearchEnd::kExact);
    EXPECT_NEAR(wide.score(), all[0].first, 1e-4);
    ASSERT_EQ(wide.paths.size(), 24u);
    for (size_t i = 0; i < 24; ++i) EXPECT_NEAR(wide.paths[i].score, all[i].first, 1e-4);
    const SearchResult greedy = policy.decode(task, {.beam = 1, .method = SearchMethod::kBeam}).value();
    EXPECT_EQ(greedy.end, SearchEnd::kApproximate);
    EXPECT_LE(greedy.score(), all[0].first + 1e-4);
    greedy_is_worse += greedy.score() < all[0].first - 1e-4;
    const SearchResult best_first =
        policy.decode(task, {.beam = 24, .method = SearchMethod::kBestFirst}).value();
    EXPECT_LE(best_first.score(), all[0].first + 1e-4);
    EXPECT_EQ(wide.goal().as<AssignTask::State>().jobs.size(), 4u);
  }
  EXPECT_GT(greedy_is_worse, 0u);
}

void expect_same_decodes(const Policy& one, const Policy& other, const std::vector<AssignTask>& tasks) {
  for (const AssignTask& task : tasks)
    for (const size_t beam : {size_t{1}, size_t{4}}) {
      const SearchResult a = one.decode(task, {.beam = beam}).value(),
                         b = other.decode(task, {.beam = beam}).value();
      EXPECT_EQ(a.actions(), b.actions());
      EXPECT_EQ(a.score(), b.score());
    }
}

TEST(Policy, IsTheSameAfterSavingAndOpening) {
  const TemporaryDirectory folder;
  const auto test = assignments(2, 30, 4);
  for (const Learner& learner :
       {Learner("searn", {{"beta", "0.5"}, {"iterations", "3"}}), Learner("incremental")}) {
    const Policy policy = learn_to_search(assignments(1, 60, 4), learner).value();
    const std::string path = folder.path("assign.policy");
    policy.save(path).value();
    const Policy opened = Policy::open(path).value();
    expect_same_decodes(policy, opened, test);
    expect_same_decodes(policy, Policy::from_bytes(policy.bytes()).value(), test);
    EXPECT_EQ(policy.bytes(), opened.bytes());
    EXPECT_EQ(opened.info().learner, learner.name);
    EXPECT_EQ(opened.info().settings, policy.info().settings);
    EXPECT_EQ(opened.info().weights, policy.info().weights);
    EXPECT_EQ(opened.info().classifiers, learner.name == "searn" ? 3u : 1u);
  }
}

TEST(Policy, RefusesFilesThatAreNotPolicies) {
  const Policy policy = learn_to_search(toggles(1, 10, 4)).value();
  const std::vector<std::byte> good = policy.bytes();
  for (size_t at = 0; at < good.size(); at += 37) {
    std::vector<std::byte> bad = good;
    bad[at] ^= std::byte{0x40};
    EXPECT_FALSE(Policy::from_bytes(bad).ok()) << at;
  }
  EXPECT_FALSE(Policy::from_bytes({good.begin(), good.end() - 1}).ok());
  EXPECT_FALSE(Policy::open("/nonexistent/policy").ok());

  SectionWriter tagger;
  tagger.add_text("about", "{}");
  EXPECT_THAT(Policy::from_bytes(tagger.to_bytes(), "chunks.model").error().message,
              HasSubstr("chunks.model: this model labels sequences"));
  EXPECT_THAT(model::Model::from_bytes(good, "toggle.policy").error().message,
              HasSubstr("toggle.policy: this is the policy of a search task"));
}

/// The sections of a policy with one of them replaced: right checksums, wrong contents.
std::vector<std::byte> with_section(const Policy& policy, std::string_view name,
                                    const std::function<void(std::string&)>& change) {
  const SectionFile file = SectionFile::from_bytes(policy.bytes(), "policy").value();
  SectionWriter out;
  for (const SectionFile::Entry& entry : file.entries()) {
    std::string bytes(reinterpret_cast<const char*>(entry.bytes.data()), entry.bytes.size());
    if (entry.name == name) change(bytes);
    out.add_text(entry.name, bytes);
  }
  return out.to_bytes();
}

void replace_text(std::string& text, std::string_view from, std::string_view to) {
  const size_t at = text.find(from);
  ASSERT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
}

TEST(Policy, RefusesContentsThatMakeNoSense) {
  const Policy policy = learn_to_search(toggles(1, 10, 4)).value();
  const auto refused = [&](std::string_view from, std::string_view to, const char* message) {
    const auto bytes =
        with_section(policy, "search-policy", [&](std::string& text) { replace_text(text, from, to); });
    const auto opened = Policy::from_bytes(bytes);
    ASSERT_FALSE(opened.ok()) << to;
    EXPECT_THAT(opened.error().message, HasSubstr(message));
  };
  refused("\"version\": 1", "\"version\": 9", "version 9; this library reads version 1");
  refused("\"labels\": 2", "\"labels\": 0", "an impossible number of labels");
  refused("\"labels\": 2", "\"labels\": \"two\"", "missing or of the wrong kind");
  refused("\"beam\": 1,", "\"beam\": 0,", "a beam of 0");
  refused("\"share\": 1.0", "\"share\": -1.0", "share");
  refused("{", "[", "not a JSON object");
  const auto nan = with_section(policy, "p0.hashed.rows", [](std::string& bytes) {
    const uint32_t pattern = 0x7FC00000;
    std::memcpy(bytes.data() + 4, &pattern, 4);  // the first weight of the first row
  });
  EXPECT_THAT(Policy::from_bytes(nan).error().message, HasSubstr("p0.hashed.rows"));
}

TEST(Policy, HasTheSameBytesAtAnyNumberOfThreads) {
  const auto train = assignments(1, 60, 4), dev = assignments(3, 20, 4);
  for (const std::string& name : every_learner()) {
    const auto bytes = [&](int threads, uint64_t seed) {
      LearnOptions options;
      options.dev = dev;
      options.threads = threads;
      options.seed = seed;
      return learn_to_search(train, name, options).value().bytes();
    };
    EXPECT_EQ(bytes(1, 1), bytes(2, 1)) << name;
    EXPECT_NE(bytes(1, 1), bytes(1, 2)) << name;
  }
}

TEST(Policy, DecodesOnEightThreadsAtOnce) {
  const auto tasks = assignments(2, 60, 4);
  const Policy policy = learn_to_search(assignments(1, 60, 4), Learner("incremental")).value();
  std::vector<SearchResult> expected;
  for (const AssignTask& task : tasks) expected.push_back(policy.decode(task).value());
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (size_t n = 0; n < 8; ++n)
    threads.emplace_back([&, n] {
      const Policy mine = policy;
      for (size_t i = 0; i < tasks.size(); ++i) {
        const size_t at = (i + 7 * n) % tasks.size();
        const SearchResult found = mine.decode(tasks[at]).value();
        if (found.actions() != expected[at].actions() || found.score() != expected[at].score()) ++wrong;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST(Policy, DevExamplesKeepTheBestRoundAndEndLearning) {
  const auto train = assignments(1, 80, 4), dev = assignments(3, 40, 4);
  LearnOptions options;
  options.dev = dev;
  std::vector<double> losses;
  options.on_progress = [&](const Progress& progress) {
    if (progress.round_ended) losses.push_back(progress.objective.value());
    return true;
  };
  const Policy policy =
      learn_to_search(train, Learner("laso-br", {{"passes", "60"}, {"patience", "2"}}), options).value();
  ASSERT_EQ(losses.size(), static_cast<size_t>(policy.info().rounds));
  EXPECT_LT(policy.info().rounds, 60);
  const auto best = std::min_element(losses.begin(), losses.end());
  EXPECT_EQ(policy.info().best_round, best - losses.begin() + 1);
  EXPECT_EQ(policy.info().dev_loss, *best);
  EXPECT_EQ(policy.mean_loss(dev, {}, 2).value(), *best);
}

TEST(Policy, LearningEndsEarlyWhenTold) {
  const auto train = toggles(1, 200, 8);
  LearnOptions options;
  int rounds = 0;
  options.on_progress = [&](const Progress& progress) { return !(progress.round_ended && ++rounds == 2); };
  for (const char* name : {"searn", "incremental"}) {
    rounds = 0;
    const Policy policy = learn_to_search(train, name, options).value();
    EXPECT_EQ(policy.info().rounds, 2) << name;
    EXPECT_TRUE(policy.info().interrupted);
    EXPECT_TRUE(policy.decode(train[0]).ok());
  }
  const std::atomic<bool> stop = true;
  LearnOptions at_once;
  at_once.stop = &stop;
  for (const std::string& name : every_learner()) {
    const Policy policy = learn_to_search(train, name, at_once).value();
    EXPECT_TRUE(policy.info().interrupted);
    EXPECT_LE(policy.info().rounds, 1);
    EXPECT_TRUE(policy.decode(train[0]).ok());
  }
}

TEST(Policy, ExplainsDecisionsByTheirFeatures) {
  const Policy policy = learn_to_search(assignments(1, 60, 4), Learner("laso-br")).value();
  const AssignTask task = assignments(2, 1, 4)[0];
  const SearchResult found = policy.decode(task).value();
  const std::vector<Decision> decisions = policy.explain(task, {}, 100).value();
  ASSERT_EQ(decisions.size(), 4u);
  double total = 0;
  for (const Decision& d : decisions) {
    EXPECT_EQ(d.action, found.actions()[d.step]);
    EXPECT_EQ(d.action_name, "job " + std::to_string(d.action.candidate));
    total += d.score;
    double difference = 0;
    for (const Decision::Reason& r : d.reasons) {
      EXPECT_TRUE(r.feature.starts_with("suits ") || r.feature.starts_with("others ")) << r.feature;
      difference += r.chosen - r.runner_up;
    }
    EXPECT_NEAR(difference, d.score - d.runner_up_score, 1e-5);
    EXPECT_TRUE(d.alone || d.score >= d.runner_up_score);
  }
  EXPECT_TRUE(decisions[3].alone);
  EXPECT_NEAR(total, found.score(), 1e-4);
  EXPECT_EQ(policy.explain(task, {}, 1).value()[0].reasons.size(), 1u);
}

TEST(Policy, RefusesWhatCannotBeDecoded) {
  const Policy policy = learn_to_search(toggles(1, 10, 4)).value();
  EXPECT_THAT(policy.decode(assignments(1, 1, 3)[0]).error().message, HasSubstr("labels() says 1"));
  const ToggleTask task = toggles(2, 1, 4)[0];
  EXPECT_THAT(policy.decode(task, {.nbest = 3}).error().message, HasSubstr("a beam of at least 3"));
  EXPECT_THAT(
      policy.decode(task, {.beam = 3, .method = SearchMethod::kBestFirst, .nbest = 2}).error().message,
      HasSubstr("needs a breadth-first search"));
  EXPECT_FALSE(policy.decode(task, {.nbest = 0}).ok());
  EXPECT_FALSE(policy.mean_loss({}).ok());
  EXPECT_THAT(policy.decode(task, {.most_actions = 3}).error().message, HasSubstr("a path of 3 actions"));
}

}  // namespace
}  // namespace espalier

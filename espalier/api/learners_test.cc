#include "espalier/public/learners.h"

#include <gtest/gtest.h>

#include <set>

#include "espalier/model/registry.h"

namespace espalier {
namespace {

const LearnerInfo& info_of(const std::string& name) {
  static const std::vector<LearnerInfo> all = learners();
  for (const LearnerInfo& info : all)
    if (info.name == name) return info;
  throw std::logic_error("no learner " + name);
}

// Structs with every field set, from those that several have.
template <typename Options>
Options with_common(Options o) {
  o.cutoff = 2;
  o.names = false;
  o.weight_bits = "16";
  o.patience = 2;
  return o;
}
template <typename Options>
Options with_label_weights(Options o) {
  o.label_weights = "O:2";
  return with_common(o);
}
template <typename Options>
Options with_likelihood(Options o) {
  o.l2 = o.l1 = o.rate = o.dropout = 0.5;
  o.passes = 2;
  return with_label_weights(o);
}
template <typename Options>
Options with_additive(Options o) {
  o.passes = 2;
  o.average = o.calibrate = false;
  return with_label_weights(o);
}
template <typename Options>
Options with_search(Options o) {
  o.passes = o.beam = o.history = 2;
  o.direction = "left-to-right";
  o.unit = "word";
  return with_common(o);
}

std::vector<Learner> full_structs() {
  return {
      with_likelihood(Crf{.algorithm = "adagrad", .iterations = 2}),
      with_likelihood(Memm{.algorithm = "adagrad", .iterations = 2}),
      with_additive(Perceptron{}),
      with_additive(Svm{.c = 0.5}),
      with_likelihood(Local{.classifier = "perceptron", .c = 0.5}),
      with_label_weights(Cascade{.order = 2,
                                 .last = "crf",
                                 .filter_loss = "0.01",
                                 .budget = 0.5,
                                 .passes = 2,
                                 .dropout = 0.5,
                                 .l2 = 0.5}),
      with_search(Searn{.classifier = "perceptron", .iterations = 2, .loss = "hamming"}),
      with_search(LasoBr{.rate = 0.5}),
      with_search(LasoBst{.rate = 0.5}),
      with_search(Laso{.rate = 0.5}),
      with_search(Incremental{.update = "early", .rate = 0.5}),
      Committee{.members = "crf,svm:c=0.1", .size = "small", .folds = 2, .time_budget = 60, .names = false},
      with_common(Brackets{.passes = 2, .training = "local", .longest = 2})};
}

TEST(PublicLearners, EveryFieldIsABasicParameterAndEveryBasicParameterAField) {
  std::set<std::string> seen;
  for (const Learner& learner : full_structs()) {
    seen.insert(learner.name);
    std::set<std::string> fields, basic;
    std::vector<std::string> settings;
    for (const auto& [name, value] : learner.settings) {
      fields.insert(name);
      settings.push_back(name + "=" + value);
    }
    for (const ParameterInfo& p : info_of(learner.name).parameters)
      if (p.basic) basic.insert(p.name);
    EXPECT_EQ(fields, basic) << learner.name;
    const auto spec = model::find_learner(learner.name);
    ASSERT_TRUE(spec.ok());
    const Status parsed = (*spec)->check_settings(settings);
    EXPECT_TRUE(parsed.ok()) << parsed.error().message;
  }
  EXPECT_EQ(seen.size(), learners().size()) << "a learner without a struct";
}

TEST(PublicLearners, FieldsThatAreNotSetAreLeftOut) {
  const Learner crf = Crf{.l2 = 0.5};
  EXPECT_EQ(crf.name, "crf");
  EXPECT_EQ(crf.settings, (Settings{{"l2", "0.5"}}));
  const Learner cascade = Cascade{.order = 4, .more = {{"warm-up", "2"}}};
  EXPECT_EQ(cascade.settings, (Settings{{"order", "4"}, {"warm-up", "2"}}));
  EXPECT_TRUE(static_cast<Learner>(Searn{}).settings.empty());
}

TEST(PublicLearners, TasksAndLearnersNameEachOther) {
  for (const TaskInfo& task : all_tasks())
    for (const std::string& learner : task.learners) {
      const std::vector<std::string>& back = info_of(learner).tasks;
      EXPECT_NE(std::find(back.begin(), back.end(), task.name), back.end()) << task.name << " " << learner;
    }
  EXPECT_EQ(all_tasks().front().learners.front(), "crf");
}

}  // namespace
}  // namespace espalier

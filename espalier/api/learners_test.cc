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

/// Learners made from structs with every field set.
std::vector<Learner> full_structs() {
  std::vector<Learner> all;
  all.push_back(Crf{.l2 = 0.5,
                    .l1 = 0.5,
                    .algorithm = "adagrad",
                    .passes = 2,
                    .rate = 0.5,
                    .dropout = 0.5,
                    .iterations = 2,
                    .cutoff = 2,
                    .names = false,
                    .weight_bits = "16",
                    .patience = 2,
                    .label_weights = "O:2"});
  all.push_back(Memm{.l2 = 0.5,
                     .l1 = 0.5,
                     .algorithm = "adagrad",
                     .passes = 2,
                     .rate = 0.5,
                     .dropout = 0.5,
                     .iterations = 2,
                     .cutoff = 2,
                     .names = false,
                     .weight_bits = "16",
                     .patience = 2,
                     .label_weights = "O:2"});
  all.push_back(Perceptron{.passes = 2,
                           .average = false,
                           .calibrate = false,
                           .cutoff = 2,
                           .names = false,
                           .weight_bits = "16",
                           .patience = 2,
                           .label_weights = "O:2"});
  all.push_back(Svm{.c = 0.5,
                    .passes = 2,
                    .average = false,
                    .calibrate = false,
                    .cutoff = 2,
                    .names = false,
                    .weight_bits = "16",
                    .patience = 2,
                    .label_weights = "O:2"});
  all.push_back(Local{.classifier = "perceptron",
                      .l2 = 0.5,
                      .l1 = 0.5,
                      .passes = 2,
                      .rate = 0.5,
                      .dropout = 0.5,
                      .c = 0.5,
                      .cutoff = 2,
                      .names = false,
                      .weight_bits = "16",
                      .patience = 2,
                      .label_weights = "O:2"});
  all.push_back(Cascade{.order = 2,
                        .last = "crf",
                        .filter_loss = "0.01",
                        .budget = 0.5,
                        .passes = 2,
                        .dropout = 0.5,
                        .l2 = 0.5,
                        .cutoff = 2,
                        .names = false,
                        .weight_bits = "16",
                        .patience = 2,
                        .label_weights = "O:2"});
  all.push_back(Searn{.classifier = "perceptron",
                      .iterations = 2,
                      .passes = 2,
                      .beam = 2,
                      .history = 2,
                      .direction = "left-to-right",
                      .loss = "hamming",
                      .unit = "word",
                      .cutoff = 2,
                      .names = false,
                      .weight_bits = "16",
                      .patience = 2});
  all.push_back(LasoBr{.passes = 2,
                       .rate = 0.5,
                       .beam = 2,
                       .history = 2,
                       .direction = "left-to-right",
                       .loss = "hamming",
                       .unit = "word",
                       .cutoff = 2,
                       .names = false,
                       .weight_bits = "16",
                       .patience = 2});
  all.push_back(LasoBst{.passes = 2,
                        .rate = 0.5,
                        .beam = 2,
                        .history = 2,
                        .direction = "left-to-right",
                        .loss = "hamming",
                        .unit = "word",
                        .cutoff = 2,
                        .names = false,
                        .weight_bits = "16",
                        .patience = 2});
  all.push_back(Laso{.passes = 2,
                     .rate = 0.5,
                     .beam = 2,
                     .history = 2,
                     .direction = "left-to-right",
                     .loss = "hamming",
                     .unit = "word",
                     .cutoff = 2,
                     .names = false,
                     .weight_bits = "16",
                     .patience = 2});
  all.push_back(Incremental{.update = "early",
                            .passes = 2,
                            .rate = 0.5,
                            .beam = 2,
                            .history = 2,
                            .direction = "left-to-right",
                            .loss = "hamming",
                            .unit = "word",
                            .cutoff = 2,
                            .names = false,
                            .weight_bits = "16",
                            .patience = 2});
  all.push_back(
      Committee{.members = "crf,svm:c=0.1", .size = "small", .folds = 2, .time_budget = 60, .names = false});
  all.push_back(Brackets{.passes = 2,
                         .training = "local",
                         .longest = 2,
                         .cutoff = 2,
                         .names = false,
                         .weight_bits = "16",
                         .patience = 2});
  return all;
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

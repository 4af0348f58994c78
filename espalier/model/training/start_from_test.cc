// Training a model further: what it knew stays, what is new is learned, and what does not fit is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "espalier/model/model.h"
#include "espalier/model/train.h"
#include "espalier/model/training/training_test_support.h"

namespace espalier::model {
namespace {

using testing::HasSubstr;

class StartFrom : public ChunkingTest {
 protected:
  StartFrom() : ChunkingTest(250, 150) {}

  /// Sentences of another domain: words that the data above do not have, with labels that they do.
  void write_dialect(const std::string& name, size_t sentences) {
    std::ofstream out(path(name));
    const char* const words[] = {"zork", "blip", "quux", "frob", "plugh"};
    for (size_t i = 0; i < sentences; ++i)
      out << words[i % 5] << "\tXX\tB-VP\n"
          << words[(i + 2) % 5] << "\tYY\tB-NP\n"
          << words[(i / 2) % 5] << "\tYY\tI-NP\n.\t.\tO\n\n";
  }

  TrainRequest request(const std::string& learner, const std::string& data, const std::string& model,
                       std::vector<std::string> settings = {}) const {
    TrainRequest r;
    r.train = {path(data)};
    r.model = path(model);
    r.learner = learner;
    r.settings = std::move(settings);
    r.threads = 1;
    return r;
  }
  Result<Trained> further(const std::string& learner, const std::string& data, const std::string& from,
                          const std::string& model, std::vector<std::string> settings = {}) const {
    TrainRequest r = request(learner, data, model, std::move(settings));
    ESPALIER_ASSIGN(Model old, Model::open(path(from)));
    r.start_from = std::make_shared<const Model>(std::move(old));
    return train(r, {});
  }

  /// Token accuracy in percent.
  double accuracy(const std::string& model_file, const std::string& data) const {
    return token_accuracy(path(model_file), path(data));
  }
  double f1(const std::string& model_file, const std::string& data) const {
    return scores_of(Model::open(path(model_file)).value(), path(data)).f1();
  }
};

struct LearnerCase {
  std::string learner;
  std::vector<std::string> first, again;  ///< settings of the first training and of one more pass
};
const std::vector<LearnerCase>& learner_cases() {
  static const std::vector<LearnerCase> cases = {
      {"crf", {}, {"passes=1"}},
      {"crf", {"dropout=0.25"}, {"dropout=0.25", "passes=1"}},
      {"crf", {"algorithm=lbfgs", "iterations=30"}, {"algorithm=lbfgs", "iterations=5"}},
      {"memm", {}, {"passes=1"}},
      {"perceptron", {"passes=15"}, {"passes=1"}},
      {"svm", {}, {"passes=1"}},
      {"cascade", {"passes=12"}, {"passes=1"}},
      {"laso-br", {}, {"passes=1"}},
      {"incremental", {}, {"passes=1"}},
      {"searn", {}, {"passes=1", "iterations=1"}},
      {"searn", {"classifier=logistic"}, {"classifier=logistic", "passes=1", "iterations=1"}},
  };
  return cases;
}

TEST_F(StartFrom, OneMorePassOverTheSameDataLeavesAModelAsGoodAsItWas) {
  write("large.txt", 2000, 7);  // a tenth of a point is about ten chunks
  for (const LearnerCase& c : learner_cases()) {
    const std::string name = c.learner + " " + testing::PrintToString(c.first);
    const auto first = train(request(c.learner, "train.txt", "first.model", c.first), {});
    ASSERT_TRUE(first.ok()) << name << ": " << first.error().message;
    const auto second = further(c.learner, "train.txt", "first.model", "second.model", c.again);
    ASSERT_TRUE(second.ok()) << name << ": " << second.error().message;
    const double before = f1("first.model", "large.txt"), after = f1("second.model", "large.txt");
    EXPECT_GT(after, before - 0.1) << name << " was " << before;
    EXPECT_EQ(second->model.about().training_sequences, 2 * first->model.about().training_sequences);
  }
}

TEST_F(StartFrom, FewSentencesOfAnotherDomainAreLearnedAndTheOldOnesStay) {
  write_dialect("few.txt", 10);
  write_dialect("dialect.txt", 40);
  for (const LearnerCase& c : learner_cases()) {
    const std::string name = c.learner + " " + testing::PrintToString(c.first);
    ASSERT_TRUE(train(request(c.learner, "train.txt", "first.model", c.first), {}).ok()) << name;
    const auto second = further(c.learner, "few.txt", "first.model", "second.model", c.first);
    ASSERT_TRUE(second.ok()) << name << ": " << second.error().message;
    const double before = accuracy("first.model", "dev.txt"), after = accuracy("second.model", "dev.txt");
    EXPECT_GT(after, before - 0.5) << name << " was " << before;
    EXPECT_GT(accuracy("second.model", "dialect.txt"), accuracy("first.model", "dialect.txt") + 5) << name;
    EXPECT_GT(accuracy("second.model", "dialect.txt"), 80) << name;
  }
}

TEST_F(StartFrom, ACascadeDropsNoFeaturesOfAHandfulOfSentences) {
  ASSERT_TRUE(train(request("cascade", "train.txt", "first.model", {"passes=4"}), {}).ok());
  write_dialect("few.txt", 15);
  write_dialect("more.txt", 150);
  const auto loss = [&](const std::string& data, std::vector<std::string> settings) {
    const auto second = further("cascade", data, "first.model", "second.model", std::move(settings));
    return second.ok() ? second->report.log.back().objective.value() : -1;
  };
  EXPECT_EQ(loss("few.txt", {}), loss("few.txt", {"dropout=0"}));
  EXPECT_NE(loss("few.txt", {}), loss("few.txt", {"dropout=0.25"})) << "what is asked for is done";
  EXPECT_EQ(loss("more.txt", {}), loss("more.txt", {"dropout=0.25"}));
}

TEST_F(StartFrom, NewLabelsJoinTheOldOnes) {
  write("more.txt", 30, 4);  // with the new label come some sentences of the old kind
  {
    std::ofstream out(path("more.txt"), std::ios::app);
    for (int i = 0; i < 20; ++i) out << "zork\tNN\tB-NEW\nzorks\tNNS\tI-NEW\n\n";
  }
  std::ofstream(path("new.txt")) << "zork\tNN\tB-NEW\nzorks\tNNS\tI-NEW\n\n";
  for (const LearnerCase& c : learner_cases()) {
    const std::string name = c.learner + " " + testing::PrintToString(c.first);
    ASSERT_TRUE(train(request(c.learner, "train.txt", "first.model", c.first), {}).ok()) << name;
    const auto second = further(c.learner, "more.txt", "first.model", "second.model", c.first);
    ASSERT_TRUE(second.ok()) << name << ": " << second.error().message;
    EXPECT_GT(accuracy("second.model", "dev.txt"), accuracy("first.model", "dev.txt") - 1.5) << name;
    EXPECT_EQ(accuracy("second.model", "new.txt"), 100) << name;
  }
}

TEST_F(StartFrom, AModelGrowsAgainAndAgain) {
  write_dialect("few.txt", 10);
  write("more.txt", 200, 5);
  for (const std::string learner : {"cascade", "laso-br", "searn", "crf"}) {
    ASSERT_TRUE(train(request(learner, "train.txt", "first.model"), {}).ok()) << learner;
    ASSERT_TRUE(further(learner, "few.txt", "first.model", "second.model").ok()) << learner;
    const auto third = further(learner, "more.txt", "second.model", "third.model");
    ASSERT_TRUE(third.ok()) << learner << ": " << third.error().message;
    EXPECT_GT(accuracy("third.model", "dev.txt"), accuracy("first.model", "dev.txt") - 0.3) << learner;
    EXPECT_GT(accuracy("third.model", "few.txt"), 80) << learner;
    const auto strongest = third->model.predictor().strongest(5, {});
    ASSERT_TRUE(strongest.ok()) << learner << ": " << strongest.error().message;
    EXPECT_EQ(strongest->size(), 5u);
  }
}

TEST_F(StartFrom, TheSameBytesAtAnyNumberOfThreads) {
  write_dialect("few.txt", 40);
  for (const std::string learner : {"crf", "perceptron", "cascade", "laso-br", "searn"}) {
    ASSERT_TRUE(train(request(learner, "train.txt", "first.model", {}), {}).ok()) << learner;
    std::set<std::string> models;
    for (const int threads : {1, 2, 3}) {
      TrainRequest r = request(learner, "few.txt", "second.model");
      r.start_from = std::make_shared<const Model>(Model::open(path("first.model")).value());
      r.threads = threads;
      ASSERT_TRUE(train(r, {}).ok()) << learner;
      models.insert(file_bytes(path("second.model")));
    }
    EXPECT_EQ(models.size(), 1u) << learner;
  }
}

TEST_F(StartFrom, WhatDoesNotFitIsRefusedByName) {
  ASSERT_TRUE(train(request("perceptron", "train.txt", "first.model", {"passes=2"}), {}).ok());
  const auto other_learner = further("crf", "train.txt", "first.model", "second.model");
  ASSERT_FALSE(other_learner.ok());
  EXPECT_THAT(other_learner.error().message, HasSubstr("a model of learner perceptron"));

  std::ofstream(path("animals.txt")) << "a\tX\tCAT\nb\tX\tDOG\n\nc\tX\tDOG\n\n";
  const auto other_labels = further("perceptron", "animals.txt", "first.model", "second.model");
  ASSERT_FALSE(other_labels.ok());
  EXPECT_THAT(other_labels.error().message, HasSubstr("knows none of the 2 labels"));

  std::ofstream(path("some.txt")) << "a\tX\tCAT\nb\tX\tDOG\nc\tX\tO\n\n";
  const auto few = further("perceptron", "some.txt", "first.model", "second.model");
  ASSERT_TRUE(few.ok()) << few.error().message;
  EXPECT_THAT(few->report.notes, testing::Contains(HasSubstr("knows only 1 of the 3 labels")));

  ASSERT_TRUE(train(request("cascade", "train.txt", "first.model", {"order=2", "passes=2"}), {}).ok());
  const auto other_order = further("cascade", "train.txt", "first.model", "second.model", {"order=3"});
  ASSERT_FALSE(other_order.ok());
  EXPECT_THAT(other_order.error().message, HasSubstr("levels of order 1, 2"));
  ASSERT_TRUE(
      train(request("searn", "train.txt", "first.model", {"classifier=logistic", "passes=2"}), {}).ok());
  const auto other_classifier = further("searn", "train.txt", "first.model", "second.model");
  ASSERT_FALSE(other_classifier.ok());
  EXPECT_THAT(other_classifier.error().message, HasSubstr("its classifier (logistic"));
}

}  // namespace
}  // namespace espalier::model

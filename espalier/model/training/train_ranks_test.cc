// Training on several ranks: the bytes of one, whoever holds which part of the data.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <mutex>

#include "espalier/base/thread_ranks.h"
#include "espalier/model/train.h"
#include "espalier/model/training/training_test_support.h"

namespace espalier::model {
namespace {

using testing::HasSubstr;

class TrainRanksTest : public ChunkingTest {
 protected:
  TrainRanksTest() : ChunkingTest(90) {
    write_chunking(path("more.txt"), 41, 7);
    write_chunking(path("last.txt"), 3, 9);
  }
  TrainRequest request(const std::string& learner, std::vector<std::string> settings) const {
    TrainRequest r;
    r.train = {path("train.txt"), path("more.txt"), path("last.txt")};
    r.learner = learner;
    r.settings = std::move(settings);
    r.threads = 1;
    return r;
  }
  std::string bytes_of(const std::string& name) const {
    std::ifstream file(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  /// Trains on one rank, and on several, and compares.
  void expect_same_bytes(TrainRequest r) const {
    r.model = path("one.model");
    const auto one = train(r, {});
    ASSERT_TRUE(one.ok()) << one.error().message;
    for (const int count : {2, 3, 5}) {
      r.threads = 1 + count % 2;
      r.model = path("several.model");
      run_ranks(count, [&](Ranks& ranks) {
        TrainRequest mine = r;
        mine.ranks = &ranks;
        const auto made = train(mine, {});
        ASSERT_TRUE(made.ok()) << made.error().message;
        EXPECT_EQ(made->report.sequences, one->report.sequences);
        EXPECT_EQ(made->report.ranks, count);
        ASSERT_FALSE(made->report.log.empty());
        EXPECT_EQ(made->report.log.back().objective, one->report.log.back().objective);
        EXPECT_EQ(made->report.log.back().dev_score, one->report.log.back().dev_score);
        EXPECT_EQ(made->report.notes, one->report.notes);
      });
      EXPECT_TRUE(bytes_of("one.model") == bytes_of("several.model")) << count << " ranks";
    }
  }
};

TEST_F(TrainRanksTest, BatchLearnersGiveTheBytesOfOneRank) {
  expect_same_bytes(request("crf", {"algorithm=lbfgs", "iterations=6"}));
  expect_same_bytes(request("crf", {"algorithm=lbfgs", "iterations=6", "l1=0.3", "cutoff=2"}));
  expect_same_bytes(request("memm", {"algorithm=lbfgs", "iterations=4"}));
  expect_same_bytes(request("local", {"algorithm=lbfgs", "iterations=4", "names=no"}));
}

TEST_F(TrainRanksTest, StochasticLearnersGiveTheBytesOfOneRank) {
  expect_same_bytes(request("crf", {"passes=3"}));
  expect_same_bytes(request("crf", {"passes=2", "batch=64", "dropout=0.3", "scheme=iobes"}));
  expect_same_bytes(request("memm", {"passes=2", "l1=0.1"}));
  expect_same_bytes(request("local", {"passes=2"}));
  expect_same_bytes(request("perceptron", {"passes=3"}));
  expect_same_bytes(request("local", {"classifier=perceptron", "passes=2", "batch=16"}));
}

TEST_F(TrainRanksTest, TemplatesWithPairsOfLabelsGiveTheBytesOfOneRank) {
  TrainRequest r = request("crf", {"passes=2"});
  r.feature_text = TemplateText{"template", "U00:%x[0,0]\nU01:%x[-1,0]\nB00:%x[0,0]\nB\n"};
  expect_same_bytes(r);
  r.settings = {"algorithm=lbfgs", "iterations=4"};
  expect_same_bytes(r);
}

TEST_F(TrainRanksTest, ADevelopmentSetIsScoredByAllTogether) {
  TrainRequest r = request("crf", {"passes=4", "patience=1"});
  r.dev = {path("dev.txt")};
  expect_same_bytes(r);
  r.learner = "perceptron";
  expect_same_bytes(r);
}

TEST_F(TrainRanksTest, AModelIsTrainedFurtherOnSeveralRanks) {
  TrainRequest old = request("crf", {"passes=2"});
  old.train = {path("dev.txt")};
  auto made = train(old, {});
  ASSERT_TRUE(made.ok());
  TrainRequest r = request("crf", {"passes=2"});
  r.start_from = std::make_shared<const Model>(std::move(made->model));
  expect_same_bytes(r);
}

TEST_F(TrainRanksTest, MoreRanksThanSequencesAreNoTrouble) {
  TrainRequest r = request("crf", {"passes=2"});
  r.train = {path("last.txt")};
  expect_same_bytes(r);
}

TEST_F(TrainRanksTest, ARunIsResumedWithAnyNumberOfRanks) {
  for (const std::string learner : {"crf", "perceptron"}) {
    TrainRequest r = request(learner, {"passes=4"});
    r.model = path("straight.model");
    ASSERT_TRUE(train(r, {}).ok());
    r.model = path("cut.model");
    r.checkpoint_every = 1;
    std::atomic<bool> stop{false};
    run_ranks(3, [&](Ranks& ranks) {
      TrainRequest mine = r;
      mine.ranks = &ranks;
      Monitor monitor;
      monitor.stop = &stop;
      monitor.on_progress = [&](const Progress& progress) {
        if (ranks.rank() == 0 && progress.round_ended && progress.round == 2) stop = true;
      };
      const auto made = train(mine, monitor);
      ASSERT_TRUE(made.ok()) << made.error().message;
      EXPECT_TRUE(made->report.interrupted);
    });
    r.resume = true;
    run_ranks(2, [&](Ranks& ranks) {
      TrainRequest mine = r;
      mine.ranks = &ranks;
      const auto made = train(mine, {});
      ASSERT_TRUE(made.ok()) << made.error().message;
      EXPECT_EQ(made->report.log.front().number, 3);
    });
    EXPECT_TRUE(bytes_of("straight.model") == bytes_of("cut.model")) << learner;
  }
}

TEST_F(TrainRanksTest, MixingLearnsNearlyAsWell) {
  for (const std::string learner : {"crf", "perceptron"}) {
    TrainRequest r = request(learner, {"passes=6"});
    r.model = path("together.model");
    ASSERT_TRUE(train(r, {}).ok());
    r.settings.emplace_back("mixing=every-pass");
    EXPECT_THAT(error_of(r), HasSubstr("several ranks only"));
    r.model = path("mixed.model");
    run_ranks(3, [&](Ranks& ranks) {
      TrainRequest mine = r;
      mine.ranks = &ranks;
      const auto made = train(mine, {});
      ASSERT_TRUE(made.ok()) << made.error().message;
    });
    EXPECT_FALSE(bytes_of("together.model") == bytes_of("mixed.model"));
    EXPECT_GT(token_accuracy(path("mixed.model"), path("dev.txt")),
              token_accuracy(path("together.model"), path("dev.txt")) - 3);
  }
}

TEST_F(TrainRanksTest, AnErrorInOneFileIsTheErrorOfAllRanks) {
  std::ofstream(path("bad.txt")) << "a b O\nc O\n\n";
  TrainRequest r = request("crf", {});
  r.train.emplace_back(path("bad.txt"));
  const auto one = train(r, {});
  ASSERT_FALSE(one.ok());
  run_ranks(4, [&](Ranks& ranks) {
    TrainRequest mine = r;
    mine.ranks = &ranks;
    const auto made = train(mine, {});
    ASSERT_FALSE(made.ok());
    EXPECT_EQ(made.error().message, one.error().message);
    EXPECT_THAT(made.error().message, HasSubstr("bad.txt:2"));
  });
}

TEST_F(TrainRanksTest, OtherLearnersSayThatTheyDoNotTrainOnSeveralRanks) {
  run_ranks(2, [&](Ranks& ranks) {
    for (const std::string learner : {"svm", "cascade", "searn"}) {
      TrainRequest r = request(learner, {});
      r.ranks = &ranks;
      EXPECT_THAT(error_of(r), HasSubstr("does not train on several ranks"));
    }
    TrainRequest r = request("local", {"classifier=svm"});
    r.ranks = &ranks;
    EXPECT_THAT(error_of(r), HasSubstr("do not train on several ranks"));
  });
}

}  // namespace
}  // namespace espalier::model

#include "espalier/model/train.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <set>

#include "espalier/data/synth/synth.h"
#include "espalier/model/model.h"
#include "espalier/model/pipeline.h"
#include "espalier/model/training/training_test_support.h"

namespace espalier::model {
namespace {

class TrainTest : public ChunkingTest {
 protected:
  TrainTest() : ChunkingTest(300, 60) {}

  TrainRequest request(const std::string& learner, std::vector<std::string> settings = {}) const {
    TrainRequest r;
    r.train = {path("train.txt")};
    r.model = path("out.model");
    r.learner = learner;
    r.settings = std::move(settings);
    r.threads = 1;
    return r;
  }

  /// Token accuracy on the dev file.
  double accuracy(const std::string& model_file, const data::PredictOptions& options = {}) const {
    return token_accuracy(model_file, path("dev.txt"), options);
  }
};

TEST_F(TrainTest, EveryLearnerLearnsAndItsModelOpens) {
  const std::vector<std::pair<std::string, std::vector<std::string>>> cases = {
      {"crf", {"passes=4"}},
      {"crf", {"algorithm=lbfgs", "iterations=15"}},
      {"crf", {"passes=4", "l1=0.5", "l2=0"}},
      {"perceptron", {"passes=4"}},
      {"svm", {"passes=4"}},
      {"memm", {"passes=4"}},
      {"local", {"passes=4"}},
      {"local", {"classifier=perceptron", "passes=4"}},
      {"local", {"classifier=svm"}},
  };
  for (const auto& [learner, settings] : cases) {
    const auto report = train(request(learner, settings), {});
    ASSERT_TRUE(report.ok()) << learner << ": " << report.error().message;
    EXPECT_GT(accuracy(path("out.model")), 80) << learner << " " << testing::PrintToString(settings);
  }
}

TEST_F(TrainTest, TheQuadraticMachineLearnsFromFewTokens) {
  write_chunking(path("few.txt"), 40, 3);
  TrainRequest r = request("local", {"classifier=quadratic-svm"});
  r.train = {path("few.txt")};
  const auto report = train(r, {});
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_GT(accuracy(path("out.model")), 60);
  r.settings.push_back("most-tokens=10");
  EXPECT_FALSE(train(r, {}).ok());
}

TEST_F(TrainTest, TheSameSeedGivesTheSameBytesAtAnyNumberOfThreads) {
  for (const std::string learner : {"crf", "perceptron", "svm", "memm", "local"}) {
    std::set<std::string> models;
    for (const int threads : {1, 2, 3}) {
      TrainRequest r = request(learner, {"passes=3"});
      r.threads = threads;
      ASSERT_TRUE(train(r, {}).ok());
      models.insert(file_bytes(r.model));
    }
    EXPECT_EQ(models.size(), 1u) << learner;
    TrainRequest other = request(learner, {"passes=3"});
    other.seed = 2;
    ASSERT_TRUE(train(other, {}).ok());
    EXPECT_EQ(models.count(file_bytes(other.model)), 0u) << learner << ": the seed makes no difference";
  }
}

TEST_F(TrainTest, TheDevSetKeepsTheBestRoundAndStopsEarly) {
  TrainRequest r = request("perceptron", {"passes=40", "patience=2"});
  r.dev = {path("dev.txt")};
  const auto report = train(r, {});
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_TRUE(report->report.stopped_early);
  ASSERT_TRUE(report->report.best_round.has_value());
  EXPECT_EQ(static_cast<size_t>(*report->report.best_round) + 2, report->report.log.size());
}

TEST_F(TrainTest, AnInterruptedRunResumesToTheSameBytes) {
  TrainRequest whole = request("crf", {"passes=5"});
  ASSERT_TRUE(train(whole, {}).ok());
  const std::string wanted = file_bytes(whole.model);

  TrainRequest first = request("crf", {"passes=5"});
  first.model = path("resumed.model");
  first.checkpoint_every = 1;
  train_two_rounds(first);
  EXPECT_GT(accuracy(first.model), 70) << "what an interrupted run leaves is usable";

  first.resume = true;
  const auto resumed = train(first, {});
  ASSERT_TRUE(resumed.ok()) << resumed.error().message;
  EXPECT_EQ(file_bytes(first.model), wanted);

  TrainRequest other = first;
  other.settings = {"passes=5", "l2=3"};
  EXPECT_FALSE(train(other, {}).ok()) << "no checkpoint is left, or it belongs to another run";
}

TEST_F(TrainTest, WarmStartKeepsWhatWasLearntAndTakesNewLabels) {
  ASSERT_TRUE(train(request("crf", {"passes=4"}), {}).ok());
  const double before = accuracy(path("out.model"));
  write_chunking(path("more.txt"), 60, 4);  // with the new label come some sentences of the old kind
  {
    std::ofstream out(path("more.txt"), std::ios::app);
    for (int i = 0; i < 20; ++i) out << "zork\tNN\tB-NEW\nzorks\tNNS\tI-NEW\n\n";
  }
  TrainRequest r = request("crf", {"passes=1"});
  r.train = {path("more.txt")};
  r.start_from = std::make_shared<const Model>(Model::open(path("out.model")).value());
  r.model = path("warm.model");
  const auto report = train(r, {});
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_GT(accuracy(path("warm.model")), before - 15);
  const auto model = Model::open(path("warm.model"));
  ASSERT_TRUE(model.ok());
  EXPECT_TRUE(model->labels().find("B-NEW").has_value());
  EXPECT_TRUE(model->labels().find("O").has_value() || model->labels().find("B-NP").has_value());
}

TEST_F(TrainTest, StrippingNamesLeavesThePredictionsAlone) {
  ASSERT_TRUE(train(request("crf", {"passes=3"}), {}).ok());
  ASSERT_TRUE(without_names(Model::open(path("out.model")).value().file()).save(path("small.model")).ok());
  EXPECT_LT(file_bytes(path("small.model")).size(), file_bytes(path("out.model")).size());
  EXPECT_EQ(accuracy(path("out.model")), accuracy(path("small.model")));
  const auto small = Model::open(path("small.model"));
  ASSERT_TRUE(small.ok());
  EXPECT_FALSE(small->predictor().strongest(5, {}).ok());
}

TEST_F(TrainTest, PosteriorDecodingAndSixteenBitsStayClose) {
  ASSERT_TRUE(train(request("crf", {"passes=4", "weight-bits=32"}), {}).ok());
  const double exact = accuracy(path("out.model"));
  data::PredictOptions posterior;
  posterior.decoder = data::Decoder::kPosterior;
  EXPECT_NEAR(accuracy(path("out.model"), posterior), exact, 3);
  ASSERT_TRUE(train(request("crf", {"passes=4", "weight-bits=16"}), {}).ok());
  EXPECT_NEAR(accuracy(path("out.model")), exact, 1);
}

TEST_F(TrainTest, WrongRequestsSayWhatIsWrong) {
  TrainRequest r = request("crff");
  auto failed = train(r, {});
  ASSERT_FALSE(failed.ok());
  EXPECT_NE(failed.error().message.find("did you mean 'crf'"), std::string::npos) << failed.error().message;
  failed = train(request("crf", {"passs=3"}), {});
  ASSERT_FALSE(failed.ok());
  EXPECT_NE(failed.error().message.find("did you mean 'passes'"), std::string::npos)
      << failed.error().message;
  EXPECT_FALSE(train(request("crf", {"passes=0"}), {}).ok());
  EXPECT_FALSE(train(request("crf", {"passes=1.5"}), {}).ok());
  EXPECT_FALSE(train(request("crf", {"label-weights=NOSUCH:2"}), {}).ok());
  r = request("crf");
  r.feature_columns = {9};
  EXPECT_FALSE(train(r, {}).ok());
  r = request("crf");
  r.feature_columns = {3};
  EXPECT_FALSE(train(r, {}).ok()) << "the label is no feature";
}

TEST_F(TrainTest, LabelWeightsRaiseTheRecallOfACostlyLabel) {
  const auto found = [&](const std::string& weights) {
    std::vector<std::string> settings = {"passes=1", "rate=0.02"};
    if (!weights.empty()) settings.push_back("label-weights=" + weights);
    EXPECT_TRUE(train(request("crf", settings), {}).ok());
    const auto model = Model::open(path("out.model"));
    const auto reader = data::open_reader(path("dev.txt"), model->about().reading_for_use());
    size_t count = 0;
    EXPECT_TRUE(run_pipeline(
                    **reader, model->predictor(), {}, Workers(1), {},
                    [](const auto&, const auto&, std::string&) {},
                    [&](const data::Sequence&, const data::Prediction& p, std::string_view) -> Status {
                      for (const data::Label y : p.labels()) count += model->labels().name(y) == "B-PP";
                      return {};
                    })
                    .ok());
    return count;
  };
  EXPECT_GT(found("B-PP:6"), found("")) << "mistakes on B-PP cost six times as much";
}

}  // namespace
}  // namespace espalier::model

// What models of searches show of themselves, explain, and let the user choose.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "espalier/model/training/search_test_support.h"

namespace espalier::model {
namespace {

using ::testing::HasSubstr;

TEST_F(SearchTraining, NamesAndBitsChangeTheFileAndNotTheLabels) {
  ASSERT_TRUE(run("searn", "label", {"weight-bits=32"}).ok());
  const double score = f1();
  const size_t size = bytes().size();
  ASSERT_TRUE(run("searn", "label", {"weight-bits=32", "names=no"}).ok());
  EXPECT_LT(bytes().size(), size);
  EXPECT_EQ(f1(), score);
  EXPECT_FALSE(Model::open(model_)->predictor().strongest(5, std::nullopt).ok());
  ASSERT_TRUE(run("searn", "label", {"weight-bits=16"}).ok());
  EXPECT_LT(bytes().size(), size);
  EXPECT_EQ(f1(), score);
}

TEST_F(SearchTraining, ModelsSayWhichClassifierTheyShowAndWhatHistoryIsCalled) {
  ASSERT_TRUE(run("searn", "label", {"beta=0.7", "iterations=3"}).ok());
  const auto mixed = Model::open(model_);
  ASSERT_TRUE(mixed.ok());
  EXPECT_EQ(mixed->predictor().about_weights(),
            "of the classifier with the largest share, number 3 of 3 (71.9 %)");  // 0.7 / (1 − 0.3³)
  EXPECT_THAT(mixed->predictor().details(), HasSubstr("perceptron, reduction direct"));
  const auto named = mixed->predictor().strongest(100000, std::nullopt);
  ASSERT_TRUE(named.ok());
  // What explain adds up is what inspect lists: the weights of the same classifier.
  const auto sequences = data::read_all({test_}, mixed->about().reading_for_use());
  const auto scratch = mixed->predictor().make_scratch();
  const auto reasons = mixed->predictor().explain((*sequences)[0], *scratch);
  size_t found = 0;
  for (const auto& c : (*reasons)[1].contributions) {
    if (!c.feature.starts_with("history")) continue;
    for (const auto& f : *named)
      found += f.feature == c.feature && f.label == (*reasons)[1].label && f.weight == c.weight ? 1 : 0;
  }
  EXPECT_GT(found, 0u);
  EXPECT_THAT(mixed->predictor().no_transitions(), HasSubstr("decided before"));
  ASSERT_TRUE(run("searn", "label", {"history=0"}).ok());
  EXPECT_THAT(Model::open(model_)->predictor().no_transitions(), HasSubstr("history=0"));
  ASSERT_TRUE(run("searn", "label", {"classifier=quadratic-svm", "iterations=1"}).ok());
  EXPECT_THAT(Model::open(model_)->predictor().about_weights(), HasSubstr("kernel machine"));
}

TEST_F(SearchTraining, ExplanationsOfChunksSayHowFarTheChunksReach) {
  ASSERT_TRUE(run("searn", "segment", {"iterations=1"}).ok());
  const auto model = Model::open(model_);
  ASSERT_TRUE(model.ok());
  const auto sequences = data::read_all({test_}, model->about().reading_for_use());
  const auto scratch = model->predictor().make_scratch();
  for (const data::Sequence& sequence : *sequences) {
    const auto reasons = model->predictor().explain(sequence, *scratch);
    ASSERT_TRUE(reasons.ok());
    EXPECT_EQ(reasons->back().decision, fmt::format("outside, word {}", sequence.length()));
    for (const auto& reason : *reasons) {
      EXPECT_NE(reason.decision, reason.runner_up_decision);
      EXPECT_THAT(reason.runner_up_decision, HasSubstr("word"));
    }
  }
}

TEST_F(SearchTraining, ChunksHaveABeamWhereScoresAreThoseOfProbabilities) {
  // A greedy search has no other labellings to show.
  data::Prediction out;
  data::PredictOptions options;
  options.nbest = 3;
  const std::pair<std::vector<std::string>, bool> cases[] = {{{}, true},
                                                             {{"classifier=logistic"}, true},
                                                             {{"beam=1"}, false},
                                                             {{"classifier=perceptron"}, false},
                                                             {{"classifier=liblinear"}, false},
                                                             {{"unit=word"}, false}};
  for (const auto& [settings, several] : cases) {
    ASSERT_TRUE(run("searn", "segment", settings).ok());
    const auto model = Model::open(model_);
    const auto scratch = model->predictor().make_scratch();
    const auto sequences = data::read_all({test_}, model->about().reading_for_use());
    const Status found = model->predictor().predict((*sequences)[0], {}, options, *scratch, out);
    EXPECT_EQ(found.ok(), several) << ::testing::PrintToString(settings);
  }
}

TEST_F(SearchTraining, TheDecoderOfASearchCanBeChosenWhenItIsUsed) {
  ASSERT_TRUE(run("searn", "label", {"iterations=2"}).ok());
  const auto model = Model::open(model_);
  const auto scratch = model->predictor().make_scratch();
  const auto sequences = data::read_all({test_}, model->about().reading_for_use());
  const data::Sequence& sequence = (*sequences)[0];
  using Method = data::SearchChoice::Method;
  data::Prediction out;
  data::PredictOptions options;
  const auto predict = [&] { return model->predictor().predict(sequence, {}, options, *scratch, out); };
  options.search = {Method::kBeam, 4};
  options.nbest = 3;
  ASSERT_TRUE(predict().ok());
  ASSERT_EQ(out.best.size(), 3u);
  EXPECT_EQ(out.search_end, data::SearchEnd::kApproximate);
  EXPECT_GE(out.best[0].score, out.best[1].score);
  EXPECT_GE(out.best[1].score, out.best[2].score);
  EXPECT_NE(out.best[0].labels, out.best[1].labels);
  options.nbest = 5;  // more than the beam is wide
  EXPECT_FALSE(predict().ok());
  options.nbest = 1;
  options.search = {Method::kBeam, 100000};  // wider than there are labellings
  data::Sequence two;
  two.clear(2);
  for (size_t row = 0; row < 2; ++row) {
    two.begin_row("", row + 1);
    for (size_t c = 0; c < 2; ++c) two.add_cell(sequence.cell(row, c));
  }
  ASSERT_TRUE(model->predictor().predict(two, {}, options, *scratch, out).ok());
  EXPECT_EQ(out.search_end, data::SearchEnd::kExact);
  options.search = {Method::kBestFirst, 10};
  ASSERT_TRUE(predict().ok());
  options.search = {Method::kGreedy, 5};
  EXPECT_FALSE(predict().ok());
}

TEST_F(SearchTraining, ChunksLearnedForABeamAreExplainedBesideChunksOfTheSameWords) {
  ASSERT_TRUE(run("laso-br", "segment", {"beam=1", "passes=3"}).ok());
  const auto model = Model::open(model_);
  ASSERT_TRUE(model.ok()) << model.error().message;
  const auto sequences = data::read_all({test_}, model->about().reading_for_use());
  ASSERT_TRUE(sequences.ok());
  const auto scratch = model->predictor().make_scratch();
  for (const data::Sequence& sequence : *sequences) {
    const auto reasons = model->predictor().explain(sequence, *scratch);
    ASSERT_TRUE(reasons.ok()) << reasons.error().message;
    // A beam of one keeps the best that covers these words, so nothing of the same words is above it.
    for (const auto& reason : *reasons) EXPECT_GE(reason.margin, 0);
  }
}

TEST_F(SearchTraining, ModelsExplainAndShowThemselves) {
  for (const char* unit : {"unit=word", "unit=chunk"}) {
    ASSERT_TRUE(run("searn", "segment", {unit}).ok());
    const auto model = Model::open(model_);
    ASSERT_TRUE(model.ok());
    const auto scratch = model->predictor().make_scratch();
    const auto sequences = data::read_all({test_}, model->about().reading_for_use());
    const auto reasons = model->predictor().explain((*sequences)[0], *scratch);
    ASSERT_TRUE(reasons.ok());
    ASSERT_EQ(reasons->size(), (*sequences)[0].length());
    for (const auto& reason : *reasons) {
      EXPECT_GE(reason.margin, 0);
      ASSERT_FALSE(reason.contributions.empty());
      double taken = 0, other = 0;
      for (const auto& c : reason.contributions) {
        EXPECT_FALSE(c.feature.empty());
        taken += c.weight;
        other += c.runner_up;
      }
      EXPECT_NEAR(taken - other, reason.margin, 1e-3);  // nothing is left out
    }
    const auto strongest = model->predictor().strongest(5, std::nullopt);
    ASSERT_TRUE(strongest.ok());
    EXPECT_EQ(strongest->size(), 5u);
    EXPECT_THAT(model->predictor().details(), HasSubstr("classifiers"));
    EXPECT_GT(model->predictor().size().weights, 0u);
  }
}

}  // namespace
}  // namespace espalier::model

// Models that learn in a finer label scheme than that of their data: answers, probabilities, forced labels,
// constraints and further training are in the scheme of the data.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <memory>
#include <set>

#include "espalier/chain/model/model.h"
#include "espalier/constrain/constrained_predictor.h"
#include "espalier/model/train.h"
#include "espalier/model/training/training_test_support.h"

namespace espalier::model {
namespace {

using ::testing::HasSubstr;

class InnerSchemeTest : public ChunkingTest {
 protected:
  InnerSchemeTest() : ChunkingTest(150) {}

  TrainRequest request(const std::string& learner, const std::string& scheme) const {
    TrainRequest r;
    r.train = {path("train.txt")};
    r.learner = learner;
    r.settings = {"passes=4", "scheme=" + scheme};
    r.threads = 1;
    return r;
  }
  static Model trained(const TrainRequest& request) {
    auto made = train(request, {});
    EXPECT_TRUE(made.ok()) << made.error().message;
    return std::move(made->model);
  }
};

TEST_F(InnerSchemeTest, LearnersAnswerInTheSchemeOfTheData) {
  for (const char* const learner : {"crf", "memm", "svm", "perceptron", "local", "cascade"}) {
    const Model fine = trained(request(learner, "iobes")), coarse = trained(request(learner, "data"));
    EXPECT_FALSE(coarse.inner_labels().refined());
    ASSERT_TRUE(fine.inner_labels().refined()) << learner;
    EXPECT_GT(fine.inner_labels().size(), fine.labels().size());
    EXPECT_EQ(std::set(fine.labels().names().begin(), fine.labels().names().end()),
              std::set(coarse.labels().names().begin(), coarse.labels().names().end()));
    EXPECT_GT(token_accuracy(fine, path("dev.txt")), 90) << learner;
  }
}

TEST_F(InnerSchemeTest, ProbabilitiesAreThoseOfAllReadings) {
  const Model model = trained(request("crf", "iobes"));
  const auto scratch = model.predictor().make_scratch();
  const size_t K = model.labels().size();
  data::PredictOptions options;
  options.confidence = options.marginals = true;
  options.nbest = 4;
  for (const data::Sequence& sequence : dev()) {
    data::Prediction prediction, posterior, forced_one;
    ASSERT_TRUE(model.predictor().predict(sequence, {}, options, *scratch, prediction).ok());
    for (size_t i = 1; i < prediction.best.size(); ++i) {
      EXPECT_LE(prediction.best[i].score, prediction.best[i - 1].score);
      for (size_t j = 0; j < i; ++j) EXPECT_NE(prediction.best[i].labels, prediction.best[j].labels);
    }
    data::PredictOptions by_position;
    by_position.decoder = data::Decoder::kPosterior;
    ASSERT_TRUE(model.predictor().predict(sequence, {}, by_position, *scratch, posterior).ok());
    for (size_t t = 0; t < sequence.length(); ++t) {
      const float* p = prediction.marginals.data() + t * K;
      double sum = 0;
      for (size_t j = 0; j < K; ++j) {
        sum += p[j];
        EXPECT_LE(p[j], p[posterior.labels()[t]] + 1e-6);
      }
      EXPECT_NEAR(sum, 1, 1e-4);
      EXPECT_NEAR(prediction.confidence[t], p[prediction.labels()[t]], 1e-5);
    }
    // Forcing the whole answer changes nothing; forcing one label gives it.
    ASSERT_TRUE(model.predictor().predict(sequence, prediction.labels(), {}, *scratch, forced_one).ok());
    EXPECT_EQ(forced_one.labels(), prediction.labels());
    std::vector<data::Label> forced(sequence.length(), data::kNoLabel);
    for (data::Label label = 0; label < K; ++label) {
      forced.back() = label;
      ASSERT_TRUE(model.predictor().predict(sequence, forced, {}, *scratch, forced_one).ok());
      EXPECT_EQ(forced_one.labels().back(), label);
    }
    const auto why = model.predictor().explain(sequence, *scratch);
    ASSERT_TRUE(why.ok());
    for (size_t t = 0; t < sequence.length(); ++t) {
      EXPECT_EQ((*why)[t].label, prediction.labels()[t]);
      EXPECT_NE((*why)[t].runner_up, (*why)[t].label);
    }
  }
}

TEST_F(InnerSchemeTest, ConstraintsSpeakOfTheLabelsOfTheData) {
  for (const char* const learner : {"crf", "cascade"}) {
    const Model model = trained(request(learner, "iobes"));
    ConstraintFile rules;
    rules.name = "rules";
    rules.text = "valid iob2\nforbid B-NP at start\nat most 1 of B-VP\n";
    SCOPED_TRACE(learner);
    expect_obeyed(model, rules);
  }
}

TEST_F(InnerSchemeTest, UnderConstraintsTheBestReadingOfAnAllowedLabellingIsFound) {
  const Model model = trained(request("crf", "iobes"));
  const auto* const chain = model.as<chain::ChainPredictor>();
  ASSERT_NE(chain, nullptr);
  ConstraintFile rules;
  rules.name = "rules";
  rules.text = "forbid B-NP at start\nat most 1 of B-NP\n";
  const auto bound = model.under(rules, {});
  ASSERT_TRUE(bound.ok());
  const auto check = rules.resolve(model.about(), model.labels());
  const auto scratch = (*bound)->make_scratch(), own = chain->make_scratch();
  const size_t T = 3, K = chain->labels().size();
  {
    std::ifstream from(path("dev.txt"));
    std::ofstream to(path("short.txt"));
    std::string line;
    for (size_t t = 0; t < T && std::getline(from, line); ++t) to << line << "\n";
  }
  const data::Sequence sequence = data::read_all({path("short.txt")}, {})->front();
  ASSERT_EQ(sequence.length(), T);
  const chain::SequenceScores& scores = chain->scores(sequence, {}, *own);
  const auto instance = constrain::instance_of_rows(*check, sequence);
  double best = -INFINITY;
  std::vector<data::Label> y(T, 0), plain(T);
  for (bool more = true; more;) {
    for (size_t t = 0; t < T; ++t) plain[t] = chain->labels().plain_number(y[t]);
    if (check->penalty(instance, plain) == 0) best = std::max(best, chain::score_of(scores.view, y));
    size_t t = 0;
    while (t < T && ++y[t] == K) y[t++] = 0;
    more = t < T;
  }
  data::Prediction found;
  ASSERT_TRUE((*bound)->predict(sequence, {}, {}, *scratch, found).ok());
  EXPECT_NEAR(found.best.front().score, best, 1e-4);
}

TEST_F(InnerSchemeTest, TrainingUnderConstraintsWithWeightsAndDevelopmentData) {
  for (const char* const learner : {"crf", "cascade"}) {
    TrainRequest r = request(learner, "iobes");
    r.dev = {path("dev.txt")};
    r.settings.push_back("label-weights=B-NP:2");
    r.constraints.emplace();
    r.constraints->name = "rules";
    r.constraints->text = "valid iob2\n";
    const auto made = train(r, {});
    ASSERT_TRUE(made.ok()) << made.error().message;
    EXPECT_GT(made->report.log.back().dev_score.value_or(0), 80) << learner;
    EXPECT_EQ(made->report.labels, made->model.labels().size());
  }
}

TEST_F(InnerSchemeTest, ModelsTrainedFurtherKeepTheirScheme) {
  for (const char* const learner : {"crf", "cascade"}) {
    const auto old = std::make_shared<const Model>(trained(request(learner, "iobes")));
    TrainRequest more = request(learner, "iobes");
    more.train = {path("dev.txt")};
    more.settings = {"passes=2"};
    more.start_from = old;
    const Model further = trained(more);
    ASSERT_TRUE(further.inner_labels().refined());
    ASSERT_GE(further.inner_labels().size(), old->inner_labels().size());
    for (data::Label y = 0; y < old->inner_labels().size(); ++y) {
      EXPECT_EQ(further.inner_labels().name(y), old->inner_labels().name(y));
      EXPECT_EQ(further.inner_labels().places()[y], old->inner_labels().places()[y]);
    }
    more.settings = {"passes=2", "scheme=data"};
    EXPECT_THAT(error_of(more), HasSubstr("trained with scheme=iobes"));
  }
}

TEST_F(InnerSchemeTest, LabelsThatAreNoSegmentsAreRefusedWhereItWasAskedFor) {
  std::ofstream(path("tags.txt")) << "the DT\ndog NN\n\nthe DT\n\n";
  std::ofstream(path("partial.txt")) << "the B-NP\ndog I-NP\nran _\n\nthe B-NP\ndog I-NP\nran O\n\n";
  std::ofstream(path("iobes.txt")) << "the B-NP\ndog E-NP\nran O\n\nshe S-NP\nran O\n\n";
  for (const char* const learner : {"crf", "cascade"}) {
    TrainRequest r = request(learner, "iobes");
    r.train = {path("tags.txt")};
    EXPECT_THAT(error_of(r), HasSubstr("scheme=iobes: the labels are not segments"));
    r.train = {path("partial.txt")};
    EXPECT_THAT(error_of(r), HasSubstr("place of a token is not known"));
    r.settings = {"passes=2"};
    EXPECT_EQ(error_of(r), "accepted");
    r.train = {path("iobes.txt")};
    r.settings = {"passes=2", "scheme=iobes"};
    EXPECT_FALSE(trained(r).inner_labels().refined());  // there is nothing to tell apart
  }
}

}  // namespace
}  // namespace espalier::model

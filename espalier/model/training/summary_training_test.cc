#include "espalier/model/training/summary_training.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "espalier/base/text/json.h"
#include "espalier/model/pipeline.h"
#include "espalier/model/sentence_models.h"
#include "espalier/model/task_data.h"
#include "espalier/model/train.h"

namespace espalier::model {
namespace {

using ::testing::HasSubstr;

std::string summary_file(const std::string& name, const std::string& text) {
  const std::string path = ::testing::TempDir() + "summary_training_" + name;
  std::ofstream(path) << text;
  return path;
}

/// Clusters in which one sentence of each document tells the fact that the reference has; with trees.
std::string fact_clusters(size_t clusters, uint64_t seed) {
  Random random(seed);
  std::string out;
  for (size_t c = 0; c < clusters; ++c) {
    const std::string fact =
        fmt::format(R"({{"tokens": ["the", "event{0}", "hit", "town{1}", "."], "heads": [2, 3, 0, 3, 3]}})",
                    random.below(5), random.below(5));
    std::string documents;
    for (size_t d = 0; d < 3; ++d)
      documents += fmt::format(
          R"({}{{"sents": [{{"tokens": ["we", "saw", "x{}", "y{}"], "heads": [2, 0, 2, 3]}}, {}]}})",
          d == 0 ? "" : ", ", random.below(900), random.below(900), fact);
    const Json parsed = Json::parse(fact);
    out += fmt::format(R"({{"docs": [{}], "refs": [{{"sents": ["{} hit {}"]}}]}})", documents,
                       parsed["tokens"][1].get<std::string>(), parsed["tokens"][3].get<std::string>()) +
           "\n";
  }
  return out;
}

TrainRequest summary_request(const std::string& file, std::vector<std::string> settings) {
  TrainRequest request;
  request.train = {data::Source(file)};
  request.task = "summary";
  request.learner = "searn";
  request.settings = std::move(settings);
  request.reading.format = data::Format::kJsonLines;
  request.threads = 1;
  return request;
}

/// The text of the summaries of a file.
std::vector<std::string> summaries_of(const Model& model, const std::string& file) {
  data::ReadOptions reading;
  reading.format = data::Format::kJsonLines;
  reading.labels_required = false;
  std::vector<std::string> out;
  const auto scratch = model.predictor().make_scratch();
  for (const data::Sequence& sequence : read_task_data({data::Source(file)}, "summary", reading).value()) {
    data::Prediction prediction;
    const Status status = model.predictor().predict(sequence, {}, {}, *scratch, prediction);
    EXPECT_TRUE(status.ok()) << (status.ok() ? "" : status.error().message);
    std::vector<bool> chosen;
    for (const data::Label label : prediction.labels()) chosen.push_back(label == 1);
    std::string text;
    for (const std::string& sentence : tasks::summary_sentences(tasks::cluster_of(sequence), chosen))
      text += sentence + "|";
    out.push_back(text);
  }
  return out;
}

TEST(SummaryTraining, LearnsToTellFactsAndTheFileSaysTheSame) {
  const std::string train_file = summary_file("train", fact_clusters(12, 1)),
                    test = summary_file("test", fact_clusters(5, 2));
  for (const std::string unit : {"sentence", "word"}) {
    TrainRequest request = summary_request(train_file, {"unit=" + unit, "limit=4"});
    request.model = ::testing::TempDir() + "summary_training_" + unit + ".model";
    const auto trained = train(request, {});
    ASSERT_TRUE(trained.ok()) << trained.error().message;
    const std::vector<std::string> found = summaries_of(trained->model, test);
    for (const std::string& text : found) EXPECT_THAT(text, HasSubstr("hit")) << unit;
    const auto opened = Model::open(request.model);
    ASSERT_TRUE(opened.ok()) << opened.error().message;
    EXPECT_EQ(summaries_of(*opened, test), found);
    EXPECT_THAT(opened->predictor().details(), HasSubstr("\"unit\":\"" + unit + "\""));
  }
}

TEST(SummaryTraining, ExplainsEveryWordOfASummary) {
  const std::string file = summary_file("explain", fact_clusters(8, 3));
  const auto trained = train(summary_request(file, {"unit=word", "limit=3"}), {});
  ASSERT_TRUE(trained.ok()) << trained.error().message;
  data::ReadOptions reading;
  reading.format = data::Format::kJsonLines;
  const data::Sequence sequence = read_task_data({data::Source(file)}, "summary", reading).value().front();
  const auto scratch = trained->model.predictor().make_scratch();
  const auto reasons = trained->model.predictor().explain(sequence, *scratch);
  ASSERT_TRUE(reasons.ok());
  ASSERT_EQ(reasons->size(), sequence.length());
  size_t explained = 0;
  for (const auto& reason : *reasons) {
    explained += reason.label == 1;
    EXPECT_EQ(reason.label == 1, !reason.decision.empty());
    EXPECT_EQ(reason.label == 1, !reason.contributions.empty());
  }
  EXPECT_EQ(explained, 3u);
}

TEST(SummaryTraining, SaysWhatIsMissing) {
  const auto error = [](const std::string& text, std::vector<std::string> settings) {
    const auto trained = train(summary_request(summary_file("bad", text), std::move(settings)), {});
    return trained.ok() ? "" : trained.error().message;
  };
  const std::string plain = R"({"docs": [{"sents": ["one two"]}], "refs": [{"sents": ["one"]}]})"
                            "\n";
  EXPECT_THAT(error(R"({"docs": [{"sents": ["a"]}]})", {}),
              HasSubstr("_bad:1: the cluster has no references"));
  EXPECT_THAT(error(plain, {"unit=word"}),
              HasSubstr("_bad:1: unit=word chooses words by their dependency trees"));
  EXPECT_THAT(error(plain, {"limit=0"}), HasSubstr("limit"));
  EXPECT_THAT(error(plain, {"classifier=liblinear"}), HasSubstr("on line"));
  EXPECT_THAT(error(plain, {"history=1"}), HasSubstr("history"));
  EXPECT_THAT(SentenceModels::open({}).error().message, HasSubstr("--parser needs a model of task parse"));
}

}  // namespace
}  // namespace espalier::model

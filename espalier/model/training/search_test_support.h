// What the tests of searches share: small data, and training from files.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "espalier/base/files/temporary_directory.h"
#include "espalier/base/random.h"
#include "espalier/eval/scores.h"
#include "espalier/model/model.h"
#include "espalier/model/pipeline.h"
#include "espalier/model/train.h"

namespace espalier::model {

/// Word, tag and chunk, learnable from the words.
inline std::string chunk_text(uint64_t seed, size_t sentences) {
  Random random(seed);
  std::string text;
  const char* const nouns[] = {"dog", "cat", "tree", "river"};
  const auto phrase = [&] {
    if (random.below(5) == 0) {
      text += "it PRP B-NP\n";
      return;
    }
    text += "the DT B-NP\n";
    if (random.below(2) == 0) text += "old JJ I-NP\n";
    text += std::string(nouns[random.below(4)]) + " NN I-NP\n";
  };
  for (size_t s = 0; s < sentences; ++s) {
    phrase();
    text += "sees VB B-VP\n";
    phrase();
    text += ". . O\n\n";
  }
  return text;
}

class SearchTraining : public ::testing::Test {
 protected:
  void SetUp() override {
    std::ofstream(train_) << chunk_text(1, 120);
    std::ofstream(test_) << chunk_text(2, 40);
  }
  /// `columns`: of the labels, for the task joint.
  Result<TrainReport> run(const std::string& learner, const std::string& task,
                          std::vector<std::string> settings, bool dev = false, int threads = 1,
                          const std::string& columns = {}) {
    TrainRequest request;
    request.train = {train_};
    if (dev) request.dev = {test_};
    request.model = model_;
    request.learner = learner;
    request.task = task;
    request.reading.label_column = columns;
    request.settings = std::move(settings);
    request.threads = threads;
    ESPALIER_ASSIGN(Trained trained, train(request, {}));
    return std::move(trained.report);
  }
  Result<TrainReport> run_joint(const std::string& learner, const std::string& columns,
                                std::vector<std::string> settings, bool dev = false, int threads = 1) {
    return run(learner, "joint", std::move(settings), dev, threads, columns);
  }
  double f1() const {
    const auto model = Model::open(model_);
    EXPECT_TRUE(model.ok()) << (model.ok() ? "" : model.error().message);
    if (!model.ok()) return 0;
    eval::TaggingScores scores;
    const auto reader = data::open_reader(test_, model->about().reading_for_use());
    const Status ran = run_pipeline(
        **reader, model->predictor(), {}, Workers(1), {},
        [](const data::Sequence&, const data::Prediction&, std::string&) {},
        [&](const data::Sequence& sequence, const data::Prediction& prediction, std::string_view) -> Status {
          std::vector<std::string_view> gold, predicted;
          for (size_t t = 0; t < sequence.length(); ++t) {
            gold.push_back(sequence.label(t));
            predicted.push_back(model->labels().name(prediction.labels()[t]));
          }
          scores.add(gold, predicted);
          return {};
        });
    EXPECT_TRUE(ran.ok());
    return scores.f1();
  }
  std::string bytes() const {
    std::stringstream all;
    all << std::ifstream(model_).rdbuf();
    return all.str();
  }
  TemporaryDirectory folder_;
  std::string train_ = folder_.path("train.txt"), test_ = folder_.path("test.txt"),
              model_ = folder_.path("m.model");
};

}  // namespace espalier::model

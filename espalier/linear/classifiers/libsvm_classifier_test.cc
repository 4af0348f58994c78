#include "espalier/linear/classifiers/libsvm_classifier.h"

#include <gtest/gtest.h>

#include <libsvm/svm.h>
#include <algorithm>

#include <cmath>
#include <cstdio>

#include "espalier/data/test_data.h"
#include "espalier/linear/classifiers/classifier_test_support.h"

namespace espalier::linear {
namespace {

KernelModel trained(const Dataset& data, size_t labels, const LibsvmOptions& options = {}) {
  auto result = train_libsvm(data, labels, options);
  EXPECT_TRUE(result.ok()) << result.error().message;
  return std::move(result).value();
}

data::Label classify(const KernelModel& model, const Dataset& data, size_t token,
                     KernelModel::Scratch& scratch) {
  const float* values =
      data.state_values.empty() ? nullptr : data.state_values.data() + data.state.begin[token];
  std::vector<float> scores(model.labels());
  model.scores(data.state[token], values, scratch, scores);
  return static_cast<data::Label>(std::max_element(scores.begin(), scores.end()) - scores.begin());
}

double accuracy(const KernelModel& model, const Dataset& data) {
  KernelModel::Scratch scratch;
  size_t right = 0;
  for (size_t t = 0; t < data.tokens(); ++t) right += classify(model, data, t, scratch) == data.gold[t];
  return static_cast<double>(right) / static_cast<double>(data.tokens());
}

TEST(Libsvm, TheQuadraticKernelLearnsExclusiveOr) {
  EXPECT_EQ(accuracy(trained(exclusive_or(), 2), exclusive_or()), 1.0);
  const LibsvmOptions with_linear_part = {.kernel = {.gamma = 0.5, .coef0 = 1, .normalise = false}};
  EXPECT_EQ(accuracy(trained(exclusive_or(), 2, with_linear_part), exclusive_or()), 1.0);
}

TEST(Libsvm, LearnsManyLabels) {
  const KernelModel model = trained(noisy_hints(6, 500, 1), 6);
  EXPECT_EQ(model.parts().machines.size(), 15u);
  EXPECT_GT(accuracy(model, noisy_hints(6, 500, 2)), 0.6);  // one in six by chance
}

TEST(Libsvm, ScoresAreThoseOfLibsvmsOwnDecisions) {
  const Dataset train = noisy_hints(4, 150, 5), test = noisy_hints(4, 50, 6);
  const LibsvmOptions options = {.kernel = {.gamma = 0.3, .coef0 = 0.5, .normalise = false}, .C = 2};
  const KernelModel model = trained(train, 4, options);

  const auto nodes_of = [](const Dataset& data, size_t t) {
    std::vector<svm_node> nodes;
    for (const uint32_t f : data.state[t]) nodes.push_back({static_cast<int>(f) + 1, 1.0});
    nodes.push_back({-1, 0});
    return nodes;
  };
  std::vector<std::vector<svm_node>> rows;
  std::vector<svm_node*> x;
  for (size_t t = 0; t < train.tokens(); ++t) rows.push_back(nodes_of(train, t));
  for (auto& row : rows) x.push_back(row.data());
  std::vector<double> y(train.gold.begin(), train.gold.end());
  const svm_problem examples{static_cast<int>(y.size()), y.data(), x.data()};
  const svm_parameter parameter = libsvm_parameter(options);
  svm_model* theirs = svm_train(&examples, &parameter);

  KernelModel::Scratch scratch;
  std::vector<float> scores(4);
  std::vector<double> decisions(6);
  for (size_t t = 0; t < test.tokens(); ++t) {
    svm_predict_values(theirs, nodes_of(test, t).data(), decisions.data());
    std::vector<double> wanted(4, 0.5);
    size_t pair = 0;
    for (int i = 0; i < 4; ++i)
      for (int j = i + 1; j < 4; ++j, ++pair) {
        const double margin = std::tanh(decisions[pair]) / 6;
        wanted[theirs->label[i]] += margin + (decisions[pair] > 0);
        wanted[theirs->label[j]] += -margin + (decisions[pair] <= 0);
      }
    model.scores(test.state[t], nullptr, scratch, scores);
    for (size_t k = 0; k < 4; ++k) EXPECT_NEAR(scores[k], wanted[k], 1e-4);
  }
  svm_free_and_destroy_model(&theirs);
}

TEST(Libsvm, TrainingTwiceGivesTheSameMachines) {
  const Dataset data = noisy_hints(4, 200, 3);
  const KernelModel a = trained(data, 4), b = trained(data, 4);
  EXPECT_EQ(a.parts().vectors.values, b.parts().vectors.values);
  EXPECT_EQ(a.parts().coefficients, b.parts().coefficients);
}

TEST(Libsvm, ValuesAreHonouredAndTokensWithoutALabelSkipped) {
  Dataset data;  // two features whose relative size tells the labels apart
  for (int i = 1; i <= 20; ++i) {
    add_token(data, {0, 1}, 0, {1.0f * static_cast<float>(i), 0.2f});
    add_token(data, {0, 1}, 1, {0.2f, 1.0f * static_cast<float>(i)});
    add_token(data, {0, 1}, data::kNoLabel, {1.0f, 1.0f});
  }
  const KernelModel model = trained(data, 2);
  KernelModel::Scratch scratch;
  for (size_t t = 0; t < data.tokens(); ++t) {
    if (data.gold[t] != data::kNoLabel) {
      EXPECT_EQ(classify(model, data, t, scratch), data.gold[t]);
    }
  }
}

TEST(Libsvm, ALabelThatNeverOccursIsNeverChosen) {
  Dataset data;
  add_token(data, {0}, 1);
  const KernelModel only = trained(data, 3);
  KernelModel::Scratch scratch;
  std::vector<float> scores(3);
  only.scores(data.state[0], nullptr, scratch, scores);
  EXPECT_EQ(scores, (std::vector<float>{-1, 0.5, -1}));
}

TEST(Libsvm, MachinesLearnWhatTheirProblemsSay) {
  // Exclusive or, asked in three ways: both labels; one against the rest; what speaks for one side alone.
  const auto tokens = collect_labelled_tokens(exclusive_or(), 2);
  ASSERT_TRUE(tokens.ok());
  std::vector<uint32_t> of[2];
  for (uint32_t i = 0; i < tokens->size(); ++i) of[tokens->gold[i]].push_back(i);
  const std::vector<KernelProblem> pair = {{1, 0, of[1], of[0]}}, swapped = {{1, 0, of[0], of[1]}},
                                   rest = {{0, KernelParts::kRest, of[0], of[1]},
                                           {1, KernelParts::kRest, of[1], of[0]}},
                                   sided = {{1, 0, of[0], {}}, {0, 2, of[1], {}}, {2, 1, of[0], {}}};
  const Dataset data = exclusive_or();
  const auto right = [&](const std::vector<KernelProblem>& problems, size_t labels) {
    const auto model = train_libsvm(*tokens, problems, labels, {});
    EXPECT_TRUE(model.ok()) << model.error().message;
    return accuracy(*model, data);
  };
  EXPECT_EQ(right(pair, 2), 1.0);
  EXPECT_EQ(right(swapped, 2), 0.0);
  EXPECT_EQ(right(rest, 2), 1.0);
  const auto model = train_libsvm(*tokens, sided, 3, {});
  ASSERT_TRUE(model.ok()) << model.error().message;
  KernelModel::Scratch scratch;
  std::vector<float> scores(3);
  model->scores(data.state[0], nullptr, scratch, scores);
  EXPECT_EQ(scores, (std::vector<float>{1.5, 1.5, 1.5}));  // each beats one and loses to one
}

TEST(Libsvm, RefusesMoreTokensThanItsLimitAndNamesTheParameter) {
  const auto result = train_libsvm(noisy_hints(3, 50, 1), 3, {.max_tokens = 49});
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().message,
            "50 labelled tokens: training a kernel machine on more than 49 would take too long; max_tokens "
            "raises the "
            "limit");
  EXPECT_TRUE(train_libsvm(noisy_hints(3, 50, 1), 3, {.max_tokens = 50}).ok());
  EXPECT_FALSE(train_libsvm(noisy_hints(3, 50, 1), 3, {.C = -1}).ok());
  EXPECT_FALSE(train_libsvm(noisy_hints(3, 50, 1), 3, {.kernel = {.gamma = 0}}).ok());
}

/// Letters of the given folds, one feature a pixel.
Dataset letters(std::vector<int> folds) {
  data::ReadOptions options;
  options.format = data::Format::kLetters;
  options.folds = std::move(folds);
  Dataset result;
  const auto words = data::read_all({data::corpus_path("ocr/letter.data.gz")}, options);
  EXPECT_TRUE(words.ok());
  for (const data::Sequence& word : *words)
    for (size_t t = 0; t < word.length(); ++t) {
      std::vector<uint32_t> pixels;
      for (size_t i = 0; i < word.attribute_count(t); ++i) {
        unsigned row = 0, column = 0;
        EXPECT_EQ(std::sscanf(std::string(word.attribute(t, i).name).c_str(), "p_%u_%u", &row, &column), 2);
        pixels.push_back(8 * row + column);
      }
      add_token(result, pixels, static_cast<data::Label>(word.label(t)[0] - 'a'));
    }
  return result;
}

TEST(Libsvm, ReadsHandwrittenLettersOneByOne) {
  ESPALIER_NEED_CORPUS("ocr/letter.data.gz");
  const Dataset train = letters({0});
  ASSERT_EQ(train.tokens(), 4617u);
  const KernelModel model = trained(train, 26);
  const double share = accuracy(model, letters({1, 2, 3, 4, 5, 6, 7, 8, 9}));
  RecordProperty("accuracy", fmt::format("{:.4f}", share));
  EXPECT_GE(share, 0.82);
}

}  // namespace
}  // namespace espalier::linear

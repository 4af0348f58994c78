#include "espalier/linear/classifiers/liblinear_classifier.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "espalier/linear/classifiers/classifier_test_support.h"

namespace espalier::linear {
namespace {

std::vector<double> scores_of(const LinearClassifier& classifier, const StateRows& rows, const Dataset& data,
                              size_t token) {
  std::vector<double> scores(classifier.bias.begin(), classifier.bias.end());
  for (uint64_t i = data.state.begin[token]; i < data.state.begin[token + 1]; ++i) {
    const float value = data.state_values.empty() ? 1.0f : data.state_values[i];
    for (uint32_t w = rows.begin[data.state.values[i]]; w < rows.begin[data.state.values[i] + 1]; ++w)
      scores[rows.column[w]] += value * classifier.weights[w];
  }
  return scores;
}

double accuracy(const LinearClassifier& classifier, const StateRows& rows, const Dataset& data) {
  size_t right = 0, known = 0;
  for (size_t t = 0; t < data.tokens(); ++t) {
    if (data.gold[t] == data::kNoLabel) continue;
    const auto scores = scores_of(classifier, rows, data, t);
    right += std::max_element(scores.begin(), scores.end()) - scores.begin() == data.gold[t];
    ++known;
  }
  return static_cast<double>(right) / static_cast<double>(known);
}

LinearClassifier trained(const Dataset& data, const StateRows& rows, const LiblinearOptions& options = {}) {
  auto result = train_liblinear(data, rows, options);
  EXPECT_TRUE(result.ok()) << result.error().message;
  return std::move(result).value();
}

constexpr LiblinearSolver kAllSolvers[] = {LiblinearSolver::kSquaredHingeDual, LiblinearSolver::kHingeDual,
                                           LiblinearSolver::kLogistic, LiblinearSolver::kCrammerSinger};

TEST(Liblinear, EverySolverLearnsWhatIsLinear) {
  const Dataset train = noisy_hints(5, 600, 1), test = noisy_hints(5, 600, 2);
  const StateRows rows = full_rows(15, 5);
  for (const LiblinearSolver solver : kAllSolvers) {
    const auto classifier = trained(train, rows, {.solver = solver});
    EXPECT_GT(accuracy(classifier, rows, test), 0.8) << static_cast<int>(solver);
  }
}

TEST(Liblinear, CannotLearnExclusiveOr) {
  const StateRows rows = full_rows(4, 2);
  for (const LiblinearSolver solver : kAllSolvers)
    EXPECT_LT(accuracy(trained(exclusive_or(), rows, {.solver = solver}), rows, exclusive_or()), 1.0);
}

TEST(Liblinear, TheSameSeedGivesTheSameWeights) {
  const Dataset data = noisy_hints(4, 300, 3);
  const StateRows rows = full_rows(12, 4);
  const auto first = trained(data, rows, {.seed = 7}), again = trained(data, rows, {.seed = 7});
  EXPECT_EQ(first.weights, again.weights);
  EXPECT_EQ(first.bias, again.bias);
}

TEST(Liblinear, TokensWithoutALabelChangeNothing) {
  Dataset data = noisy_hints(3, 200, 4);
  const StateRows rows = full_rows(9, 3);
  const auto before = trained(data, rows);
  add_token(data, {0, 1, 2}, data::kNoLabel);
  EXPECT_EQ(trained(data, rows).weights, before.weights);
}

TEST(Liblinear, ValuesAreHonouredAndRepeatedFeaturesAddedUp) {
  Dataset data;  // one feature, whose size alone tells the labels apart
  for (int i = 0; i < 20; ++i) {
    add_token(data, {0}, 0, {-1.0f});
    add_token(data, {0, 0}, 1, {1.0f, 1.0f});
  }
  const StateRows rows = full_rows(1, 2);
  EXPECT_EQ(accuracy(trained(data, rows), rows, data), 1.0);
}

TEST(Liblinear, WithFewerPairsEachLabelIsTrainedOnTheFeaturesItHas) {
  const Dataset data = noisy_hints(3, 400, 5);
  StateRows rows;  // feature f speaks about the label it hints at alone
  rows.width = 3;
  for (uint32_t f = 0; f < 9; ++f) {
    rows.column.push_back(static_cast<uint16_t>(f / 3));
    rows.begin.push_back(static_cast<uint32_t>(rows.column.size()));
  }
  const auto classifier = trained(data, rows);
  EXPECT_GT(accuracy(classifier, rows, noisy_hints(3, 400, 6)), 0.8);
  // The same by hand: label 1 with features 3, 4 and 5 alone.
  Dataset cut;
  for (size_t t = 0; t < data.tokens(); ++t) {
    std::vector<uint32_t> features;
    for (const uint32_t f : data.state[t])
      if (f / 3 == 1) features.push_back(f);
    add_token(cut, features, data.gold[t]);
  }
  const auto by_hand = trained(cut, full_rows(9, 3));
  for (uint32_t f = 3; f < 6; ++f) EXPECT_EQ(classifier.weights[f], by_hand.weights[f * 3 + 1]);
  EXPECT_FALSE(train_liblinear(data, rows, {.solver = LiblinearSolver::kCrammerSinger}).ok());
}

TEST(Liblinear, ALabelThatNeverOccursIsNeverChosenFirst) {
  const Dataset data = noisy_hints(3, 300, 8);
  const StateRows rows = full_rows(9, 4);
  for (const LiblinearSolver solver : kAllSolvers) {
    const auto classifier = trained(data, rows, {.solver = solver});
    EXPECT_EQ(classifier.bias[3], -1.0f);
    EXPECT_GT(accuracy(classifier, rows, data), 0.8);
  }
  Dataset one_label;
  add_token(one_label, {0}, 2);
  EXPECT_EQ(accuracy(trained(one_label, rows), rows, one_label), 1.0);
}

TEST(Liblinear, WithoutABiasALabelThatNeverOccursIsStillOnTheFarSide) {
  const Dataset data = noisy_hints(3, 300, 8);
  const StateRows rows = full_rows(9, 4);
  const auto classifier = trained(data, rows, {.bias = 0});
  for (size_t t = 0; t < data.tokens(); ++t) {
    if (data.state[t].empty()) continue;
    EXPECT_LT(scores_of(classifier, rows, data, t)[3], 0);
  }
}

TEST(Liblinear, EachLabelLearnsFromItsOwnExamples) {
  // Two columns of labels, {0, 1, 2} and {3, 4, 5}, over the same features: no label learns from the tokens
  // of the other column.
  const Dataset first = noisy_hints(3, 200, 9), second = noisy_hints(3, 200, 10);
  Dataset both;
  std::vector<int8_t> wanted;
  for (size_t t = 0; t < 200; ++t)
    for (const Dataset* one : {&first, &second}) {
      const auto features = one->state[t];
      add_token(both, {features.begin(), features.end()}, 0);
      for (uint32_t k = 0; k < 6; ++k)
        wanted.push_back(k / 3 != (one == &first ? 0 : 1) ? 0 : one->gold[t] == k % 3 ? 1 : -1);
    }
  const StateRows three = full_rows(9, 3), six = full_rows(9, 6);
  const auto tokens = collect_labelled_tokens(both, 6);
  ASSERT_TRUE(tokens.ok());
  const auto together = train_liblinear(*tokens, wanted, six, {});
  ASSERT_TRUE(together.ok());
  const auto a = trained(first, three), b = trained(second, three);
  for (uint32_t f = 0; f < 9; ++f)
    for (uint32_t k = 0; k < 3; ++k) {
      EXPECT_EQ(together->weights[f * 6 + k], a.weights[f * 3 + k]);
      EXPECT_EQ(together->weights[f * 6 + 3 + k], b.weights[f * 3 + k]);
    }
}

TEST(Liblinear, ABinaryMachineIsThatOfTheLabelAgainstTheRest) {
  const Dataset data = noisy_hints(2, 150, 11);
  const auto tokens = collect_labelled_tokens(data, 2);
  ASSERT_TRUE(tokens.ok());
  const auto binary = train_liblinear_binary(*tokens, 6, {});
  ASSERT_TRUE(binary.ok()) << binary.error().message;
  const auto both = trained(data, full_rows(6, 2), {.bias = 0});
  for (uint32_t f = 0; f < 6; ++f) EXPECT_NEAR((*binary)[f], both.weights[f * 2 + 1], 1e-5);
}

TEST(Liblinear, SaysWhatItDoesNotTake) {
  const StateRows rows = full_rows(15, 5);
  EXPECT_EQ(train_liblinear(noisy_hints(5, 9, 1), rows, {.C = 0}).error().message,
            "C is 0, wanted a number above 0");
  Dataset weighted = noisy_hints(5, 9, 1);
  weighted.weight[3] = 2;
  EXPECT_EQ(train_liblinear(weighted, rows, {}).error().message,
            "sequence 4 has weight 2; liblinear and libsvm support no weights other than 1");
  EXPECT_EQ(train_liblinear(Dataset(), rows, {}).error().message,
            "no labelled token to train a classifier on");
  std::atomic<bool> stop{true};
  EXPECT_FALSE(train_liblinear(noisy_hints(5, 9, 1), rows, {}, {.on_progress = {}, .stop = &stop}).ok());
}

}  // namespace
}  // namespace espalier::linear

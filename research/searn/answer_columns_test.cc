#include "research/searn/answer_columns.h"

#include <gtest/gtest.h>

namespace espalier::research {

namespace {

const std::vector<std::string> kLabels = {"O", "B-NP", "I-NP", "B-VP"};

TEST(AnswerColumns, MeansAreOverModelsWhateverTheOrderOfTheirLabels) {
  AnswerMeans means(1, kLabels.size());
  const std::vector<size_t> same = {0, 1, 2, 3}, other = {3, 1};
  means.add(std::vector<float>{0.1f, 0.2f, 0.3f, 0.4f}, same);
  means.add(std::vector<float>{0.25f, 0.75f}, other);
  EXPECT_NEAR(means.probability(0, 0), 0.05, 1e-6);
  EXPECT_NEAR(means.probability(0, 1), 0.475, 1e-6);
  EXPECT_NEAR(means.probability(0, 2), 0.15, 1e-6);
  EXPECT_NEAR(means.probability(0, 3), 0.325, 1e-6);
  EXPECT_EQ(means.best(0), 1u);
  EXPECT_EQ(means.second(0), 3u);
}

TEST(AnswerColumns, NameTheBestLabelItsDoubtsAndTheNextChunks) {
  // The dog barked , loudly: NP NP VP O NP, the last of them doubtful.
  AnswerMeans means(5, kLabels.size());
  const std::vector<size_t> same = {0, 1, 2, 3};
  means.add(std::vector<float>{0.00f, 1.00f, 0.00f, 0.00f,  //
                               0.00f, 0.04f, 0.96f, 0.00f,  //
                               0.00f, 0.15f, 0.00f, 0.85f,  //
                               0.98f, 0.02f, 0.00f, 0.00f,  //
                               0.10f, 0.50f, 0.40f, 0.00f},
            same);
  const std::vector<std::string> tags = {"DT", "NN", "VBD", ",", "RB"};
  const std::vector<std::vector<std::string>> expected = {{"B-NP", "B-NP9-", "VP+O,"},
                                                          {"I-NP", "I-NP7-", "VP+O,"},
                                                          {"B-VP", "B-VP6B-NP", "O,+NP"},
                                                          {"O", "O7-", "NP+^"},
                                                          {"B-NP", "B-NP4I-NP", "^+^"}};
  EXPECT_EQ(columns_of(means, kLabels, tags), expected);
}

}  // namespace

}  // namespace espalier::research

#include "espalier/search/batch_classifier.h"

#include <gtest/gtest.h>

#include "espalier/search/toy_space.h"

namespace espalier::search {
namespace {

/// One state for each cost; the right label is 1.
Examples<ToySpace> weighted(const ToyProblem& problem, const std::vector<float>& costs) {
  Examples<ToySpace> examples;
  for (uint32_t i = 0; i < problem.size(); ++i) {
    examples.list.push_back({i, examples.costs.size(), problem.spaces[i].initial()});
    examples.costs.push_back(costs[i]);
    examples.costs.push_back(0);
  }
  return examples;
}

TEST(Costing, EqualWeightsKeepEveryExampleAndUnequalOnesAreDrawnByWeight) {
  ToyProblem problem;
  std::vector<float> costs;
  for (int i = 0; i < 600; ++i) {
    problem.spaces.push_back({{0}, {1}});
    costs.push_back(i % 2 == 0 ? 1.0f : 0.25f);
  }
  const auto all = [](uint32_t) { return true; };
  const auto equal = export_examples(problem, weighted(problem, std::vector<float>(600, 0.5f)), 0, 1, all);
  EXPECT_FALSE(equal.sampled);
  EXPECT_EQ(equal.data.gold.size(), 600u);
  const auto one = export_examples(problem, weighted(problem, costs), 0, 1, all);
  EXPECT_TRUE(one.sampled);
  EXPECT_NEAR(static_cast<double>(one.data.gold.size()), 300 + 0.25 * 300, 40);
  const auto other = export_examples(problem, weighted(problem, costs), 0, 2, all);
  EXPECT_NE(one.data.gold.size(), other.data.gold.size());
}

TEST(LabelGroups, LabelsThatShareAStateAreOfOneGroup) {
  LabelGroups groups;
  groups.reserve(6);
  groups.join(4, 5);
  groups.join(2, 4);
  groups.join(0, 1);
  EXPECT_EQ(groups.of_labels(), (std::vector<uint32_t>{0, 0, 2, 3, 2, 2}));
}

TEST(Costing, ClassifiersOfSeveralSamplesScoreTheirMean) {
  const auto layout = no_static_rows(2);
  std::vector<RowWeights> machines;
  FeatureSink sink;
  sink.add(7);
  sink.add(8);
  for (const float w : {1.0f, 3.0f}) {
    machines.emplace_back(layout, 2);
    FeatureSink own;
    own.add(w == 1 ? 7 : 8);
    machines.back().add(own, 0, w);
  }
  RowWeights mean = mean_of(machines);
  EXPECT_FLOAT_EQ(mean.score(sink)[0], 2.0f);
  EXPECT_FLOAT_EQ(mean.score(sink)[1], 0.0f);
}

}  // namespace
}  // namespace espalier::search

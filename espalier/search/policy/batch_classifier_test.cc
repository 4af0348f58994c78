#include "espalier/search/policy/batch_classifier.h"

#include <gtest/gtest.h>

#include <map>

#include "espalier/search/policy/pair_classifier.h"
#include "espalier/search/toy_space.h"

namespace espalier::search {
namespace {

constexpr auto kEverything = [](uint32_t) { return true; };
const MonitorOfPart kNobody = [](int, int) { return Monitor(); };

/// States of one observation each, and the costs of their labels.
struct Costly {
  ToyProblem problem;
  Examples<ToySpace> examples;
  uint32_t labels;

  explicit Costly(uint32_t k) : labels(k) {}
  void add(uint32_t observation, const std::vector<float>& costs) {
    const auto target = static_cast<uint32_t>(std::min_element(costs.begin(), costs.end()) - costs.begin());
    problem.spaces.push_back({{observation}, {target}, labels});
    examples.list.push_back(
        {static_cast<uint32_t>(problem.size() - 1), examples.costs.size(), problem.spaces.back().initial()});
    examples.costs.insert(examples.costs.end(), costs.begin(), costs.end());
  }
  ExportedExamples exported() const { return export_examples(problem, examples, 0, kEverything); }
  /// The least mean cost of any classifier: for each observation the label that is cheapest on average.
  double least_cost() const {
    std::map<uint32_t, std::vector<double>> sums;
    for (const auto& e : examples.list) {
      std::vector<double>& sum = sums[problem.spaces[e.instance].x[0]];
      sum.resize(labels, 0.0);
      for (uint32_t l = 0; l < labels; ++l) sum[l] += examples.costs[e.first_cost + l];
    }
    double total = 0;
    for (const auto& [x, sum] : sums) total += *std::min_element(sum.begin(), sum.end());
    return total / static_cast<double>(examples.list.size());
  }
  /// The mean cost of the highest-scoring label.
  double cost_of(Scorer& scorer) const {
    double sum = 0;
    for (const auto& e : examples.list) {
      scorer.begin({});
      const auto row = scorer.row(problem.spaces[e.instance], e.state, 0);
      const auto best = std::max_element(row.begin(), row.begin() + labels) - row.begin();
      sum += examples.costs[e.first_cost + static_cast<size_t>(best)];
    }
    return sum / static_cast<double>(examples.list.size());
  }
};

Costly random_costs(uint64_t seed, uint32_t labels, size_t states, uint32_t observations) {
  Random random(seed);
  Costly out(labels);
  for (size_t i = 0; i < states; ++i) {
    std::vector<float> costs(labels);
    for (float& c : costs) c = static_cast<float>(random.below(4));
    costs[random.below(labels)] = 0;
    out.add(static_cast<uint32_t>(random.below(observations)), costs);
  }
  return out;
}

/// The same ambiguous state again and again: labels 0 and 2 are each right half of the time and very wrong
/// otherwise; label 1 is never quite right and never far off.
Costly compromise(size_t states) {
  Costly out(3);
  for (size_t i = 0; i < states; ++i)
    out.add(7, i % 2 == 0 ? std::vector<float>{0, 0.2f, 1} : std::vector<float>{1, 0.2f, 0});
  return out;
}

TEST(Costing, EqualWeightsKeepEveryExampleAndUnequalOnesAreDrawnByWeight) {
  Costly equal(2), unequal(2);
  for (int i = 0; i < 600; ++i) {
    equal.add(0, {0.5f, 0});
    unequal.add(0, {i % 2 == 0 ? 1.0f : 0.25f, 0});
  }
  const auto kept = [](const OneVsAllSample& sample) {
    return static_cast<double>(
               std::count_if(sample.wanted.begin(), sample.wanted.end(), [](int8_t w) { return w != 0; })) /
           2;
  };
  const auto all = draw_one_vs_all(equal.exported(), 2, 1);
  EXPECT_FALSE(all.drawn);
  EXPECT_EQ(kept(all), 600);
  const auto one = draw_one_vs_all(unequal.exported(), 2, 1),
             other = draw_one_vs_all(unequal.exported(), 2, 2);
  EXPECT_TRUE(one.drawn);
  EXPECT_NEAR(kept(one), 300 + 0.25 * 300, 40);
  EXPECT_NE(one.wanted, other.wanted);
}

TEST(OneVsAll, TheTargetSpeaksForItselfAndWhatCostsAgainst) {
  Costly two(4);
  two.add(0, {1, 0, 0, 1});
  two.add(1, {1, 1, 1, 0});
  EXPECT_EQ(draw_one_vs_all(two.exported(), 4, 1).wanted, (std::vector<int8_t>{-1, 1, 0, -1, -1, -1, -1, 1}));
}

TEST(AllPairs, ProblemsAreThoseOfEveryTwoLabels) {
  // All weights are 1, so every pair is kept. Pairs are counted by brute force.
  const Costly some = [] {
    Random random(4);
    Costly out(4);
    for (int i = 0; i < 50; ++i) {
      std::vector<float> costs(4, 1.0f);
      costs[random.below(4)] = 0;
      out.add(static_cast<uint32_t>(i), costs);
    }
    return out;
  }();
  const auto sample = draw_all_pairs(some.exported(), 4, 1);
  EXPECT_FALSE(sample.drawn);
  EXPECT_EQ(sample.problems.size(), 6u);
  for (const auto& problem : sample.problems) {
    std::vector<uint32_t> for_winner, for_loser;
    for (uint32_t i = 0; i < 50; ++i) {
      const float* const costs = some.examples.costs.data() + 4 * i;
      if (costs[problem.winner] < costs[problem.loser]) for_winner.push_back(i);
      if (costs[problem.winner] > costs[problem.loser]) for_loser.push_back(i);
    }
    EXPECT_EQ(problem.for_winner, for_winner);
    EXPECT_EQ(problem.for_loser, for_loser);
  }
}

TEST(AllPairs, PairsAreDrawnByTheDifferenceOfTheirValues) {
  // v of (0, 0.2, 1) is (0, 0.2, 0.6), so pairs weigh 0.2, 0.6 and 0.4; the largest possible weight is 0.6.
  const auto sample = draw_all_pairs(compromise(3000).exported(), 3, 1);
  EXPECT_TRUE(sample.drawn);
  ASSERT_EQ(sample.problems.size(), 3u);
  EXPECT_NEAR(static_cast<double>(sample.problems[0].for_winner.size()), 1500 * 0.2 / 0.6, 80);  // 0 over 1
  EXPECT_NEAR(static_cast<double>(sample.problems[0].for_loser.size()), 1500 * 0.4 / 0.6, 80);   // 1 over 0
  EXPECT_EQ(sample.problems[1].for_winner.size(), 1500u);                                        // 0 over 2
}

TEST(PairRows, AreTheDifferencesOfTheFeaturesOfTwoActions) {
  // Static features 0 and 1 (1 has a weight for label 2 only) and hashed ones, compared with brute force.
  linear::StateRows rows;
  rows.width = 3;
  rows.column = {0, 1, 2, 2};
  rows.begin = {0, 3, 4};
  const auto layout = std::make_shared<const linear::StateRows>(rows);
  const std::vector<uint64_t> begin{0, 2, 3};
  const uint32_t ids[] = {0, 1, 0};
  const float values[] = {1, 2, 1};
  const StaticBlocks blocks{begin, ids, values};
  FeatureSink a, b;
  a.block(0);
  a.add(5, 0.5);
  a.add(9);
  b.block(1);
  b.add(9);
  PairRows pairs(layout, 3);
  EXPECT_TRUE(pairs.add(blocks, {a, 2}, {b, 2}, false));  // feature 0 and hash 9 cancel out
  EXPECT_TRUE(pairs.add(blocks, {a, 1}, {b, 2}, true));
  EXPECT_FALSE(pairs.add(blocks, {b, 1}, {b, 1}, true));  // the same: no example
  ASSERT_EQ(pairs.size(), 2u);
  const auto row = [&](size_t i) {
    std::vector<std::pair<uint32_t, float>> out;
    for (size_t j = 0; j < pairs.rows().features[i].size(); ++j)
      out.emplace_back(pairs.rows().features[i][j], pairs.rows().values_of(i)[j]);
    return out;
  };
  using Row = std::vector<std::pair<uint32_t, float>>;
  EXPECT_EQ(row(0), (Row{{3, 2}, {4 + 2, 0.5}}));
  EXPECT_EQ(row(1), (Row{{1, 1}, {2, -1}, {4 + 1, 0.5}, {7 + 1, 1}, {7 + 2, -1}}));
  EXPECT_EQ(pairs.rows().gold, (std::vector<data::Label>{0, 1}));
}

TEST(PairClassifier, TheWorkingSetFindsTheMachineOfAllPairs) {
  const Costly some = random_costs(3, 5, 60, 12);
  const auto layout = no_static_rows(5);
  PairOptions few, all;
  few.costing.samples = all.costing.samples = 1;
  few.liblinear.epsilon = all.liblinear.epsilon = 1e-4;
  few.tolerance = all.tolerance = 1e-3;
  few.joining = 1;
  few.rounds = 60;
  all.joining = 1000;
  auto a = learn_pairs(some.problem, some.examples, layout, 5, few, kEverything, kNobody);
  auto b = learn_pairs(some.problem, some.examples, layout, 5, all, kEverything, kNobody);
  ASSERT_TRUE(a.ok() && b.ok());
  for (const auto& e : some.examples.list) {
    const auto& space = some.problem.spaces[e.instance];
    a->begin({});
    b->begin({});
    const auto x = a->row(space, e.state, 0), y = b->row(space, e.state, 0);
    for (size_t l = 0; l < 5; ++l) EXPECT_NEAR(x[l] - x[0], y[l] - y[0], 0.02);
  }
}

TEST(AllPairs, PerActionCostsReachThePackages) {
  // A learner of only the label to imitate, weighted by the worst cost, would choose 0 or 2 at a mean cost of
  // 0.5; label 1 is better.
  const Costly doubtful = compromise(400);
  const auto layout = no_static_rows(3);
  const CostingOptions costing;
  auto pairs = learn_pairs(doubtful.problem, doubtful.examples, layout, 3, {}, kEverything, kNobody);
  ASSERT_TRUE(pairs.ok()) << pairs.error().message;
  EXPECT_NEAR(doubtful.cost_of(*pairs), 0.2, 1e-6);
  auto kernel = learn_kernel(doubtful.exported(), 3, Reduction::kAllPairs, {}, costing, {});
  ASSERT_TRUE(kernel.ok()) << kernel.error().message;
  EXPECT_NEAR(doubtful.cost_of(**kernel), 0.2, 1e-6);
  auto on_line = learn_direct(doubtful.problem, doubtful.examples, layout, 3,
                              {.loss = DirectLoss::kLogistic, .reduction = Reduction::kAllPairs}, {});
  EXPECT_NEAR(doubtful.cost_of(on_line), 0.2, 1e-6);
  auto alone = learn_liblinear(doubtful.exported(), layout, 3, Reduction::kDirect, {}, costing, kNobody);
  ASSERT_TRUE(alone.ok()) << alone.error().message;
  EXPECT_NEAR(doubtful.cost_of(*alone), 0.5, 1e-6);
}

TEST(Reductions, AllPairsComesNearTheExactOptimumOfSmallProblems) {
  // The classifiers can express any choice of a label for each observation, so the least cost is known.
  double optimum = 0, one_vs_all = 0, direct = 0, by_pairs[3] = {0, 0, 0};
  for (uint64_t seed = 1; seed <= 6; ++seed) {
    const Costly some = random_costs(seed, 5, 300, 6);
    const auto layout = no_static_rows(5);
    const auto exported = some.exported();
    optimum += some.least_cost();
    auto pairs = learn_pairs(some.problem, some.examples, layout, 5, {}, kEverything, kNobody);
    auto kernel = learn_kernel(exported, 5, Reduction::kAllPairs, {}, {}, {});
    auto on_line = learn_direct(some.problem, some.examples, layout, 5,
                                {.loss = DirectLoss::kLogistic, .reduction = Reduction::kAllPairs}, {});
    by_pairs[0] += some.cost_of(*pairs);
    by_pairs[1] += some.cost_of(**kernel);
    by_pairs[2] += some.cost_of(on_line);
    auto of_one = learn_liblinear(exported, layout, 5, Reduction::kOneVsAll, {}, {}, kNobody);
    one_vs_all += some.cost_of(*of_one);
    auto of_all = learn_direct(some.problem, some.examples, layout, 5,
                               {.loss = DirectLoss::kSoftmaxMargin, .reduction = Reduction::kDirect}, {});
    direct += some.cost_of(of_all);
  }
  for (const double pairs : by_pairs) {
    EXPECT_LT(pairs, 1.03 * optimum);
    EXPECT_LT(pairs, one_vs_all);
    EXPECT_LT(pairs, direct);
  }
  EXPECT_GT(std::min(one_vs_all, direct), 1.05 * optimum);  // imitating the cheapest label is not enough
}

TEST(Reductions, EveryPackageLearnsByEachOfItsOwn) {
  // Costs of 0 and 1 that follow from the observation: every classifier must find the labels without cost.
  Costly easy(4);
  for (uint32_t i = 0; i < 80; ++i) {
    std::vector<float> costs(4, 1.0f);
    costs[i % 4] = 0;
    easy.add(i % 8, costs);
  }
  const auto layout = no_static_rows(4);
  const auto exported = easy.exported();
  for (const Reduction reduction : {Reduction::kDirect, Reduction::kOneVsAll}) {
    auto linear = learn_liblinear(exported, layout, 4, reduction, {}, {}, kNobody);
    ASSERT_TRUE(linear.ok()) << linear.error().message;
    EXPECT_EQ(easy.cost_of(*linear), 0);
  }
  for (const Reduction reduction : {Reduction::kAllPairs, Reduction::kOneVsAll}) {
    auto kernel = learn_kernel(exported, 4, reduction, {}, {}, {});
    ASSERT_TRUE(kernel.ok()) << kernel.error().message;
    EXPECT_EQ(easy.cost_of(**kernel), 0);
  }
  auto pairs = learn_pairs(easy.problem, easy.examples, layout, 4, {}, kEverything, kNobody);
  ASSERT_TRUE(pairs.ok()) << pairs.error().message;
  EXPECT_EQ(easy.cost_of(*pairs), 0);
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

#include "research/beam/theory_consistency.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>

#include "research/beam/theory_cells.h"
#include "research/beam/theory_instances.h"
#include "research/beam/theory_trajectories.h"

namespace espalier::research {
namespace {

void agrees_with_sweep(BeamMode mode) {
  size_t consistent = 0;
  constexpr uint64_t kProblems = 120;
  for (uint64_t seed = 1; seed <= kProblems; ++seed) {
    const BeamProblem problem = random_small_problem(Random(seed), mode);
    const auto sweep = sweep_weight_space(problem);
    ASSERT_TRUE(sweep.ok());
    const Consistency answer = decide_consistency(problem);
    ASSERT_EQ(answer.decision, sweep->consistent ? Decision::kYes : Decision::kNo) << "seed " << seed;
    if (sweep->consistent) {
      EXPECT_TRUE(solves(problem, answer.w));
      EXPECT_TRUE(solves(problem, sweep->w));
      ++consistent;
    }
  }
  EXPECT_GT(consistent, kProblems / 4);
  EXPECT_LT(consistent, 3 * kProblems / 4);
}

TEST(Consistency, BreadthFirstAgreesWithASweepOverAllCellsOfWeightSpace) {
  agrees_with_sweep(BeamMode::kBreadthFirst);
}

TEST(Consistency, BestFirstAgreesWithASweepOverAllCellsOfWeightSpace) {
  agrees_with_sweep(BeamMode::kBestFirst);
}

TEST(Consistency, ThreeFeaturesAgreeWithTheSweepToo) {
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    Random random(seed);
    TreeSpace tree(3);
    for (int c = 0; c < 5; ++c) {
      std::vector<double> f(3);
      for (double& x : f) x = static_cast<double>(random.below(5)) - 2;
      tree.add(0, f, c == 2);
    }
    const BeamProblem problem{{tree}, 1, BeamMode::kBreadthFirst, search::kNoHorizon};
    const auto sweep = sweep_weight_space(problem);
    ASSERT_TRUE(sweep.ok());
    EXPECT_EQ(decide_consistency(problem).decision == Decision::kYes, sweep->consistent) << "seed " << seed;
  }
}

TEST(Consistency, SolutionsThatHangOnTiesAreFound) {
  // The target wins only if all three are equal, which takes w₁ = w₂ = 0; the third feature is unused.
  TreeSpace tree(3);
  tree.add(0, {0, 0, 0}, true);  // preferred
  tree.add(0, {1, 2, 0});
  tree.add(0, {-1, -2, 0});
  tree.add(0, {3, 1, 0});
  tree.add(0, {-3, -1, 0});
  TreeSpace other(3);
  other.add(0, {0, 0, 0});
  other.add(0, {5, 5, 1}, true);
  const BeamProblem problem{{tree, other}, 1, BeamMode::kBreadthFirst, search::kNoHorizon};
  const Consistency answer = decide_consistency(problem);
  ASSERT_EQ(answer.decision, Decision::kYes);
  EXPECT_EQ(answer.w[0], 0);
  EXPECT_EQ(answer.w[1], 0);
  EXPECT_GT(answer.w[2], 0);
}

TEST(Consistency, BothCounterExamplesHaveSolutionsThatTheLearnersDoNotFind) {
  for (const BeamMode mode : {BeamMode::kBreadthFirst, BeamMode::kBestFirst})
    for (const BeamProblem& problem : {counter_example_a(mode), counter_example_b(mode)}) {
      const Consistency answer = decide_consistency(problem);
      ASSERT_EQ(answer.decision, Decision::kYes);
      EXPECT_TRUE(solves(problem, answer.w));
      EXPECT_FALSE(solves(problem, std::vector<double>{0, 0}));
    }
}

TEST(Consistency, BestFirstSearchMustReachItsGoalWithinTheHorizon) {
  // The target's child ranks low whenever the target ranks high, so the other leaves come first.
  TreeSpace tree(1);
  const TreeState target = tree.add(0, {1}, true);
  tree.add(0, {0});
  tree.add(target, {-1}, true);
  tree.add(target, {2});
  BeamProblem problem{{tree}, 2, BeamMode::kBestFirst, 2};
  const auto sweep_agrees = [&] {
    const auto sweep = sweep_weight_space(problem);
    return sweep.ok() && (decide_consistency(problem).decision == Decision::kYes) == sweep->consistent;
  };
  for (const size_t horizon : {1, 2, 3, 4}) {
    problem.horizon = horizon;
    EXPECT_TRUE(sweep_agrees()) << "horizon " << horizon;
  }
  problem.horizon = 1;
  EXPECT_EQ(decide_consistency(problem).decision, Decision::kNo);  // the goal is two steps away
}

TEST(Consistency, SaysThatItDoesNotKnowWhereALimitIsReached) {
  BeamProblem problem = counter_example_a(BeamMode::kBreadthFirst);
  problem.width = 1;
  ConsistencyOptions options;
  options.max_programs = 0;
  Consistency answer = decide_consistency(problem, options);
  EXPECT_EQ(answer.decision, Decision::kUndecided);
  EXPECT_TRUE(answer.w.empty());
  const std::atomic<bool> stop{true};
  options = {};
  options.monitor.stop = &stop;
  EXPECT_EQ(decide_consistency(problem, options).decision, Decision::kUndecided);
  EXPECT_EQ(decide_consistency(problem).decision, Decision::kYes);
}

TEST(Consistency, CutsLeaveFewOfTheCertificates) {
  // Twelve nodes with a beam of six: 924 beams, but in the plane only about 24 orders.
  Random random(3);
  TreeSpace tree(2);
  for (int c = 0; c < 12; ++c) tree.add(0, {random.gaussian(), random.gaussian()}, c == 5);
  BeamProblem problem{{tree}, 6, BeamMode::kBreadthFirst, search::kNoHorizon};
  EXPECT_NEAR(certificates_log10(problem), 6 * std::log10(72.0), 1e-9);
  // Two instances that contradict each other, so that the whole space is searched.
  TreeSpace against(2);
  for (TreeState v = 1; v < tree.size(); ++v)
    against.add(0, {-tree.features_of(v)[0], -tree.features_of(v)[1]}, v == 6);
  problem.instances.push_back(against);
  const auto answer = decide_consistency(problem);
  EXPECT_NE(answer.decision, Decision::kUndecided);
  EXPECT_LT(answer.beams, 200u);
}

TEST(WeightCells, HaveAllSignsThatRandomWeightsHave) {
  for (const size_t dimension : {1, 2, 3})
    for (uint64_t seed = 1; seed <= 5; ++seed) {
      Random random(seed);
      std::vector<std::vector<double>> normals(4, std::vector<double>(dimension));
      for (auto& g : normals)
        for (double& x : g) x = static_cast<double>(random.below(5)) - 2;
      const auto signs = [&](const std::vector<double>& w) {
        std::vector<int> out;
        for (const auto& g : normals) {
          double sum = 0;
          for (size_t j = 0; j < dimension; ++j) sum += w[j] * g[j];
          out.push_back(sum > 0 ? 1 : sum < 0 ? -1 : 0);
        }
        return out;
      };
      std::vector<std::vector<int>> had;
      const auto cells = weight_cells(dimension, normals);
      ASSERT_TRUE(cells.ok());
      for (const auto& w : *cells) had.push_back(signs(w));
      for (int trial = 0; trial < 2000; ++trial) {
        std::vector<double> w(dimension);
        for (double& x : w) x = static_cast<double>(random.below(9)) - 4;
        EXPECT_NE(std::find(had.begin(), had.end(), signs(w)), had.end());
      }
    }
}

TEST(WeightCells, AreRefusedWhereTheyCannotBeListedExactly) {
  EXPECT_FALSE(weight_cells(4, {}).ok());
  EXPECT_FALSE(weight_cells(2, std::vector<std::vector<double>>{{0.5, 1}}).ok());
  EXPECT_FALSE(weight_cells(2, std::vector<std::vector<double>>{{5000, 1}}).ok());
}

}  // namespace
}  // namespace espalier::research

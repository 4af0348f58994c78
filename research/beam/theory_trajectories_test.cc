#include "research/beam/theory_trajectories.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "research/beam/theory_cells.h"
#include "research/beam/theory_instances.h"

namespace espalier::research {
namespace {

double times(const std::vector<double>& w, const std::vector<double>& g) {
  double sum = 0;
  for (size_t i = 0; i < w.size(); ++i) sum += w[i] * g[i];
  return sum;
}

/// The beams as sets, in order: a trajectory without the order within its beams.
BeamTrajectory as_sets(BeamTrajectory trajectory) {
  for (BeamStep& step : trajectory) std::sort(step.beam.begin(), step.beam.end());
  return trajectory;
}

TEST(Demands, StrictAndWeakOnesDifferWhereSolutionsTie) {
  const std::vector<double> g{1, 2, -3}, minus{-1, -2, 3};
  const std::vector<Demand> weak{{g, false}, {minus, false}, {{1, 0, 0}, true}};
  const DemandsMet met = meet_demands(3, weak);
  ASSERT_EQ(met.decision, Decision::kYes);
  EXPECT_EQ(times(met.w, g), 0);  // exactly
  EXPECT_GT(met.w[0], 0);
  const std::vector<Demand> strict{{g, true}, {minus, false}};
  EXPECT_EQ(meet_demands(3, strict).decision, Decision::kNo);
}

TEST(Demands, NothingButZerosIsDecidedWithoutAProgram) {
  const std::vector<Demand> weak{{{0, 0}, false}}, strict{{{0, 0}, true}};
  EXPECT_EQ(meet_demands(2, weak).decision, Decision::kYes);
  EXPECT_EQ(meet_demands(2, strict).decision, Decision::kNo);
  EXPECT_EQ(meet_demands(2, {}).w, (std::vector<double>{0, 0}));
}

TEST(Demands, WeakOnesAreMetStrictlyWhereThatIsPossible) {
  const std::vector<Demand> demands{{{1, 0}, false}, {{0, 1}, false}, {{-1, 3}, true}};
  const DemandsMet met = meet_demands(2, demands);
  ASSERT_EQ(met.decision, Decision::kYes);
  for (const Demand& demand : demands) EXPECT_GT(times(met.w, demand.g), 0);
}

TEST(Demands, TiesOfManyFractionsAreExact) {
  // Equalities that leave a plane in six dimensions, with eighths as coefficients.
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    Random random(seed);
    std::vector<Demand> demands;
    for (int r = 0; r < 4; ++r) {
      Demand demand{std::vector<double>(6), false};
      for (double& x : demand.g) x = (static_cast<double>(random.below(33)) - 16) / 8;
      demands.push_back(demand);
      for (double& x : demand.g) x = -x;
      demands.push_back(demand);
    }
    Demand other{std::vector<double>(6), true};
    for (double& x : other.g) x = static_cast<double>(random.below(9)) - 4;
    demands.push_back(other);
    const DemandsMet met = meet_demands(6, demands);
    ASSERT_EQ(met.decision, Decision::kYes) << "seed " << seed;
    for (size_t k = 0; k + 1 < demands.size(); ++k) EXPECT_EQ(times(met.w, demands[k].g), 0);
    EXPECT_GT(times(met.w, other.g), 0);
  }
}

TEST(Demands, TiesThatDoublesCannotHoldAreNeverPassedOffAsMet) {
  // w = (x, −y)·t is forced, up to a multiple; products of these numbers are not exact.
  const double x = 0.1, y = 0.3;
  const std::vector<Demand> demands{{{y, x}, false}, {{-y, -x}, false}, {{1, 0}, true}};
  const DemandsMet met = meet_demands(2, demands);
  EXPECT_NE(met.decision, Decision::kNo);
  if (met.decision == Decision::kYes) {
    EXPECT_EQ(times(met.w, demands[0].g), 0);
  }
}

TEST(TestTrajectories, AcceptsWhatWeightsGenerateAndFindsSuchWeights) {
  for (const BeamMode mode : {BeamMode::kBreadthFirst, BeamMode::kBestFirst})
    for (uint64_t seed = 1; seed <= 60; ++seed) {
      const BeamProblem problem = random_small_problem(Random(seed), mode);
      Random random(seed + 500);
      const std::vector<double> w{static_cast<double>(random.below(7)) - 3,
                                  static_cast<double>(random.below(7)) - 3};
      std::vector<BeamTrajectory> trajectories;
      for (const TreeSpace& tree : problem.instances)
        trajectories.push_back(beam_trajectory(problem, tree, w));
      const DemandsMet met = test_trajectories(problem, trajectories);
      ASSERT_EQ(met.decision, Decision::kYes) << "seed " << seed;
      for (size_t i = 0; i < trajectories.size(); ++i)
        EXPECT_EQ(as_sets(beam_trajectory(problem, problem.instances[i], met.w)), as_sets(trajectories[i]))
            << "seed " << seed;
    }
}

/// All trajectories of sets that Figure 1 would enumerate for one tree.
void enumerate(const BeamProblem& problem, const BeamTrajectory& begun, const TreeNodes& beam, size_t depth,
               std::vector<BeamTrajectory>& all) {
  const TreeSpace& tree = problem.instances[0];
  if (begun.size() == depth || beam.empty()) {
    all.push_back(begun);
    return;
  }
  const bool best_first = problem.mode == BeamMode::kBestFirst;
  for (const TreeState expanded : best_first ? beam : TreeNodes{search::kNoNode}) {
    const TreeNodes candidates = expand_beam(tree, problem.mode, beam, expanded);
    for (uint32_t bits = 0; bits < 1u << candidates.size(); ++bits) {
      TreeNodes subset;
      for (size_t k = 0; k < candidates.size(); ++k)
        if ((bits >> k & 1) != 0) subset.push_back(candidates[k]);
      if (subset.size() != std::min(problem.width, candidates.size())) continue;
      BeamTrajectory longer = begun;
      longer.push_back({expanded, subset});
      enumerate(problem, longer, subset, depth, all);
    }
  }
}

TEST(TestTrajectories, AcceptsExactlyThoseThatSomeCellOfWeightSpaceGenerates) {
  size_t accepted = 0, rejected = 0;
  for (const BeamMode mode : {BeamMode::kBreadthFirst, BeamMode::kBestFirst})
    for (uint64_t seed = 1; seed <= 6; ++seed) {
      // Two levels of three children, with values that tie often.
      Random random(seed);
      TreeSpace tree(2);
      for (TreeState v = 0; v < 4; ++v)
        for (int c = 0; c < 3; ++c)
          tree.add(v, {static_cast<double>(random.below(5)) - 2, static_cast<double>(random.below(5)) - 2},
                   c == 0);
      const BeamProblem problem{{tree}, 2, mode, 2};
      std::vector<BeamTrajectory> all;
      enumerate(problem, {}, {0}, 2, all);

      std::vector<std::vector<double>> normals;
      for (TreeState v = 1; v < tree.size(); ++v)
        for (TreeState u = 1; u < v; ++u) normals.push_back(ranks_above(tree, v, u).g);
      const auto cells = weight_cells(2, normals);
      ASSERT_TRUE(cells.ok());
      // A goal in the beam would end best-first search; here all trajectories have two steps.
      std::vector<BeamTrajectory> generated;
      for (const std::vector<double>& w : *cells)
        generated.push_back(as_sets(beam_trajectory(problem, tree, w)));
      for (const BeamTrajectory& trajectory : all) {
        const bool is_generated =
            std::find(generated.begin(), generated.end(), trajectory) != generated.end();
        const DemandsMet met = test_trajectories(problem, std::vector<BeamTrajectory>{trajectory});
        EXPECT_EQ(met.decision, is_generated ? Decision::kYes : Decision::kNo) << "seed " << seed;
        ++(is_generated ? accepted : rejected);
      }
    }
  EXPECT_GT(accepted, 100u);
  EXPECT_GT(rejected, 100u);
}

TEST(TestTrajectories, RejectsBeamsThatDoNotFollow) {
  const BeamProblem problem = counter_example_a(BeamMode::kBreadthFirst);  // nodes 1…7 are B…H
  const auto decide = [&](const BeamTrajectory& trajectory) {
    return test_trajectories(problem, std::vector<BeamTrajectory>{trajectory}).decision;
  };
  EXPECT_EQ(decide({{search::kNoNode, {1, 2}}, {search::kNoNode, {4, 5}}}), Decision::kYes);
  EXPECT_EQ(decide({{search::kNoNode, {1}}, {search::kNoNode, {4, 5}}}), Decision::kNo);     // too few
  EXPECT_EQ(decide({{search::kNoNode, {1, 1}}, {search::kNoNode, {4, 5}}}), Decision::kNo);  // twice the same
  EXPECT_EQ(decide({{search::kNoNode, {1, 2}}, {search::kNoNode, {4, 6}}}),
            Decision::kNo);  // G is no child of B or C
  const BeamProblem best_first = counter_example_a(BeamMode::kBestFirst);
  EXPECT_EQ(test_trajectories(best_first, std::vector<BeamTrajectory>{{{0, {1, 2}}, {3, {1, 2}}}}).decision,
            Decision::kNo);  // D was not in the beam
}

TEST(SinglePaths, OneProgramDecidesTheClassOfWidthOneAndOneTarget) {
  size_t consistent = 0;
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    TreeShape shape;
    shape.trees = 1 + seed % 2;
    shape.depth = 2;
    shape.dimension = 2;
    BeamProblem problem = random_single_path_problem(Random(seed), shape, 3);
    const auto sweep = sweep_weight_space(problem);
    ASSERT_TRUE(sweep.ok());
    for (const BeamMode mode : {BeamMode::kBreadthFirst, BeamMode::kBestFirst}) {
      problem.mode = mode;
      const DemandsMet met = solve_single_paths(problem);
      EXPECT_EQ(met.decision == Decision::kYes, sweep->consistent) << "seed " << seed;
      if (met.decision == Decision::kYes) {
        EXPECT_TRUE(solves(problem, met.w));
      }
    }
    problem.horizon = 1;
    EXPECT_EQ(solve_single_paths(problem).decision, Decision::kNo);  // two levels take two steps
    consistent += sweep->consistent ? 1 : 0;
  }
  EXPECT_GT(consistent, 5u);
  EXPECT_LT(consistent, 55u);
}

TEST(SinglePaths, OtherProblemsAreRefused) {
  BeamProblem problem = counter_example_a(BeamMode::kBreadthFirst);
  EXPECT_THROW(solve_single_paths(problem), ContractViolation);  // b = 2
  problem.width = 1;
  EXPECT_EQ(solve_single_paths(problem).decision, Decision::kYes);
  problem.instances[0].set_target(2, true);
  EXPECT_THROW(solve_single_paths(problem), ContractViolation);  // t = 2
}

}  // namespace
}  // namespace espalier::research

#include "research/beam/theory_problem.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "espalier/search/decode.h"
#include "research/beam/theory_instances.h"

namespace espalier::research {
namespace {

using testing::HasSubstr;

search::DenseWeights small_weights(Random& random, size_t dimension) {
  search::DenseWeights weights(dimension, 1);
  for (double& w : weights.values()) w = static_cast<double>(random.below(5)) - 2;
  return weights;
}

TEST(BeamTrajectories, AreThoseOfTheBreadthFirstDecoder) {
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    const BeamProblem problem = random_small_problem(Random(seed), BeamMode::kBreadthFirst);
    Random random(seed + 1000);
    search::DenseWeights weights = small_weights(random, 2);
    for (const TreeSpace& tree : problem.instances) {
      search::SearchScratch<TreeSpace, double> scratch;
      BeamTrajectory seen;
      search_breadth_first(tree, weights, problem.width, scratch, [&](const search::Level& level) {
        BeamStep& step = seen.emplace_back();
        for (size_t i = 0; i < level.kept; ++i) {
          const search::Child& child = level.children[level.order[i]];
          step.beam.push_back(tree.apply(scratch.nodes[child.parent].state, child.action));
        }
        return search::LevelDecision();
      });
      EXPECT_EQ(beam_trajectory(problem, tree, weights.values()), seen) << "seed " << seed;
    }
  }
}

TEST(BeamTrajectories, AreThoseOfTheBestFirstDecoderUpToItsFirstGoal) {
  size_t steps = 0;
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    BeamProblem problem = random_small_problem(Random(seed), BeamMode::kBestFirst);
    Random random(seed + 1000);
    search::DenseWeights weights = small_weights(random, 2);
    for (const TreeSpace& tree : problem.instances) {
      search::SearchScratch<TreeSpace, double> scratch;
      std::vector<TreeNodes> seen;
      search_best_first(tree, weights, problem.width, problem.horizon, scratch,
                        [&](std::span<const uint32_t> beam) {
                          TreeNodes& states = seen.emplace_back();
                          for (const uint32_t node : beam) states.push_back(scratch.nodes[node].state);
                        });
      // The decoder ends with any goal as its best node, the trajectory with a target goal anywhere in the
      // beam.
      const BeamTrajectory trajectory = beam_trajectory(problem, tree, weights.values());
      for (size_t j = 0; j < std::min(seen.size(), trajectory.size()); ++j, ++steps)
        EXPECT_EQ(trajectory[j].beam, seen[j]) << "seed " << seed << " step " << j;
    }
  }
  EXPECT_GT(steps, 200u);
}

TEST(BeamTrajectories, ALeafThatIsNoTargetIsTakenOffTheBeamAndTheSearchGoesOn) {
  TreeSpace tree(1);
  const TreeState wrong = tree.add(0, {2});
  const TreeState right = tree.add(0, {1}, true);
  const TreeState goal = tree.add(right, {0}, true);
  BeamProblem problem{{tree}, 2, BeamMode::kBestFirst, search::kNoHorizon};
  const BeamTrajectory expected{{0, {wrong, right}}, {wrong, {right}}, {right, {goal}}};
  EXPECT_EQ(beam_trajectory(problem, tree, std::vector<double>{1}), expected);
  EXPECT_TRUE(solves(problem, std::vector<double>{1}));
  problem.horizon = 2;
  EXPECT_FALSE(solves(problem, std::vector<double>{1}));
  EXPECT_TRUE(solves(problem, std::vector<double>{-1}));  // the target first: two steps
}

TEST(BeamTrajectories, EqualValuesAreRankedByPreference) {
  TreeSpace tree(1);
  const TreeState first = tree.add(0, {1});
  const TreeState second = tree.add(0, {1}, true);
  const BeamProblem problem{{tree}, 1, BeamMode::kBreadthFirst, search::kNoHorizon};
  EXPECT_FALSE(solves(problem, std::vector<double>{1}));
  BeamProblem preferred = problem;
  preferred.instances[0].set_preference(first, 1);
  preferred.instances[0].set_preference(second, 2);
  EXPECT_TRUE(solves(preferred, std::vector<double>{1}));
}

TEST(BeamProblems, EachDepthNeedsATargetInItsOwnBeam) {
  // Targets need not form paths: a target of level 2 is below a node that is not a target, and no target is
  // in the beam before it.
  TreeSpace tree(1);
  const TreeState high = tree.add(0, {2});
  tree.add(0, {1}, true);
  tree.add(high, {1}, true);
  EXPECT_FALSE(dead_end_free(tree));
  const BeamProblem narrow{{tree}, 1, BeamMode::kBreadthFirst, search::kNoHorizon};
  EXPECT_FALSE(solves(narrow, std::vector<double>{1}));   // misses the target of level 1
  EXPECT_FALSE(solves(narrow, std::vector<double>{-1}));  // misses that of level 2
  const BeamProblem wide{{tree}, 2, BeamMode::kBreadthFirst, search::kNoHorizon};
  EXPECT_TRUE(solves(wide, std::vector<double>{1}));
}

TEST(BeamProblems, WidthAndDepthOfTargets) {
  const BeamProblem a = counter_example_a(BeamMode::kBreadthFirst);
  EXPECT_EQ(target_depth(a.instances[0]), 2u);
  EXPECT_EQ(target_width(a.instances[0]), 1u);
  EXPECT_TRUE(dead_end_free(a.instances[0]));
  TreeSpace two(1);
  two.add(0, {1}, true);
  two.add(0, {1}, true);
  EXPECT_EQ(target_width(two), 2u);
}

TEST(BeamProblems, WhatCannotBeSolvedForLackOfSenseIsSaid) {
  const BeamProblem good = counter_example_a(BeamMode::kBreadthFirst);
  EXPECT_TRUE(check_problem(good).ok());
  const auto message = [](const BeamProblem& problem) { return check_problem(problem).error().message; };
  BeamProblem none = good;
  none.instances.clear();
  EXPECT_THAT(message(none), HasSubstr("needs an instance"));
  BeamProblem no_beam = good;
  no_beam.width = 0;
  EXPECT_THAT(message(no_beam), HasSubstr("wanted at least 1"));
  BeamProblem mixed = good;
  mixed.instances.emplace_back(3).add(0, {1, 2, 3}, true);
  EXPECT_THAT(message(mixed), HasSubstr("instance 1 has 3 features, but the first one has 2"));
  BeamProblem aimless = good;
  aimless.instances.emplace_back(2).add(0, {1, 2});
  EXPECT_THAT(message(aimless), HasSubstr("instance 1 has no target below its root"));
  BeamProblem gap = good;
  gap.instances[0].set_target(1, false);
  EXPECT_THAT(message(gap), HasSubstr("none at depth 1"));
  BeamProblem infinite = good;
  infinite.instances[0].add(1, {1, std::numeric_limits<double>::infinity()});
  EXPECT_THAT(message(infinite), HasSubstr("node 8 has a feature that is not finite"));
  EXPECT_THAT(message({{TreeSpace(0)}, 1, BeamMode::kBreadthFirst, 1}), HasSubstr("at least one feature"));
}

}  // namespace
}  // namespace espalier::research

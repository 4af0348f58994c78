#include "research/beam/theory_hardness.h"

#include <gtest/gtest.h>

#include "research/beam/theory_consistency.h"

namespace espalier::research {
namespace {

constexpr BeamMode kModes[] = {BeamMode::kBreadthFirst, BeamMode::kBestFirst};

bool consistent(const BeamProblem& problem) {
  const Consistency answer = decide_consistency(problem);
  EXPECT_NE(answer.decision, Decision::kUndecided);
  if (answer.decision == Decision::kYes) {
    EXPECT_TRUE(solves(problem, answer.w));
  }
  return answer.decision == Decision::kYes;
}

TEST(MinimumDisagreement, CountsAsTheDefinitionDoes) {
  // x ≥ 0 is positive: the zero vector classifies everything as positive, and 0 itself is always positive.
  DisagreementProblem problem;
  problem.positive = {{1, 0}, {2, 1}};
  problem.negative = {{-1, 0}, {-1, -3}};
  EXPECT_EQ(*least_disagreement(problem), 0u);
  problem.negative.push_back({0, 0});
  EXPECT_EQ(*least_disagreement(problem), 1u);
  problem.negative.push_back({1, 0});  // contradicts a positive example
  EXPECT_EQ(*least_disagreement(problem), 2u);
}

TEST(MinimumDisagreement, IsConsistencyOfASingleInstanceOfDepthOne) {
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    const size_t dimension = seed % 3 == 0 ? 3 : 2;
    DisagreementProblem problem = random_disagreement(Random(seed), dimension, 4, 4, 3, 0);
    const auto least = least_disagreement(problem);
    ASSERT_TRUE(least.ok());
    for (problem.allowed = 0; problem.allowed <= 3; ++problem.allowed)
      for (const BeamMode mode : kModes)
        EXPECT_EQ(consistent(disagreement_as_beam_problem(problem, mode)), *least <= problem.allowed)
            << "seed " << seed << " allowed " << problem.allowed;
  }
}

TEST(Satisfiability, IsConsistencyOfInstancesOfDepthOneAndOfOneStackedInstance) {
  size_t yes = 0, no = 0;
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    const SatProblem sat = random_3sat(Random(seed), 3, 20);
    const bool expected = satisfiable(sat);
    ++(expected ? yes : no);
    for (const BeamMode mode : kModes) {
      const BeamProblem clauses = sat_as_beam_problem(sat, mode);
      EXPECT_EQ(consistent(clauses), expected) << "seed " << seed;
      const BeamProblem tower = stacked(clauses);
      EXPECT_EQ(tower.instances.size(), 1u);
      EXPECT_EQ(target_depth(tower.instances[0]), sat.clauses.size());
      EXPECT_EQ(consistent(tower), expected) << "seed " << seed;
    }
  }
  EXPECT_GT(yes, 2u);
  EXPECT_GT(no, 2u);
}

TEST(Satisfiability, InstancesHaveTheShapeThatTheTheoremNames) {
  const BeamProblem problem = sat_as_beam_problem(random_3sat(Random(1), 5, 7), BeamMode::kBreadthFirst);
  ASSERT_EQ(problem.instances.size(), 7u);
  EXPECT_EQ(problem.width, 1u);
  for (const TreeSpace& tree : problem.instances) {
    EXPECT_EQ(target_depth(tree), 1u);
    EXPECT_EQ(target_width(tree), 3u);
    EXPECT_EQ(tree.children(0).size(), 6u);
  }
}

TEST(Satisfiability, AssignmentsAreReadOffTheSignsOfTheWeights) {
  const SatProblem sat{3, {{{{0, true}, {1, true}, {2, true}}}, {{{0, false}, {1, true}, {2, false}}}}};
  const BeamProblem problem = sat_as_beam_problem(sat, BeamMode::kBreadthFirst);
  EXPECT_TRUE(solves(problem, std::vector<double>{1, 1, 1}));
  EXPECT_TRUE(solves(problem, std::vector<double>{-1, -1, 1}));
  EXPECT_FALSE(solves(problem, std::vector<double>{1, -1, 1}));
  EXPECT_FALSE(solves(problem, std::vector<double>{-1, -1, -1}));
  EXPECT_FALSE(solves(problem, std::vector<double>{0, 0, 0}));  // ties go to the others
}

}  // namespace
}  // namespace espalier::research

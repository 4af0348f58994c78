#include "espalier/chain/lattice/lattice_nbest.h"

#include <gtest/gtest.h>

#include "espalier/chain/lattice/lattice_test_support.h"

namespace espalier::chain {
namespace {

TEST(NBest, EnumeratesAllPathsInTheOrderOfBruteForce) {
  for_random_lattices(21, false, [](const Lattice& lattice) {
    const auto paths = all_paths(lattice);
    const NBestResult result = n_best(lattice, paths.size() + 1);
    EXPECT_EQ(result.outcome, paths.empty() ? Outcome::kInfeasible : Outcome::kExact);
    ASSERT_EQ(result.paths.size(), paths.size());
    for (size_t i = 0; i < paths.size(); ++i) {
      EXPECT_EQ(result.paths[i].states, paths[i].states);
      EXPECT_NEAR(result.paths[i].score, paths[i].score, 1e-9);
      if (i > 0) {
        EXPECT_LE(result.paths[i].score, result.paths[i - 1].score);
      }
    }
  });
}

TEST(NBest, BreaksTiesByLowerStatesFromTheEnd) {
  for_random_lattices(22, true, [](const Lattice& lattice) {
    const auto paths = all_paths(lattice);
    const NBestResult result = n_best(lattice, paths.size());
    ASSERT_EQ(result.paths.size(), paths.size());
    for (size_t i = 0; i < paths.size(); ++i) {
      EXPECT_EQ(result.paths[i].score, paths[i].score);
      ASSERT_EQ(result.paths[i].states, paths[i].states) << "at " << i;
    }
  });
}

TEST(NBest, StartsWithTheViterbiPathAndItsScore) {
  for_random_lattices(23, false, [](const Lattice& lattice) {
    const LatticePath best = viterbi(lattice);
    const LatticePath first = NBestPaths(lattice).next();
    EXPECT_EQ(first.outcome, best.outcome);
    EXPECT_EQ(first.score, best.score);
    EXPECT_EQ(first.states, best.states);
  });
}

TEST(NBest, TakesLatticesWithoutPathsPositionsOrChoice) {
  EXPECT_EQ(n_best(disconnected_lattice(), 3).outcome, Outcome::kInfeasible);
  EXPECT_EQ(n_best(single_position({}), 3).outcome, Outcome::kInfeasible);
  const NBestResult single = n_best(single_position({1, 3, 2}), 2);
  ASSERT_EQ(single.paths.size(), 2u);
  EXPECT_EQ(single.paths[0].states, std::vector<uint32_t>{1});
  EXPECT_EQ(single.paths[1].states, std::vector<uint32_t>{2});
  const NBestResult empty = n_best(Lattice(), 5);
  EXPECT_EQ(empty.outcome, Outcome::kExact);
  ASSERT_EQ(empty.paths.size(), 1u);
  EXPECT_TRUE(empty.paths[0].states.empty());
}

TEST(NBest, EndsAtItsBudgetWithThePathsFoundSoFar) {
  Random random(5);
  RandomLatticeOptions options;
  options.positions = 12;
  options.arc_share = 1;
  const Lattice lattice = random_lattice(options, random);
  const NBestResult whole = n_best(lattice, 40);
  ASSERT_EQ(whole.paths.size(), 40u);
  const NBestResult cut = n_best(lattice, 40, {.max_nodes = 200});
  EXPECT_EQ(cut.outcome, Outcome::kOutOfBudget);
  ASSERT_GT(cut.paths.size(), 0u);
  ASSERT_LT(cut.paths.size(), 40u);
  for (size_t i = 0; i < cut.paths.size(); ++i) EXPECT_EQ(cut.paths[i].states, whole.paths[i].states);
}

}  // namespace
}  // namespace espalier::chain

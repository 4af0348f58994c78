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

TEST(NBest, TheFirstFewDoNotDependOnHowManyAreWanted) {
  for (const bool ties : {false, true})
    for_random_lattices(24, ties, [](const Lattice& lattice) {
      const NBestResult all = n_best(lattice, 1000);
      for (size_t n = 1; n <= all.paths.size() && n <= 12; ++n) {
        const NBestResult few = n_best(lattice, n);
        ASSERT_EQ(few.paths.size(), n);
        for (size_t i = 0; i < n; ++i)
          ASSERT_EQ(few.paths[i].states, all.paths[i].states) << i << " of " << n;
      }
    });
}

TEST(NBest, EqualScoresOnALongSequenceTakeLinearTime) {
  // Every labelling has the same score: a comparison of candidates that walked along paths would take hours.
  constexpr size_t kLength = 100'000, kPaths = 50;
  LatticeBuilder builder;
  for (uint32_t t = 0; t < kLength; ++t) {
    for (data::Label y = 0; y < 2; ++y) {
      builder.add_state(y, 0);
      if (t > 0) {
        builder.add_arc(2 * (t - 1), 0);
        builder.add_arc(2 * (t - 1) + 1, 0);
      }
    }
    builder.end_position();
  }
  const Lattice lattice = builder.finish();
  const NBestResult result = n_best(lattice, kPaths);
  ASSERT_EQ(result.paths.size(), kPaths);
  // Ties go to lower states, read from the end: numbers written in binary, the front last.
  for (uint32_t i = 0; i < kPaths; ++i)
    for (uint32_t t = 0; t < 8; ++t) EXPECT_EQ(result.paths[i].states[t], 2 * t + ((i >> t) & 1)) << i;
}

TEST(NBest, StartsWithTheViterbiPathAndItsScore) {
  for_random_lattices(23, false, [](const Lattice& lattice) {
    const LatticePath best = viterbi(lattice);
    const NBestResult first = n_best(lattice, 1);
    ASSERT_EQ(first.outcome, best.outcome);
    if (first.outcome != Outcome::kExact) return;
    EXPECT_EQ(first.paths[0].score, best.score);
    EXPECT_EQ(first.paths[0].states, best.states);
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
  const NBestResult cut = n_best(lattice, 40, {.max_states = 200});
  EXPECT_EQ(cut.outcome, Outcome::kOutOfBudget);
  ASSERT_GT(cut.paths.size(), 0u);
  ASSERT_LT(cut.paths.size(), 40u);
  for (size_t i = 0; i < cut.paths.size(); ++i) EXPECT_EQ(cut.paths[i].states, whole.paths[i].states);
}

}  // namespace
}  // namespace espalier::chain

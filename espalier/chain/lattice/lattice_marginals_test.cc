#include "espalier/chain/lattice/lattice_marginals.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>

#include "espalier/chain/lattice/lattice_test_support.h"

namespace espalier::chain {
namespace {

TEST(SumMarginals, AreTheSharesOfAllPaths) {
  for_random_lattices(31, false, [](const Lattice& lattice) {
    const auto paths = all_paths(lattice);
    double z = 0;
    for (const BruteForcePath& path : paths) z += std::exp(path.score);
    std::vector<double> state(lattice.states(), 0), arc(lattice.arcs(), 0);
    for (const BruteForcePath& path : paths)
      for (size_t t = 0; t < path.states.size(); ++t) {
        state[path.states[t]] += std::exp(path.score) / z;
        if (t > 0) arc[arc_between(lattice, path.states[t - 1], path.states[t])] += std::exp(path.score) / z;
      }
    const SumMarginals result = sum_marginals(lattice);
    if (paths.empty()) {
      EXPECT_EQ(result.outcome, Outcome::kInfeasible);
      EXPECT_EQ(result.log_z, kMinusInfinity);
    } else {
      EXPECT_EQ(result.outcome, Outcome::kExact);
      EXPECT_NEAR(result.log_z, std::log(z), 1e-9);
    }
    EXPECT_EQ(log_partition(lattice), result.log_z);
    for (size_t s = 0; s < lattice.states(); ++s) EXPECT_NEAR(result.state[s], state[s], 1e-10);
    for (size_t a = 0; a < lattice.arcs(); ++a) EXPECT_NEAR(result.arc[a], arc[a], 1e-10);
  });
}

TEST(SumMarginals, StandScoresThousandsApart) {
  LatticeBuilder builder;
  builder.add_state(0, 0.0f);
  builder.add_state(1, -5000.0f);
  builder.end_position();
  builder.add_state(0, 0.0f);
  builder.add_arc(1, -3000.0f);  // the only way on is through the worse state
  builder.add_state(1, 0.0f);
  builder.add_arc(1, -3000.0f);
  builder.end_position();
  const SumMarginals result = sum_marginals(builder.finish());
  EXPECT_NEAR(result.log_z, -8000 + std::log(2.0), 1e-9);
  EXPECT_EQ(result.state[0], 0.0);
  EXPECT_NEAR(result.state[1], 1.0, 1e-12);
  EXPECT_NEAR(result.state[2], 0.5, 1e-12);
}

TEST(SumMarginals, OfTheEmptyLatticeAndASinglePosition) {
  const SumMarginals empty = sum_marginals(Lattice());
  EXPECT_EQ(empty.outcome, Outcome::kExact);
  EXPECT_EQ(empty.log_z, 0.0);
  const SumMarginals single = sum_marginals(single_position({0, std::log(3.0f)}));
  EXPECT_NEAR(single.log_z, std::log(4.0), 1e-6);
  EXPECT_NEAR(single.state[1], 0.75, 1e-6);
  EXPECT_EQ(sum_marginals(single_position({})).outcome, Outcome::kInfeasible);
}

TEST(PathSampler, DrawsPathsAsOftenAsTheirProbability) {
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    Random random(seed);
    const Lattice lattice = random_lattice({.positions = 3, .max_states = 3, .arc_share = 1}, random);
    const auto paths = all_paths(lattice);
    const double log_z = log_partition(lattice);
    const PathSampler sampler(lattice);
    constexpr int kDraws = 20000;
    std::map<std::vector<uint32_t>, int> drawn;
    for (int i = 0; i < kDraws; ++i) {
      const LatticePath path = sampler.draw(random);
      ASSERT_EQ(path.outcome, Outcome::kExact);
      ASSERT_NEAR(path.score, path_score(lattice, path.states), 1e-9);
      ++drawn[path.states];
    }
    // Pearson's statistic over the paths expected five times or more; its mean is their number, its variance
    // twice that.
    double statistic = 0;
    int cells = 0;
    for (const BruteForcePath& path : paths) {
      const double expected = kDraws * std::exp(path.score - log_z);
      if (expected < 5) continue;
      ++cells;
      statistic += (drawn[path.states] - expected) * (drawn[path.states] - expected) / expected;
    }
    EXPECT_LT(statistic, cells + 5 * std::sqrt(2.0 * cells) + 5) << "seed " << seed;
  }
}

TEST(PathSampler, RepeatsItselfWithTheSameStreamAndSaysWhenThereIsNoPath) {
  Random random(4);
  const Lattice lattice = random_lattice({.positions = 6, .max_states = 4, .arc_share = 1}, random);
  const PathSampler sampler(lattice);
  Random a(9), b(9);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(sampler.draw(a).states, sampler.draw(b).states);
  const Lattice broken = disconnected_lattice();
  EXPECT_EQ(PathSampler(broken).draw(a).outcome, Outcome::kInfeasible);
  const Lattice empty;
  EXPECT_EQ(PathSampler(empty).draw(a).outcome, Outcome::kExact);
}

}  // namespace
}  // namespace espalier::chain

#include "espalier/chain/lattice/lattice_viterbi.h"

#include <gtest/gtest.h>

#include <limits>

#include "espalier/chain/lattice/lattice_test_support.h"

namespace espalier::chain {
namespace {

TEST(LatticeViterbi, FindsTheBestOfAllPaths) {
  size_t infeasible = 0;
  for (const bool coarse : {false, true})
    for_random_lattices(7, coarse, [&](const Lattice& lattice) {
      const auto paths = all_paths(lattice);
      const LatticePath best = viterbi(lattice);
      if (paths.empty()) {
        ++infeasible;
        EXPECT_EQ(best.outcome, Outcome::kInfeasible);
        EXPECT_TRUE(best.states.empty());
        return;
      }
      ASSERT_EQ(best.outcome, Outcome::kExact);
      EXPECT_NEAR(best.score, paths[0].score, 1e-9);
      EXPECT_EQ(best.states,
                paths[0].states);  // with coarse scores: ties to lower states, last position first
    });
  EXPECT_GT(infeasible, 0u);
}

TEST(LatticeViterbi, TakesLatticesWithoutPathsPositionsOrChoice) {
  EXPECT_EQ(viterbi(disconnected_lattice()).outcome, Outcome::kInfeasible);
  EXPECT_EQ(viterbi(disconnected_lattice()).score, kMinusInfinity);
  EXPECT_EQ(viterbi(single_position({})).outcome, Outcome::kInfeasible);
  EXPECT_EQ(viterbi(single_position({1, 3, 3, 2})).states, std::vector<uint32_t>{1});
  const LatticePath empty = viterbi(Lattice());
  EXPECT_EQ(empty.outcome, Outcome::kExact);
  EXPECT_EQ(empty.score, 0.0);
  EXPECT_TRUE(empty.states.empty());
}

TEST(LatticeViterbi, ScratchMayBeUsedAgainForAnotherLattice) {
  ForwardMax scratch;
  for_random_lattices(8, false, [&](const Lattice& lattice) {
    EXPECT_EQ(viterbi(lattice, scratch).states, viterbi(lattice).states);
  });
}

TEST(MaxMarginals, AreTheBestPathThroughEachStateAndArc) {
  for_random_lattices(9, false, [](const Lattice& lattice) {
    std::vector<double> state(lattice.states(), kMinusInfinity), arc(lattice.arcs(), kMinusInfinity);
    const auto paths = all_paths(lattice);
    for (const BruteForcePath& path : paths)
      for (size_t t = 0; t < path.states.size(); ++t) {
        state[path.states[t]] = std::max(state[path.states[t]], path.score);
        if (t == 0) continue;
        const size_t a = arc_between(lattice, path.states[t - 1], path.states[t]);
        arc[a] = std::max(arc[a], path.score);
      }
    const MaxMarginals result = max_marginals(lattice);
    EXPECT_EQ(result.outcome, paths.empty() ? Outcome::kInfeasible : Outcome::kExact);
    const auto expect_same = [](double found, double wanted) {
      if (wanted == kMinusInfinity) {
        EXPECT_EQ(found, wanted);
      } else {
        EXPECT_NEAR(found, wanted, 1e-9);
      }
    };
    expect_same(result.best, paths.empty() ? kMinusInfinity : paths[0].score);
    for (size_t s = 0; s < lattice.states(); ++s) expect_same(result.state[s], state[s]);
    for (size_t a = 0; a < lattice.arcs(); ++a) expect_same(result.arc[a], arc[a]);
  });
}

TEST(MaxMarginals, OfAnEmptyLatticeAreExactAndEmpty) {
  const MaxMarginals result = max_marginals(Lattice());
  EXPECT_EQ(result.outcome, Outcome::kExact);
  EXPECT_EQ(result.best, 0.0);
  EXPECT_TRUE(result.state.empty());
}

}  // namespace
}  // namespace espalier::chain

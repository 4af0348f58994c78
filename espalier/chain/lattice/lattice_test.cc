#include "espalier/chain/lattice/lattice.h"

#include <gtest/gtest.h>

#include <limits>

#include "espalier/base/result.h"
#include "espalier/chain/lattice/lattice_test_support.h"
#include "espalier/chain/lattice/lattice_viterbi.h"
#include "espalier/linear/rows.h"

namespace espalier::chain {
namespace {

/// Random chain scores in which some labels and some transitions are impossible.
struct RandomChain {
  AlignedVector<float> node, trans, edge;
  ChainScores view;

  RandomChain(size_t T, size_t K, bool own_edges, Random& random) {
    const size_t S = linear::padded(K);
    const auto score = [&] {
      return random.below(4) == 0 ? kImpossible : static_cast<float>(random.gaussian());
    };
    node.assign(T * S, kImpossible);
    trans.assign(K * S, 0.0f);
    for (size_t t = 0; t < T; ++t)
      for (size_t j = 0; j < K; ++j) node[t * S + j] = score();
    for (size_t i = 0; i < K; ++i)
      for (size_t j = 0; j < K; ++j) trans[i * S + j] = score();
    if (own_edges) {
      edge.assign(T * K * S, 0.0f);
      for (float& x : edge) x = score();
    }
    view = {T, K, S, node.data(), trans.data(), own_edges ? edge.data() : nullptr};
  }
};

TEST(Lattice, OfAChainHasTheChainsBestLabellingAndNoImpossibleParts) {
  Random random(3);
  for (int round = 0; round < 100; ++round) {
    const RandomChain chain(1 + random.below(6), 1 + random.below(5), round % 2 == 1, random);
    const Lattice lattice = make_lattice(chain.view);
    ASSERT_EQ(lattice.positions(), chain.view.length);
    size_t possible = 0;
    for (size_t t = 0; t < chain.view.length; ++t)
      for (size_t j = 0; j < chain.view.labels; ++j)
        possible += chain.node[t * chain.view.stride + j] != kImpossible;
    EXPECT_EQ(lattice.states(), possible);
    std::vector<uint16_t> labels(chain.view.length);
    const double score = viterbi_plain(chain.view, labels.data());
    const LatticePath path = viterbi(lattice);
    if (score == -std::numeric_limits<double>::infinity()) {
      EXPECT_EQ(path.outcome, Outcome::kInfeasible);
    } else {
      ASSERT_EQ(path.outcome, Outcome::kExact);
      EXPECT_NEAR(path.score, score, 1e-9);
      EXPECT_EQ(path_labels(lattice, path.states), labels);
    }
  }
}

TEST(Lattice, OfAnEmptyChainHasNoPositions) {
  ChainScores empty;
  EXPECT_EQ(make_lattice(empty).positions(), 0u);
  EXPECT_EQ(path_score(make_lattice(empty), {}), 0.0);
}

TEST(Lattice, IndexBySourceHoldsEveryArcOnce) {
  for_random_lattices(11, false, [](const Lattice& lattice) {
    const OutgoingArcs out(lattice);
    ASSERT_EQ(out.arc.size(), lattice.arcs());
    std::vector<int> seen(lattice.arcs(), 0);
    for (size_t s = 0; s < lattice.states(); ++s)
      for (uint32_t i = out.begin[s]; i < out.begin[s + 1]; ++i) {
        ++seen[out.arc[i]];
        EXPECT_EQ(lattice.source(out.arc[i]), s);
        const Range into = lattice.arcs_into(out.target[i]);
        EXPECT_TRUE(out.arc[i] >= into.first && out.arc[i] < into.last);
        if (i > out.begin[s]) {
          EXPECT_LT(out.target[i - 1], out.target[i]);
        }
      }
    EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), static_cast<ptrdiff_t>(lattice.arcs()));
  });
}

TEST(Lattice, PathScoreIsTheSumOfItsPartsAndMinusInfinityWithoutAnArc) {
  for_random_lattices(5, false, [](const Lattice& lattice) {
    for (const BruteForcePath& path : all_paths(lattice))
      EXPECT_NEAR(path_score(lattice, path.states), path.score, 1e-9);
  });
  const std::vector<uint32_t> path = {0, 2};
  EXPECT_EQ(path_score(disconnected_lattice(), path), -std::numeric_limits<double>::infinity());
}

TEST(LatticeBuilder, RefusesArcsThatAreNotBetweenNeighboursOrOutOfOrder) {
  LatticeBuilder builder;
  EXPECT_THROW(builder.add_arc(0, 0.0f), ContractViolation);  // no state yet
  builder.add_state(0, 0.0f);
  EXPECT_THROW(builder.add_arc(0, 0.0f), ContractViolation);  // nothing before the first position
  builder.add_state(1, 0.0f);
  builder.end_position();
  builder.add_state(0, 0.0f);
  EXPECT_THROW(builder.add_arc(2, 0.0f), ContractViolation);  // itself
  builder.add_arc(1, 0.0f);
  EXPECT_THROW(builder.add_arc(0, 0.0f), ContractViolation);  // descending
  EXPECT_THROW(builder.add_arc(1, 0.0f), ContractViolation);  // twice
  EXPECT_THROW(builder.finish(), ContractViolation);          // position left open
  builder.end_position();
  builder.add_state(0, 0.0f);
  EXPECT_THROW(builder.add_arc(1, 0.0f), ContractViolation);  // two positions back
  EXPECT_THROW(builder.add_arc(2, kImpossible), ContractViolation);
  EXPECT_THROW(builder.add_state(0, kImpossible), ContractViolation);
}

}  // namespace
}  // namespace espalier::chain

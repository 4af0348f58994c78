#include "espalier/chain/kernels.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <vector>

#include "espalier/chain/random_chain.h"
#include "espalier/chain/stop_kernels.h"

namespace espalier::chain {
namespace {

struct Shape {
  size_t T, K;
};
const std::vector<Shape> kSmall = {{1, 1}, {5, 1}, {1, 4}, {2, 2}, {3, 3},
                                   {8, 2}, {6, 4}, {5, 5}, {3, 9}, {2, 17}};

/// All that forward_backward gives.
struct Posterior {
  double log_z;
  AlignedVector<float> marginals, pairs, edges;
};
Posterior fast(const RandomChain& c) {
  Posterior p{0, AlignedVector<float>(c.T * c.S, 7.0f), AlignedVector<float>(c.K * c.S, 0.0f),
              AlignedVector<float>(c.edge.size(), 0.0f)};
  ChainScratch scratch;
  p.log_z = forward_backward(c.view(), c.potentials(), scratch, p.marginals.data(), p.pairs.data(),
                             c.edge.empty() ? nullptr : p.edges.data());
  return p;
}
Posterior plain(const RandomChain& c) {
  Posterior p{0, AlignedVector<float>(c.T * c.S, 7.0f), AlignedVector<float>(c.K * c.S, 0.0f),
              AlignedVector<float>(c.edge.size(), 0.0f)};
  p.log_z = forward_backward_plain(c.view(), p.marginals.data(), p.pairs.data(),
                                   c.edge.empty() ? nullptr : p.edges.data());
  return p;
}
void expect_close(const Posterior& a, const Posterior& b, const RandomChain& c, double tolerance) {
  EXPECT_NEAR(a.log_z, b.log_z, tolerance * std::max(1.0, std::abs(b.log_z)));
  for (size_t t = 0; t < c.T; ++t)
    for (size_t j = 0; j < c.K; ++j)
      ASSERT_NEAR(a.marginals[t * c.S + j], b.marginals[t * c.S + j], tolerance);
  for (size_t i = 0; i < c.K; ++i)
    for (size_t j = 0; j < c.K; ++j)
      ASSERT_NEAR(a.pairs[i * c.S + j], b.pairs[i * c.S + j], tolerance * static_cast<double>(c.T));
  for (size_t t = 1; t < c.T && !c.edge.empty(); ++t)
    for (size_t i = 0; i < c.K; ++i)
      for (size_t j = 0; j < c.K; ++j)
        ASSERT_NEAR(a.edges[(t * c.K + i) * c.S + j], b.edges[(t * c.K + i) * c.S + j], tolerance);
}

/// With thousands of labels that are all alike, the sums must be precise enough not to look like an
/// underflow: log space takes a hundred times as long.
TEST(ForwardBackwardTest, ThousandsOfEqualLabelsNeedNoLogSpace) {
  const size_t K = 2501, S = round_up(K, 8), T = 12;
  AlignedVector<float> node(T * S, kImpossible), trans(K * S, kImpossible), marginals(T * S),
      pairs(K * S, 0.0f);
  for (size_t t = 0; t < T; ++t) std::fill_n(&node[t * S], K, 0.0f);
  for (size_t i = 0; i < K; ++i) std::fill_n(&trans[i * S], K, 0.0f);
  TransitionPotentials potentials;
  potentials.assign(trans.data(), K, S);
  ChainScratch scratch;
  const double log_z = forward_backward({T, K, S, node.data(), trans.data(), nullptr}, potentials, scratch,
                                        marginals.data(), pairs.data());
  EXPECT_NEAR(log_z, static_cast<double>(T) * std::log(static_cast<double>(K)), 1e-3);
  EXPECT_NEAR(marginals[5 * S + 7] * static_cast<double>(K), 1, 1e-4);
  EXPECT_GT(scratch.beta[0], 0) << "the backward pass gave up";
}

TEST(ViterbiTest, FindsTheBestOfAllLabellings) {
  for (const Shape& shape : kSmall)
    for (uint64_t seed = 0; seed < 20; ++seed) {
      const RandomChain c(seed, shape.T, shape.K, 2, seed % 2 == 1);
      const BruteForce truth(c);
      ChainScratch scratch;
      std::vector<uint16_t> best(c.T), best_plain(c.T);
      EXPECT_NEAR(viterbi(c.view(), scratch, best.data()), truth.best, 1e-4);
      EXPECT_NEAR(viterbi_plain(c.view(), best_plain.data()), truth.best, 1e-4);
      EXPECT_NEAR(c.score(best), truth.best, 1e-4) << "the path has the score that is claimed";
      EXPECT_EQ(best, best_plain);
    }
}

TEST(ViterbiTest, AgreesWithThePlainTwinForEveryNumberOfLabels) {
  for (size_t K = 1; K <= 70; ++K) {
    const RandomChain c(K, 25, K, 3, K % 3 == 0);
    ChainScratch scratch;
    std::vector<uint16_t> best(c.T), best_plain(c.T);
    const double score = viterbi(c.view(), scratch, best.data());
    EXPECT_NEAR(score, viterbi_plain(c.view(), best_plain.data()), 1e-3);
    EXPECT_EQ(best, best_plain) << K << " labels";
  }
}

TEST(ViterbiTest, GivesTheSameWithTransitionsByTheLabelTheyLeadTo) {
  Random random(11);
  for (size_t K = 1; K <= 70; ++K)
    for (const size_t T : {1, 2, 100}) {
      RandomChain c(K, T, K, 2);
      // Few different scores, so that there are ties, some of them −∞.
      for (float& x : c.trans) x = random.below(8) == 0 ? kImpossible : std::round(x);
      for (size_t t = 0; t < T; ++t)
        for (size_t j = 0; j < K; ++j)
          c.node[t * c.S + j] = random.below(8) == 0 ? kImpossible : std::round(c.node[t * c.S + j]);
      AlignedVector<float> into(K * c.S, K % 2 == 0 ? 1e9f : kImpossible);
      for (size_t i = 0; i < K; ++i)
        for (size_t j = 0; j < K; ++j) into[j * c.S + i] = c.trans[i * c.S + j];
      ChainScratch scratch;
      std::vector<uint16_t> noted(T, 99), looked_up(T, 99);
      const double score = viterbi(c.view(), scratch, noted.data());
      EXPECT_EQ(viterbi(c.view(), scratch, looked_up.data(), into.data()), score);
      EXPECT_EQ(looked_up, noted) << K << " labels, " << T << " positions";
    }
}

TEST(ViterbiTest, TiesGoToTheLowerLabel) {
  for (const size_t K : {2, 7, 8, 9, 31, 40}) {
    RandomChain c(1, 12, K, 0);
    ChainScratch scratch;
    std::vector<uint16_t> best(c.T, 99);
    EXPECT_EQ(viterbi(c.view(), scratch, best.data()), 0);
    EXPECT_EQ(best, std::vector<uint16_t>(c.T, 0)) << K << " labels";
    std::fill(best.begin(), best.end(), 99);
    viterbi_plain(c.view(), best.data());
    EXPECT_EQ(best, std::vector<uint16_t>(c.T, 0)) << K << " labels";
  }
}

TEST(ViterbiTest, KeepsSmallDifferencesOnLongSequences) {
  // Scores of 1000 a position add up to 10⁷, where a float steps by 1; the winner at each position leads by
  // 0.1.
  RandomChain c(3, 10000, 5, 0);
  Random random(8);
  std::vector<uint16_t> planted(c.T), best(c.T);
  for (size_t t = 0; t < c.T; ++t) {
    planted[t] = static_cast<uint16_t>(random.below(c.K));
    for (size_t j = 0; j < c.K; ++j) c.node[t * c.S + j] = j == planted[t] ? 1000.1f : 1000.0f;
  }
  ChainScratch scratch;
  EXPECT_NEAR(viterbi(c.view(), scratch, best.data()), 10000 * 1000.1, 5);
  EXPECT_EQ(best, planted);
}

TEST(ViterbiTest, NeverUsesAnImpossibleLabelOrTransition) {
  for (uint64_t seed = 0; seed < 30; ++seed) {
    RandomChain c(seed, 6, 4, 1);
    Random random(seed + 100);
    for (size_t t = 0; t < c.T; t += 2) {
      const size_t only = random.below(c.K);
      for (size_t j = 0; j < c.K; ++j)
        if (j != only) c.node[t * c.S + j] = kImpossible;
    }
    c.trans[1 * c.S + 2] = kImpossible;
    const BruteForce truth(c);
    ChainScratch scratch;
    std::vector<uint16_t> best(c.T);
    const double score = viterbi(c.view(), scratch, best.data());
    if (std::isinf(truth.best)) {
      EXPECT_EQ(score, -std::numeric_limits<double>::infinity());
    } else {
      EXPECT_NEAR(score, truth.best, 1e-4);
      EXPECT_NEAR(c.score(best), truth.best, 1e-4);
    }
  }
}

TEST(ViterbiTest, SaysWhenEveryLabellingIsImpossible) {
  RandomChain c(5, 80, 3, 1);  // long enough to pass the places where a common part is taken out
  for (size_t j = 0; j < c.K; ++j) c.node[20 * c.S + j] = kImpossible;
  ChainScratch scratch;
  std::vector<uint16_t> best(c.T);
  EXPECT_EQ(viterbi(c.view(), scratch, best.data()), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(viterbi_plain(c.view(), best.data()), -std::numeric_limits<double>::infinity());
}

TEST(ForwardBackwardTest, SumsOverAllLabellings) {
  for (const Shape& shape : kSmall)
    for (uint64_t seed = 0; seed < 10; ++seed) {
      const RandomChain c(seed, shape.T, shape.K, 1.5f, seed % 2 == 1);
      const BruteForce truth(c);
      for (const Posterior& p : {fast(c), plain(c)}) {
        EXPECT_NEAR(p.log_z, truth.log_z, 1e-4);
        for (size_t t = 0; t < c.T; ++t)
          for (size_t j = 0; j < c.K; ++j)
            ASSERT_NEAR(p.marginals[t * c.S + j], truth.marginals[t * c.S + j], 1e-5);
        for (size_t i = 0; i < c.K; ++i)
          for (size_t j = 0; j < c.K; ++j) {
            double pair = 0;
            for (size_t t = 1; t < c.T; ++t) {
              const size_t at = (t * c.K + i) * c.S + j;
              pair += truth.edge_marginals[at];
              if (!c.edge.empty()) {
                ASSERT_NEAR(p.edges[at], truth.edge_marginals[at], 1e-5);
              }
            }
            ASSERT_NEAR(p.pairs[i * c.S + j], pair, 1e-5);
          }
      }
    }
}

TEST(ForwardBackwardTest, AgreesWithThePlainTwinForEveryNumberOfLabels) {
  for (size_t K = 1; K <= 70; ++K) {
    const RandomChain c(K + 500, 30, K, 2, K % 4 == 0);
    expect_close(fast(c), plain(c), c, 3e-5);
  }
}

TEST(ForwardBackwardTest, StaysExactOnLongSequences) {
  const RandomChain c(9, 10000, 6, 2);
  expect_close(fast(c), plain(c), c, 5e-5);
}

TEST(ForwardBackwardTest, SurvivesScoresHundredsApart) {
  // The scaled recursion loses whole labels here; the answer must be that of log space all the same.
  for (const float spread : {20.0f, 50.0f, 100.0f, 300.0f, 1000.0f})
    for (uint64_t seed = 0; seed < 40; ++seed) {
      const RandomChain c(seed, 2 + seed % 30, 2 + seed % 9, spread, seed % 5 == 0);
      SCOPED_TRACE(fmt::format("spread {}, seed {}", spread, seed));
      expect_close(fast(c), plain(c), c, 1e-4);
    }
}

TEST(ForwardBackwardTest, FindsLabelsThatOnlyTheirNeighboursMakeLikely) {
  // The middle label has e^−100 by itself, which is no float; two transitions make it the best by e^20.
  for (const bool edges : {false, true}) {
    RandomChain c(1, 3, 2, 0, edges);
    c.node[c.S + 1] = -100;
    c.node[1] = c.node[2 * c.S + 1] = kImpossible;
    const auto set = [&](float* scores) {
      scores[1] = 60;
      scores[c.S] = 60;
    };
    set(c.trans.data());
    for (size_t t = 0; t < c.T && edges; ++t) set(c.edge.data() + t * c.K * c.S);
    expect_close(fast(c), plain(c), c, 1e-4);
    EXPECT_NEAR(fast(c).marginals[c.S + 1], 1, 1e-4);
  }
}

TEST(ForwardBackwardTest, ForcedLabelsHaveProbabilityOne) {
  for (const float spread : {1.0f, 30.0f, 200.0f})
    for (uint64_t seed = 0; seed < 20; ++seed) {
      RandomChain c(seed, 12, 5, spread);
      Random random(seed);
      std::vector<size_t> forced(c.T, c.K);
      for (size_t t = 0; t < c.T; ++t) {
        if (random.below(2) == 0) continue;
        forced[t] = random.below(c.K);
        for (size_t j = 0; j < c.K; ++j)
          if (j != forced[t]) c.node[t * c.S + j] = kImpossible;
      }
      const Posterior p = fast(c);
      expect_close(p, plain(c), c, 1e-4);
      for (size_t t = 0; t < c.T; ++t)
        for (size_t j = 0; j < c.K && forced[t] < c.K; ++j)
          ASSERT_NEAR(p.marginals[t * c.S + j], j == forced[t] ? 1 : 0, 1e-5);
    }
}

TEST(ForwardBackwardTest, AllLabelsForcedGivesTheScoreOfThatLabelling) {
  RandomChain c(4, 9, 6, 2);
  const std::vector<uint16_t> y = {0, 5, 1, 1, 2, 4, 3, 0, 5};
  const double score = c.score(y);
  for (size_t t = 0; t < c.T; ++t)
    for (size_t j = 0; j < c.K; ++j)
      if (j != y[t]) c.node[t * c.S + j] = kImpossible;
  EXPECT_NEAR(fast(c).log_z, score, 1e-4);
}

TEST(ForwardBackwardTest, PairsAreAddedToWhatIsThere) {
  const RandomChain c(6, 5, 3, 1);
  AlignedVector<float> pairs(c.K * c.S, 10.0f);
  ChainScratch scratch;
  forward_backward(c.view(), c.potentials(), scratch, nullptr, pairs.data());
  double sum = 0;
  for (size_t i = 0; i < c.K; ++i)
    for (size_t j = 0; j < c.K; ++j) sum += pairs[i * c.S + j];
  EXPECT_NEAR(sum, 10.0 * 9 + 4, 1e-3) << "one pair for each of the four steps";
}

TEST(ForwardBackwardTest, PaddingLanesOfMarginalsAreZero) {
  for (const float spread : {1.0f, 500.0f}) {  // the fast way, and the fall-back
    const RandomChain c(7, 6, 5, spread);
    const Posterior p = fast(c);
    for (size_t t = 0; t < c.T; ++t)
      for (size_t j = c.K; j < c.S; ++j) EXPECT_EQ(p.marginals[t * c.S + j], 0);
  }
}

TEST(ForwardBackwardTest, ScratchOfALongerSequenceDoesNotLeakIntoAShorterOne) {
  ChainScratch scratch;
  const RandomChain longer(1, 50, 20, 2, true), shorter(2, 3, 4, 2, true);
  AlignedVector<float> edges(longer.edge.size()), marginals(longer.T * longer.S);
  forward_backward(longer.view(), longer.potentials(), scratch, marginals.data(), nullptr, edges.data());
  const double log_z = forward_backward(shorter.view(), shorter.potentials(), scratch, marginals.data(),
                                        nullptr, edges.data());
  EXPECT_NEAR(log_z, BruteForce(shorter).log_z, 1e-4);
}

TEST(ChainKernelsTest, AnEmptySequenceScoresZero) {
  ChainScratch scratch;
  const RandomChain c(1, 0, 3, 1);
  EXPECT_EQ(viterbi(c.view(), scratch, nullptr), 0);
  EXPECT_EQ(forward_backward(c.view(), c.potentials(), scratch, nullptr, nullptr), 0);
}

TEST(SoftmaxTest, IsNormalisedAndSurvivesLargeScores) {
  for (size_t n = 1; n <= 20; ++n) {
    AlignedVector<float> x(linear::padded(n), 5.0f);
    double expected = 0;
    for (size_t j = 0; j < n; ++j) x[j] = 500.0f + static_cast<float>(j);
    for (size_t j = 0; j < n; ++j) expected += std::exp(static_cast<double>(j));
    EXPECT_NEAR(softmax(x.data(), n), 500 + std::log(expected), 1e-4);
    float sum = 0;
    for (size_t j = 0; j < n; ++j) sum += x[j];
    EXPECT_NEAR(sum, 1, 1e-6);
    for (size_t j = n; j < x.size(); ++j) EXPECT_EQ(x[j], 0);
  }
}

/// One sequence of thousands of labels takes seconds; whoever wants to stop does not wait for its end.
TEST(StopKernelsTest, ManyLabelsEndInTheMiddleAndFewAreFinished) {
  std::atomic<bool> stop = true;
  Monitor monitor;
  monitor.stop = &stop;
  for (const size_t labels : {size_t{5}, size_t{300}}) {
    const RandomChain c(1, 20, labels, 1);
    const Posterior wanted = fast(c);
    ChainScratch scratch;
    std::vector<uint16_t> best(c.T), again(c.T);
    const double score = viterbi(c.view(), scratch, best.data());
    {
      const StopKernels ends(monitor);
      const bool few = labels == 5;
      EXPECT_EQ(viterbi(c.view(), scratch, again.data()), few ? score : kMinusInfinity);
      EXPECT_EQ(again, few ? best : std::vector<uint16_t>(c.T, 0));
      const Posterior ended = fast(c), slowly = plain(c);
      EXPECT_EQ(ended.log_z == wanted.log_z, few);
      EXPECT_EQ(std::count(ended.pairs.begin(), ended.pairs.end(), 0.0f) ==
                    static_cast<ptrdiff_t>(ended.pairs.size()),
                !few);
      EXPECT_EQ(std::isfinite(slowly.log_z), few);
    }
    EXPECT_EQ(viterbi(c.view(), scratch, again.data()), score);
    EXPECT_EQ(again, best);
    EXPECT_EQ(fast(c).log_z, wanted.log_z);
  }
  stop = false;  // asked, and nobody wants to stop
  const RandomChain c(2, 6, 300, 1);
  const StopKernels ends(monitor);
  expect_close(fast(c), plain(c), c, 1e-4);
}

}  // namespace
}  // namespace espalier::chain

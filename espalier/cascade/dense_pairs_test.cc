#include "espalier/cascade/dense_pairs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "espalier/cascade/cascade_test_support.h"

namespace espalier::cascade {
namespace {

/// What both filters keep of a random level. The scores are whole numbers times a power of 2, so that sums
/// are exact, and thresholds are set between two regrets, where rounding does not decide.
void compare(uint64_t number, bool all_labels_alive, size_t& dropped) {
  Random random = Random(61).split(number);
  const size_t T = 1 + random.below(9), K = 1 + random.below(DensePairWeights::kMostLabels);
  GramTable grams(K);
  PairWeights weights(grams, {});
  const auto draw = [&] { return static_cast<float>(std::round(16 * random.gaussian())) / 8; };
  for (auto* part : {&weights.weight, &weights.first, &weights.last})
    for (float& w : *part) w = draw();
  const AliveLabels alive = random_alive(T, K, all_labels_alive ? 1.0 : 0.2, random);
  std::vector<float> node;
  for (size_t s = 0; s < alive.label.size(); ++s) node.push_back(draw());
  const PriorMean prior{4.0, number % 3 == 0 ? 1000.0 : 1e9};

  PairLevel plain;
  DensePairs dense;
  KeptPairs expected, found;
  // The limit is some 1/16 more than a multiple of 1/8, at most a little off by the mean.
  const double alpha =
      number % 7 == 0 ? kKeepAll : 1 - (1.0 / 16 + static_cast<double>(random.below(160)) / 8) / 4;
  plain.filter(alive, node, weights, prior, alpha, expected);
  for (int again = 0; again < 2; ++again) {  // with buffers that were used
    ASSERT_TRUE(dense.filter(alive, node, DensePairWeights(weights), prior, alpha, found));
    if (prior.positions < 1e9 && found.source != expected.source) continue;  // the mean moved the limit
    EXPECT_EQ(found.alive.begin, expected.alive.begin) << number;
    EXPECT_EQ(found.alive.label, expected.alive.label) << number;
    EXPECT_EQ(found.place, expected.place) << number;
    EXPECT_EQ(found.source, expected.source) << number;
    EXPECT_EQ(found.triples, expected.triples) << number;
  }
  dropped += expected.alive.label.size() < alive.label.size();
}

TEST(DensePairs, KeepWhatPairLevelKeeps) {
  size_t dropped = 0;
  for (uint64_t i = 0; i < 400; ++i) compare(i, i % 5 == 0, dropped);
  EXPECT_GT(dropped, 100u) << "the thresholds should drop something";
}

TEST(DensePairs, TheMeanIsThatOfAllRegrets) {
  // Without a prior mean the threshold is that of the sequence alone. At a position with two labels of
  // regrets 0 and r, the limit (1 − α)·mean = (1 − α)·r / 2 crosses r at α = −1.
  GramTable grams(2);
  const PairWeights weights(grams, {});
  AliveLabels alive;
  alive.label = {0, 1};
  alive.begin = {0, 2};
  const std::vector<float> node = {3, 1};
  DensePairs dense;
  KeptPairs kept;
  ASSERT_TRUE(dense.filter(alive, node, DensePairWeights(weights), {}, -0.99, kept));
  EXPECT_EQ(kept.alive.label, std::vector<data::Label>{0});
  ASSERT_TRUE(dense.filter(alive, node, DensePairWeights(weights), {}, -1.01, kept));
  EXPECT_EQ(kept.alive.label, (std::vector<data::Label>{0, 1}));
  // Three positions: 2 first labels and 2·2 pairs twice, all with the regrets 0 and 2, or 4 with both others.
  alive.label = {0, 1, 0, 1, 0, 1};
  alive.begin = {0, 2, 4, 6};
  const std::vector<float> nodes = {3, 1, 3, 1, 3, 1};
  // First 0, 2; pairs 0, 2, 2, 4 twice: the sum is 18, the mean 1.8, and a regret of 2 is kept from
  // (1 − α)·1.8 ≥ 2 on.
  ASSERT_TRUE(dense.filter(alive, nodes, DensePairWeights(weights), {}, 1 - 2 / 1.8 + 0.01, kept));
  EXPECT_EQ(kept.alive.label, (std::vector<data::Label>{0, 0, 0}));
  ASSERT_TRUE(dense.filter(alive, nodes, DensePairWeights(weights), {}, 1 - 2 / 1.8 - 0.01, kept));
  EXPECT_EQ(kept.alive.label, alive.label);
  EXPECT_EQ(kept.triples, 8u);
}

TEST(DensePairs, LongSequencesKeepAPath) {
  Random random(8);
  const size_t T = 20000, K = 20;
  GramTable grams(K);
  PairWeights weights(grams, {});
  for (float& w : weights.weight) w = static_cast<float>(3 * random.gaussian());
  const AliveLabels alive = random_alive(T, K, 0.3, random);
  std::vector<float> node;
  for (size_t s = 0; s < alive.label.size(); ++s) node.push_back(static_cast<float>(3 * random.gaussian()));
  DensePairs dense;
  PairLevel plain;
  KeptPairs found, expected;
  // The best path alone, and labels that are as good up to a thousandth.
  ASSERT_TRUE(dense.filter(alive, node, DensePairWeights(weights), {}, 1, found));
  plain.filter(alive, node, weights, {}, 1, expected);
  ASSERT_EQ(expected.alive.label.size(), T);
  for (size_t t = 0; t < T; ++t) {
    const auto first = found.alive.label.begin() + found.alive.begin[t],
               last = found.alive.label.begin() + found.alive.begin[t + 1];
    ASSERT_NE(std::find(first, last, expected.alive.label[t]), last) << t;
  }
  EXPECT_LT(found.alive.label.size(), T + T / 100);
  ASSERT_TRUE(dense.filter(alive, node, DensePairWeights(weights), {}, 0.3, found));
  plain.filter(alive, node, weights, {}, 0.3, expected);
  const double ratio = static_cast<double>(found.source.size()) / static_cast<double>(expected.source.size());
  EXPECT_NEAR(ratio, 1, 1e-4);
}

}  // namespace
}  // namespace espalier::cascade

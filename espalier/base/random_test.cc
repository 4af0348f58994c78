#include "espalier/base/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <set>
#include <vector>

namespace espalier {
namespace {

std::vector<uint64_t> draw(Random random, size_t n) {
  std::vector<uint64_t> numbers(n);
  for (uint64_t& x : numbers) x = random.next();
  return numbers;
}

// Σ (observed − expected)² / expected over equally likely cells.
double chi_squared(const std::vector<int>& counts) {
  const double expected =
      std::accumulate(counts.begin(), counts.end(), 0.0) / static_cast<double>(counts.size());
  double sum = 0;
  for (const int count : counts) sum += (count - expected) * (count - expected) / expected;
  return sum;
}

TEST(Random, TheSeedFixesTheStream) {
  EXPECT_EQ(draw(Random(42), 100), draw(Random(42), 100));
  EXPECT_NE(draw(Random(42), 100), draw(Random(43), 100));
  EXPECT_NE(draw(Random(0), 100), draw(Random(1), 100));
}

TEST(Random, StreamsAreTheSameInEveryVersion) {
  // Models trained with a seed are promised to come out the same; the numbers behind them must then never
  // change.
  Random random(1);
  EXPECT_EQ(random.next(), 0xCFC5D07F6F03C29Bull);
  EXPECT_EQ(random.next(), 0xBF424132963FE08Dull);
  EXPECT_EQ(Random(1).split(5).next(), 0xF8E7813510AA67BFull);
}

TEST(Random, ACopyReplaysTheStream) {
  Random random(9);
  random.next();
  const Random copy = random;
  EXPECT_EQ(draw(random, 50), draw(copy, 50));
}

TEST(Random, SplitsDoNotDependOnWhatWasDrawn) {
  Random random(5);
  const auto before = draw(random.split(3), 20);
  for (int i = 0; i < 1000; ++i) random.next();
  EXPECT_EQ(draw(random.split(3), 20), before);
}

TEST(Random, SplitsDiffer) {
  const Random random(5);
  std::set<uint64_t> firsts = {Random(5).next()};
  for (uint64_t key = 0; key < 10'000; ++key) firsts.insert(random.split(key).next());
  EXPECT_EQ(firsts.size(), 10'001u);
  EXPECT_NE(draw(random.split(1).split(2), 5), draw(random.split(2).split(1), 5));
}

TEST(Random, NeighbouringSplitsAreUncorrelated) {
  const Random random(8);
  const int n = 20'000;
  double sum = 0;
  for (uint64_t key = 0; key < n; ++key)
    sum += (random.split(key).uniform() - 0.5) * (random.split(key + 1).uniform() - 0.5);
  // A product has mean 0 and deviation 1/12; five deviations of the mean of n.
  EXPECT_LT(std::abs(sum / n), 5.0 / 12 / std::sqrt(n));
}

TEST(Random, UniformFillsTheUnitInterval) {
  Random random(2);
  std::vector<int> counts(50);
  for (int i = 0; i < 200'000; ++i) {
    const double u = random.uniform();
    ASSERT_GE(u, 0);
    ASSERT_LT(u, 1);
    ++counts[static_cast<size_t>(u * 50)];
  }
  EXPECT_LT(chi_squared(counts), 85.4);  // 49 degrees of freedom, 0.1 %
}

TEST(Random, BelowIsUniformAndInRange) {
  Random random(4);
  std::vector<int> counts(7);
  for (int i = 0; i < 140'000; ++i) ++counts.at(random.below(7));
  EXPECT_LT(chi_squared(counts), 22.5);  // 6 degrees of freedom, 0.1 %
  for (int i = 0; i < 100; ++i) EXPECT_EQ(random.below(1), 0u);
}

TEST(Random, BelowHasNoBiasWhereTheRangeDoesNotDivide) {
  // Without rejection, a third of the 3·2⁶² values would come up twice as often as the others: the multiples
  // of 3.
  Random random(6);
  const uint64_t n = uint64_t{3} << 62;
  int multiples = 0;
  const int draws = 30'000;
  for (int i = 0; i < draws; ++i) {
    const uint64_t x = random.below(n);
    ASSERT_LT(x, n);
    multiples += x % 3 == 0;
  }
  EXPECT_NEAR(multiples / static_cast<double>(draws), 1.0 / 3, 0.015);
}

TEST(Random, GaussianHasTheMomentsOfTheNormal) {
  Random random(3);
  const int n = 200'000;
  double sum = 0, squares = 0, cubes = 0, fourths = 0;
  for (int i = 0; i < n; ++i) {
    const double x = random.gaussian();
    sum += x;
    squares += x * x;
    cubes += x * x * x;
    fourths += x * x * x * x;
  }
  EXPECT_NEAR(sum / n, 0, 0.012);
  EXPECT_NEAR(squares / n, 1, 0.016);
  EXPECT_NEAR(cubes / n, 0, 0.045);
  EXPECT_NEAR(fourths / n, 3, 0.11);
}

TEST(Random, ShuffleKeepsTheItemsAndFavoursNoOrder) {
  Random random(10);
  std::vector<int> counts(24);
  for (int i = 0; i < 48'000; ++i) {
    std::array<int, 4> items = {0, 1, 2, 3};
    random.shuffle(std::span<int>(items));
    // The rank of the order among all 24.
    std::array<int, 4> order = {0, 1, 2, 3};
    size_t rank = 0;
    while (order != items) {
      ASSERT_TRUE(std::next_permutation(order.begin(), order.end())) << "not a permutation";
      ++rank;
    }
    ++counts[rank];
  }
  EXPECT_LT(chi_squared(counts), 49.8);  // 23 degrees of freedom, 0.1 %
  std::vector<int> none;
  random.shuffle(std::span<int>(none));
}

}  // namespace
}  // namespace espalier

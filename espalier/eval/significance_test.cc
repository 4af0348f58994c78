#include "espalier/eval/significance.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace espalier::eval {
namespace {

using Texts = std::vector<std::string_view>;

/// n sequences of ten tokens; each token is right with the given probability.
std::vector<SequenceStatistics> simulate(size_t n, double right, Random random) {
  std::vector<SequenceStatistics> result(n);
  for (SequenceStatistics& s : result) {
    s.tokens = 10;
    for (int t = 0; t < 10; ++t) s.correct += random.uniform() < right ? 1 : 0;
    s.chunks = {10, 10, s.correct};
  }
  return result;
}

TEST(PairedBootstrap, SeesALargeDifference) {
  const auto a = simulate(300, 0.80, Random(1));
  const auto b = simulate(300, 0.90, Random(2));
  const auto result = paired_bootstrap(a, b, Metric::kAccuracy, Random(3));
  ASSERT_TRUE(result.ok());
  EXPECT_DOUBLE_EQ(result->first, score(a, Metric::kAccuracy));
  EXPECT_DOUBLE_EQ(result->difference, result->second - result->first);
  EXPECT_LT(result->p_value, 0.001);
  EXPECT_GT(result->low, 0);
  EXPECT_LT(result->low, result->difference);
  EXPECT_GT(result->high, result->difference);
}

TEST(PairedBootstrap, IntervalHasTheWidthTheNormalApproximationGives) {
  const auto a = simulate(2000, 0.80, Random(4));
  const auto b = simulate(2000, 0.80, Random(5));
  const auto result = paired_bootstrap(a, b, Metric::kAccuracy, Random(6));
  ASSERT_TRUE(result.ok());
  // Two independent means of 20,000 coins with p = 0.8: standard deviation of the difference sqrt(2 · 0.16 /
  // 20000).
  const double width = 2 * 1.96 * 100 * std::sqrt(2 * 0.16 / 20000);
  EXPECT_NEAR(result->high - result->low, width, 0.1 * width);
  // And the p-value is that of the normal distribution at the difference found.
  const double z = std::abs(result->difference) / (width / 2 / 1.96);
  EXPECT_NEAR(result->p_value, std::erfc(z / std::sqrt(2.0)), 0.05);
}

TEST(PairedBootstrap, UnderTheNullFewComparisonsAreSignificant) {
  int significant = 0;
  for (uint64_t trial = 0; trial < 200; ++trial) {
    const auto a = simulate(100, 0.7, Random(1000 + trial));
    const auto b = simulate(100, 0.7, Random(5000 + trial));
    const auto result = paired_bootstrap(a, b, Metric::kF1, Random(trial), {.samples = 400});
    ASSERT_TRUE(result.ok());
    significant += result->p_value < 0.05 ? 1 : 0;
  }
  // Ten expected; binomially, 22 or more has a probability below one in a thousand.
  EXPECT_LT(significant, 22);
  EXPECT_GT(significant, 1);
}

TEST(PairedBootstrap, ASystemIsNotBetterThanItself) {
  const auto a = simulate(50, 0.8, Random(1));
  const auto result = paired_bootstrap(a, a, Metric::kF1, Random(2), {.samples = 100});
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->p_value, 1);
  EXPECT_EQ(result->low, 0);
  EXPECT_EQ(result->high, 0);
}

TEST(PairedBootstrap, PairingMatters) {
  // The second system gets one token more right in every sequence, whatever its difficulty: no sample shows
  // less.
  auto a = simulate(40, 0.5, Random(1));
  auto b = a;
  for (SequenceStatistics& s : a) s.correct = std::min(s.correct, 9u);
  for (size_t i = 0; i < b.size(); ++i) b[i].correct = a[i].correct + 1;
  const auto result = paired_bootstrap(a, b, Metric::kAccuracy, Random(2), {.samples = 999});
  ASSERT_TRUE(result.ok());
  EXPECT_NEAR(result->low, 10, 1e-9);
  EXPECT_NEAR(result->high, 10, 1e-9);
  EXPECT_NEAR(result->p_value, 0.001, 1e-12);
}

TEST(PairedBootstrap, SameSeedSameResultAtAnyNumberOfThreads) {
  const auto a = simulate(60, 0.8, Random(1));
  const auto b = simulate(60, 0.82, Random(2));
  const Workers workers(3);
  const auto one = paired_bootstrap(a, b, Metric::kF1, Random(9), {.samples = 1000});
  const auto many = paired_bootstrap(a, b, Metric::kF1, Random(9), {.samples = 1000}, &workers);
  ASSERT_TRUE(one.ok() && many.ok());
  EXPECT_EQ(one->low, many->low);
  EXPECT_EQ(one->high, many->high);
  EXPECT_EQ(one->p_value, many->p_value);
}

TEST(PairedBootstrap, RejectsWhatCannotBeCompared) {
  const auto a = simulate(5, 0.8, Random(1));
  auto b = a;
  b[3].tokens = 11;
  const auto tokens = paired_bootstrap(a, b, Metric::kF1, Random(1));
  ASSERT_FALSE(tokens.ok());
  EXPECT_NE(tokens.error().message.find("sequence 4 has 10 tokens and 11"), std::string::npos);
  b.pop_back();
  EXPECT_FALSE(paired_bootstrap(a, b, Metric::kF1, Random(1)).ok());
  EXPECT_FALSE(paired_bootstrap({}, {}, Metric::kF1, Random(1)).ok());
  EXPECT_FALSE(paired_bootstrap(a, a, Metric::kF1, Random(1), {.samples = 0}).ok());
  EXPECT_FALSE(paired_bootstrap(a, a, Metric::kF1, Random(1), {.samples = 10, .confidence = 1}).ok());
}

TEST(Score, IsThatOfTaggingScores) {
  TaggingScores scores;
  std::vector<SequenceStatistics> parts;
  parts.push_back(scores.add(Texts{"B-N", "I-N", "O"}, Texts{"B-N", "I-N", "B-N"}));
  parts.push_back(scores.add(Texts{"B-N", "B-N"}, Texts{"B-N", "I-N"}));
  EXPECT_NEAR(score(parts, Metric::kF1), scores.f1(), 1e-12);
  EXPECT_NEAR(score(parts, Metric::kAccuracy), scores.accuracy(), 1e-12);
}

TEST(McNemar, CountsTokensOnlyOneHasRight) {
  Discordance d;
  d.add(Texts{"a", "b", "c", "_"}, Texts{"a", "x", "c", "_"}, Texts{"x", "b", "c", "x"});
  d.add(Texts{"a"}, Texts{"a"}, Texts{"b"});
  EXPECT_EQ(d.only_first, 2u);
  EXPECT_EQ(d.only_second, 1u);
}

TEST(McNemar, ExactValues) {
  EXPECT_EQ(mcnemar_exact({0, 0}), 1);
  EXPECT_EQ(mcnemar_exact({4, 4}), 1);
  EXPECT_NEAR(mcnemar_exact({0, 5}), 2.0 / 32, 1e-12);
  EXPECT_NEAR(mcnemar_exact({8, 2}), 2.0 * (1 + 10 + 45) / 1024, 1e-12);
  EXPECT_NEAR(mcnemar_exact({4, 5}), 1, 1e-12);
}

TEST(McNemar, LargeCountsNeitherOverflowNorVanish) {
  // Normal approximation with continuity correction: z = (|b − c| − 1) / sqrt(b + c).
  const double z = (2000 - 1) / std::sqrt(1'000'000.0);
  EXPECT_NEAR(mcnemar_exact({499'000, 501'000}), std::erfc(z / std::sqrt(2.0)), 1e-5);
  EXPECT_LT(mcnemar_exact({0, 100'000}), 1e-300);
}

TEST(MeanAndDeviation, OfASample) {
  const std::vector<double> values{2, 4, 4, 4, 5, 5, 7, 9};
  const auto result = mean_and_deviation(values);
  EXPECT_DOUBLE_EQ(result.mean, 5);
  EXPECT_DOUBLE_EQ(result.deviation, std::sqrt(32.0 / 7));
  EXPECT_EQ(mean_and_deviation({}).mean, 0);
  EXPECT_EQ(mean_and_deviation(std::vector<double>{3}).deviation, 0);
  const auto shifted = mean_and_deviation(std::vector<double>{1e9 + 1, 1e9 + 2, 1e9 + 3});
  EXPECT_DOUBLE_EQ(shifted.deviation, 1);
}

TEST(Significance, TheIntervalOfAScoreIsThatOfAProportion) {
  // 400 sequences of one token, 300 right: the interval is that of the binomial distribution, 75 ± 1.96
  // · 2.165.
  std::vector<SequenceStatistics> sequences(400);
  for (size_t i = 0; i < sequences.size(); ++i) {
    sequences[i].tokens = 1;
    sequences[i].correct = i % 4 == 0 ? 0 : 1;
  }
  const ScoreInterval interval = bootstrap_interval(sequences, Metric::kAccuracy, Random(3));
  EXPECT_DOUBLE_EQ(interval.score, 75);
  EXPECT_NEAR(interval.low, 75 - 4.24, 0.4);
  EXPECT_NEAR(interval.high, 75 + 4.24, 0.4);
  const Workers workers(3);
  const ScoreInterval again = bootstrap_interval(sequences, Metric::kAccuracy, Random(3), {}, &workers);
  EXPECT_EQ(interval.low, again.low);
  EXPECT_EQ(interval.high, again.high);
  EXPECT_EQ(bootstrap_interval(std::span<const RatioCounts>(), Random(3)).high, 0);
  std::vector<RatioCounts> rare(100);
  rare[7] = {2, 2};
  EXPECT_EQ(bootstrap_interval(rare, Random(3)).low, 100) << "samples without it say nothing about it";
}

}  // namespace
}  // namespace espalier::eval

#include "espalier/eval/calibration.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "espalier/base/random.h"
#include "espalier/base/result.h"

namespace espalier::eval {
namespace {

TEST(Reliability, HandComputedErrorAndBrierScore) {
  Reliability r;
  r.add(0.9, true);
  r.add(0.9, true);
  r.add(0.9, false);
  r.add(0.2, false);
  // Bin of 0.9: three, accuracy 2/3, gap 0.9 − 2/3. Bin of 0.2: one, accuracy 0, gap 0.2.
  EXPECT_NEAR(r.expected_calibration_error(), (3 * (0.9 - 2.0 / 3) + 0.2) / 4, 1e-9);
  EXPECT_NEAR(r.brier_score(), (0.01 + 0.01 + 0.81 + 0.04) / 4, 1e-9);
  EXPECT_EQ(r.count(), 4u);
}

TEST(Reliability, BinsAreOpenBelowAndClosedAbove) {
  Reliability r;
  r.add(0, false);
  r.add(0.2, true);  // 3/15 exactly: the top of the third bin
  r.add(std::nextafter(0.2, 1), true);
  r.add(1, true);
  const auto bins = r.bins();
  ASSERT_EQ(bins.size(), Reliability::kBins);
  EXPECT_EQ(bins[0].count, 1u);
  EXPECT_EQ(bins[2].count, 1u);
  EXPECT_EQ(bins[3].count, 1u);
  EXPECT_EQ(bins[14].count, 1u);
  EXPECT_DOUBLE_EQ(bins[14].high, 1);
}

TEST(Reliability, ValuesThatAreNoProbabilitiesAreMovedIntoTheRange) {
  Reliability r;
  r.add(-1, false);
  r.add(7, true);
  r.add(std::numeric_limits<double>::quiet_NaN(), false);
  EXPECT_EQ(r.expected_calibration_error(), 0);
  EXPECT_EQ(r.brier_score(), 0);
}

TEST(Reliability, NothingAddedIsNoError) {
  EXPECT_EQ(Reliability().expected_calibration_error(), 0);
  EXPECT_EQ(Reliability().brier_score(), 0);
}

TEST(Reliability, MergingInAnyOrderGivesTheSameBits) {
  Random random(3);
  std::vector<Reliability> shards(7);
  Reliability whole;
  for (int i = 0; i < 1000; ++i) {
    const double confidence = random.uniform();
    const bool correct = random.uniform() < confidence;
    shards[random.below(7)].add(confidence, correct);
    whole.add(confidence, correct);
  }
  Reliability forward;
  Reliability backward;
  for (size_t i = 0; i < 7; ++i) {
    forward.merge(shards[i]);
    backward.merge(shards[6 - i]);
  }
  EXPECT_EQ(forward.expected_calibration_error(), backward.expected_calibration_error());
  EXPECT_EQ(forward.brier_score(), whole.brier_score());
  EXPECT_EQ(forward.expected_calibration_error(), whole.expected_calibration_error());
}

TEST(FitTemperature, FindsTheBottomOfAValleyAnywhereInTheRange) {
  for (const double best : {0.002, 0.1, 0.9, 1.0, 3.7, 250.0}) {
    const double found = fit_temperature([&](double t) { return std::pow(std::log(t / best), 2); });
    EXPECT_NEAR(found / best, 1, 1e-5) << best;
  }
}

TEST(FitTemperature, RecoversTheTemperatureScoresWereSharpenedBy) {
  // Coins with log odds z come up heads with probability σ(z); a model that reports 2.5 z is to be cooled
  // by 2.5.
  std::vector<double> odds;
  for (double z = -3; z <= 3; z += 0.25) odds.push_back(z);
  const auto nll = [&](double temperature) {
    double sum = 0;
    for (const double z : odds) {
      const double p = 1 / (1 + std::exp(-z));
      const double x = 2.5 * z / temperature;
      sum += p * std::log1p(std::exp(-x)) + (1 - p) * std::log1p(std::exp(x));
    }
    return sum;
  };
  EXPECT_NEAR(fit_temperature(nll), 2.5, 1e-4);
}

TEST(FitTemperature, StopsAtTheEndsOfTheRange) {
  EXPECT_NEAR(fit_temperature([](double t) { return t; }, 0.5, 2), 0.5, 1e-5);
  EXPECT_NEAR(fit_temperature([](double t) { return -t; }, 0.5, 2), 2, 1e-5);
}

TEST(FitTemperature, OverflowAtTheColdEndDoesNotMislead) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double found =
      fit_temperature([&](double t) { return t < 80 ? nan : std::pow(std::log(t / 120), 2); });
  EXPECT_NEAR(found, 120, 0.01);
}

TEST(FitTemperature, LeavesScoresAloneWhereNothingIsBetter) {
  EXPECT_EQ(fit_temperature([](double) { return 4.0; }), 1);
}

TEST(FitTemperature, NeedsFewEvaluations) {
  int evaluations = 0;
  fit_temperature([&](double t) {
    ++evaluations;
    return std::pow(std::log(t / 2), 2);
  });
  EXPECT_LE(evaluations, 45);
}

TEST(FitTemperature, RangeMustBePositive) {
  EXPECT_THROW(fit_temperature([](double t) { return t; }, 0, 1), ContractViolation);
  EXPECT_THROW(fit_temperature([](double t) { return t; }, 2, 1), ContractViolation);
}

}  // namespace
}  // namespace espalier::eval

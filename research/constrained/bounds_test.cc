#include "research/constrained/bounds.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "espalier/base/random.h"

namespace espalier::research {
namespace {

TEST(Bounds, TheoremIsTheFormulaWithTheGrowthFunctionOfTheCorollaries) {
  // 32 (ln N + ln(4/δ)) / m with N = e^8, δ = 4/e², m = 320: sqrt(32 · 10 / 320) = 1.
  EXPECT_NEAR(growth_error_bound(320, 0.25, 8, 4 / std::exp(2.0)), 1.25, 1e-12);
  // d = 1, m = 1: ln(em/d) = 1.
  EXPECT_NEAR(local_error_bound(1, 1, 0, 4.0 / std::exp(1.0)), 8, 1e-12);
  EXPECT_NEAR(global_error_bound(2, 2, 1, 4.0 / std::exp(1.0)),
              std::sqrt(32 * (2 * std::log(std::exp(1.0)) + 4 + 1) / 2), 1e-12);
}

TEST(Bounds, GrowthOfHalfSpacesIsTheNumberOfWaysToLabelPointsInThePlane) {
  // In the plane, m points in general position can be labelled in 2m ways by lines through the origin. Count
  // them by turning a line once around.
  for (const size_t m : {2u, 3u, 7u, 12u}) {
    Random random(m);
    std::vector<std::pair<double, double>> points;
    for (size_t i = 0; i < m; ++i) points.emplace_back(random.gaussian(), random.gaussian());
    std::set<std::vector<bool>> seen;
    for (int step = 0; step < 200'000; ++step) {
      const double angle = step * 2 * 3.14159265358979 / 200'000;
      std::vector<bool> labels;
      for (const auto& [x, y] : points) labels.push_back(std::cos(angle) * x + std::sin(angle) * y > 0);
      seen.insert(labels);
    }
    EXPECT_NEAR(std::exp(log_growth_of_half_spaces(static_cast<double>(m), 2)),
                static_cast<double>(seen.size()), 1e-6);
  }
}

TEST(Bounds, GrowthIsAtMostThePrintedOne) {
  for (const double d : {2.0, 10.0, 100.0})
    for (const double m : {200.0, 1e4, 1e6})
      EXPECT_LE(log_growth_of_half_spaces(m, d), d * std::log(std::exp(1.0) * m / d) + std::log(2.0)) << d;
}

TEST(Bounds, CrossingIsWhereTheBoundsAreEqual) {
  for (const double error : {0.05, 0.1, 0.2}) {
    const double m = crossing_of_bounds(5, 100, error, 0.05);
    EXPECT_NEAR(global_error_bound(m, 5, 100, 0.05), local_error_bound(m, 100, error, 0.05), 1e-9);
  }
  EXPECT_TRUE(std::isinf(crossing_of_bounds(5, 100, 0, 0.05)));
}

}  // namespace
}  // namespace espalier::research

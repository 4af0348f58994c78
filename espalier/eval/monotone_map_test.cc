#include "espalier/eval/monotone_map.h"

#include <gtest/gtest.h>

#include <limits>

#include "espalier/base/random.h"
#include "espalier/eval/calibration.h"

namespace espalier::eval {
namespace {

TEST(MonotoneMap, PoolsWhatFallsAndKeepsWhatRises) {
  // Right: 0 of 2 at .1, 2 of 2 at .4, 1 of 2 at .5 (falls: pooled with .4), 2
  // of 2 at .9.
  const MonotoneMap map = MonotoneMap::fit({{.9f, true},
                                            {.1f, false},
                                            {.4f, true},
                                            {.5f, false},
                                            {.4f, true},
                                            {.1f, false},
                                            {.5f, true},
                                            {.9f, true}},
                                           2);
  ASSERT_EQ(map.knots().size(), 3u);
  EXPECT_NEAR(map.knots()[1].score, .45, 1e-6);
  EXPECT_NEAR(map.knots()[1].right, .75, 1e-6);
  EXPECT_NEAR(map(.05), 0, 1e-9);
  EXPECT_NEAR(map(.275), .375, 1e-6);  // half way
  EXPECT_NEAR(map(1), 1, 1e-9);
  EXPECT_TRUE(MonotoneMap::valid(map.knots()));
}

TEST(MonotoneMap, TooFewObservationsChangeNothing) {
  EXPECT_EQ(MonotoneMap::fit({}, 10)(.3), .3);
  EXPECT_EQ(MonotoneMap::fit({{.2f, false}, {.8f, true}}, 10)(.3), .3);
}

TEST(MonotoneMap, MakesConfidencesThatAreTooHighTrue) {
  // Right with the square of the score.
  Random random(3);
  const auto draw = [&](size_t n) {
    std::vector<std::pair<float, bool>> out;
    for (size_t i = 0; i < n; ++i) {
      const double score = random.uniform();
      out.emplace_back(static_cast<float>(score), random.uniform() < score * score);
    }
    return out;
  };
  const MonotoneMap map = MonotoneMap::fit(draw(20000), 500);
  EXPECT_TRUE(MonotoneMap::valid(map.knots()));
  Reliability before, after;
  for (const auto& [score, right] : draw(20000)) {
    before.add(score, right);
    after.add(map(score), right);
  }
  EXPECT_GT(before.expected_calibration_error(), .14);
  EXPECT_LT(after.expected_calibration_error(), .02);
}

TEST(MonotoneMap, WhatIsNoMapIsKnown) {
  EXPECT_TRUE(MonotoneMap::valid({}));
  EXPECT_FALSE(MonotoneMap::valid({{.5, .2}, {.5, .3}}));
  EXPECT_FALSE(MonotoneMap::valid({{.5, .4}, {.6, .3}}));
  EXPECT_FALSE(MonotoneMap::valid({{.5, 1.4}}));
  EXPECT_FALSE(MonotoneMap::valid({{.5, std::numeric_limits<double>::quiet_NaN()}}));
}

}  // namespace
}  // namespace espalier::eval

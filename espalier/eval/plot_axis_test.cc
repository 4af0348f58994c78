#include "espalier/eval/plot_axis.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace espalier::eval {
namespace {

using testing::ElementsAre;

TEST(PlotAxis, MarksAreRoundNumbersInRange) {
  EXPECT_THAT(axis_marks(0, 1, 5), ElementsAre(0, 0.2, 0.4, testing::DoubleEq(0.6000000000000001), 0.8, 1));
  EXPECT_THAT(axis_marks(-3, 12, 3), ElementsAre(0, 5, 10));
  EXPECT_THAT(log_axis_marks(1, 1000), ElementsAre(1, 10, 100, 1000));
  EXPECT_THAT(log_axis_marks(3, 30), ElementsAre(5, 10, 20));
}

TEST(PlotAxis, ANarrowLogarithmicAxisHasMarksToo) {
  PlotAxis axis(true);
  axis.include(850'000);
  axis.include(945'000);
  axis.widen();
  EXPECT_GE(axis.marks(6).size(), 2u);
}

TEST(PlotAxis, MarksOfWholeNumbersAreWhole) {
  EXPECT_THAT(axis_marks(0.96, 2.04, 6, true), ElementsAre(1, 2));
  PlotAxis axis;
  for (const double value : {1, 2, 3}) axis.include(value);
  axis.widen();
  EXPECT_THAT(axis.marks(6), ElementsAre(1, 2, 3));
  axis.include(2.5);
  EXPECT_GT(axis.marks(6).size(), 3u);
}

TEST(PlotAxis, NothingSaysMinusZero) {
  EXPECT_EQ(mark_text(-0.0), "0");
  EXPECT_EQ(mark_text(-1e-17), "0");
  for (const double mark : axis_marks(-0.2, 1, 6)) EXPECT_FALSE(mark == 0 && std::signbit(mark));
  EXPECT_EQ(mark_text(3 * 0.1), "0.3");
  EXPECT_EQ(mark_text(20000), "20,000");
}

TEST(PlotAxis, AMarginDoesNotCrossZero) {
  PlotAxis axis;
  axis.include(0);
  axis.include(0.05);
  axis.widen();
  EXPECT_EQ(axis.low(), 0);
  EXPECT_GT(axis.high(), 0.05);
  PlotAxis one;
  one.include(0);
  one.widen();
  EXPECT_LT(one.low(), one.high());
}

}  // namespace
}  // namespace espalier::eval

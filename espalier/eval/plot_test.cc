#include "espalier/eval/plot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "espalier/base/temporary_directory.h"

namespace espalier::eval {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Plot two_lines() {
  Plot plot;
  plot.title = "loss & width";
  plot.x_label = "beam";
  plot.y_label = "loss";
  plot.series = {{"a<b", {1, 2, 3}, {0.5, 0.4, 0.1}, {0.4, 0.3, 0.0}, {0.6, 0.5, 0.2}},
                 {"yardstick", {1, 3}, {0.3, 0.3}, {}, {}, true}};
  return plot;
}

size_t count_of(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(Plot, DrawsALineAPointAndABandForWhatItIsGiven) {
  const auto svg = plot_svg(two_lines());
  ASSERT_TRUE(svg.ok());
  EXPECT_EQ(count_of(*svg, "<polyline"), 2u);
  EXPECT_EQ(count_of(*svg, "<polygon"), 1u);
  EXPECT_EQ(count_of(*svg, "<circle"), 3u) << "yardsticks have no points";
  EXPECT_THAT(*svg, HasSubstr("loss &amp; width"));
  EXPECT_THAT(*svg, HasSubstr("a&lt;b"));
}

TEST(Plot, HigherValuesAreHigherUp) {
  Plot plot;
  plot.series = {{"rises", {0, 1}, {0, 1}, {}, {}}};
  const auto svg = plot_svg(plot);
  ASSERT_TRUE(svg.ok());
  double x0 = 0, y0 = 0, x1 = 0, y1 = 0;
  ASSERT_EQ(std::sscanf(svg->c_str() + svg->find("<polyline"), "<polyline points=\"%lf,%lf %lf,%lf", &x0, &y0,
                        &x1, &y1),
            4);
  EXPECT_LT(x0, x1);
  EXPECT_GT(y0, y1);
}

TEST(Plot, AGapStandsWhereAValueIsMissing) {
  Plot plot;
  plot.series = {{"gap", {1, 2, 3, 4, 5}, {1, 2, std::nan(""), 4, 5}, {}, {}}};
  const auto svg = plot_svg(plot);
  ASSERT_TRUE(svg.ok());
  EXPECT_EQ(count_of(*svg, "<polyline"), 2u);
}

TEST(Plot, RefusesWhatCannotBeDrawn) {
  Plot plot = two_lines();
  plot.series[0].y.pop_back();
  EXPECT_FALSE(plot_svg(plot).ok());
  plot = two_lines();
  plot.series[0].low.pop_back();
  EXPECT_FALSE(plot_svg(plot).ok());
  plot = two_lines();
  plot.log_x = true;
  plot.series[1].x[0] = 0;
  EXPECT_FALSE(plot_svg(plot).ok());
  EXPECT_FALSE(plot_svg(Plot()).ok());
}

TEST(Plot, AxisMarksAreRoundNumbersInRange) {
  EXPECT_THAT(axis_marks(0, 1, 5), ElementsAre(0, 0.2, 0.4, testing::DoubleEq(0.6000000000000001), 0.8, 1));
  EXPECT_THAT(axis_marks(-3, 12, 3), ElementsAre(0, 5, 10));
  EXPECT_THAT(log_axis_marks(1, 1000), ElementsAre(1, 10, 100, 1000));
  EXPECT_THAT(log_axis_marks(3, 30), ElementsAre(5, 10, 20));
}

TEST(Plot, IsWrittenToItsFile) {
  const TemporaryDirectory directory;
  const std::string path = directory.path("plot.svg");
  ASSERT_TRUE(save_plot(two_lines(), path).ok());
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  EXPECT_EQ(text.str(), *plot_svg(two_lines()));
  EXPECT_FALSE(save_plot(two_lines(), directory.path("missing/plot.svg")).ok());
}

}  // namespace
}  // namespace espalier::eval

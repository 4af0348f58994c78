#include "espalier/eval/plot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

#include "espalier/base/files/temporary_directory.h"
#include "espalier/eval/plot_canvas.h"

namespace espalier::eval {
namespace {

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
  EXPECT_EQ(count_of(*svg, "<polyline"), 2u + 2) << "two lines, and their keys in the legend";
  EXPECT_EQ(count_of(*svg, "<polygon"), 1u);
  EXPECT_EQ(count_of(*svg, "<circle"), 3u + 1) << "reference lines have no points";
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
  EXPECT_EQ(count_of(*svg, "<polyline"), 2u + 1) << "and one in the legend";
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

/// The numbers and names that a plot shows, in the order of the file.
std::vector<std::string> texts_of(const std::string& svg) {
  std::vector<std::string> texts;
  for (size_t at = svg.find("<text"); at != std::string::npos; at = svg.find("<text", at + 1)) {
    const size_t begin = svg.find('>', at) + 1;
    texts.push_back(svg.substr(begin, svg.find('<', begin) - begin));
  }
  return texts;
}

TEST(Plot, IterationsHaveWholeMarksAndNoAxisShowsMinusZero) {
  Plot plot;
  plot.series = {{"dev", {1, 2}, {-1e-17, 0.9}, {}, {}}};
  const auto svg = plot_svg(plot);
  ASSERT_TRUE(svg.ok());
  EXPECT_THAT(texts_of(*svg), testing::Not(testing::Contains(testing::AnyOf("-0", "1.2", "1.5"))));
  EXPECT_THAT(texts_of(*svg), testing::IsSupersetOf({"1", "2", "0"}));
}

/// The largest x that anything reaches, with the estimated width of texts.
double right_edge(const std::string& svg) {
  double edge = 0;
  for (size_t at = svg.find("<text x="); at != std::string::npos; at = svg.find("<text x=", at + 1)) {
    double x = 0;
    if (std::sscanf(svg.c_str() + at, "<text x=\"%lf\"", &x) != 1) continue;
    const size_t begin = svg.find('>', at) + 1;
    const std::string anchor = svg.substr(at, begin - at);
    const double width = text_width(svg.substr(begin, svg.find('<', begin) - begin));
    edge = std::max(edge, anchor.find("middle") != std::string::npos ? x + width / 2
                          : anchor.find("end") != std::string::npos  ? x
                                                                     : x + width);
  }
  return edge;
}

TEST(Plot, LongLegendsAreWrappedInsideThePicture) {
  Plot plot = two_lines();
  plot.title.clear();
  const size_t height_at = 3;  // of "viewBox=0 0 W H"
  const auto size_of = [&](const std::string& svg) {
    double size[4] = {};
    EXPECT_EQ(std::sscanf(svg.c_str() + svg.find("viewBox"), "viewBox=\"%lf %lf %lf %lf", size, size + 1,
                          size + 2, size + 3),
              4);
    return std::vector<double>(size, size + 4);
  };
  const double before = size_of(*plot_svg(plot))[height_at];
  for (int i = 0; i < 12; ++i)
    plot.series.push_back(
        {fmt::format("a series with quite a long name, number {}", i), {1, 2}, {0, 1}, {}, {}});
  plot.series.push_back({std::string(400, 'x'), {1, 2}, {0, 1}, {}, {}});
  const auto svg = plot_svg(plot);
  ASSERT_TRUE(svg.ok());
  EXPECT_LT(right_edge(*svg), size_of(*svg)[2]);
  EXPECT_GT(size_of(*svg)[height_at], before + 60);
}

TEST(Plot, PanelsShareOneLegendAndTheColoursOfNames) {
  PlotPanels figure{"four tasks", {two_lines(), two_lines(), two_lines(), two_lines()}, 2};
  std::swap(figure.panels[1].series[0], figure.panels[1].series[1]);
  const auto svg = plot_svg(figure);
  ASSERT_TRUE(svg.ok());
  EXPECT_EQ(count_of(*svg, "class=\"frame\""), 4u);
  EXPECT_EQ(count_of(*svg, ">yardstick<"), 1u);
  EXPECT_EQ(count_of(*svg, "<polygon"), count_of(*svg, "opacity=\"0.15\" class=\"f0\""));
  EXPECT_FALSE(plot_svg(PlotPanels()).ok());
}

TEST(Plot, BarsHaveWhiskersAndTheirValues) {
  BarPlot plot{"F1", "F1", {"NP", "<VP>"}, {{"a", {90, 80.5}, {88, 79}, {92, 82}}, {"b", {91, NAN}, {}, {}}}};
  const auto svg = plot_svg(plot);
  ASSERT_TRUE(svg.ok());
  EXPECT_EQ(count_of(*svg, "<rect x="), 3u + 2 + 1) << "three bars, two keys of the legend, the frame";
  EXPECT_EQ(count_of(*svg, "whisker\""), 6u);
  EXPECT_THAT(texts_of(*svg), testing::IsSupersetOf({"90.00", "80.50", "91.00", "&lt;VP&gt;"}));
  plot.series[0].values.pop_back();
  EXPECT_FALSE(plot_svg(plot).ok());
  EXPECT_FALSE(plot_svg(BarPlot()).ok());
}

TEST(Plot, AHeatMapHasACellForEachPair) {
  HeatMap map{"confusions", "gold",           "predicted",        {"A", "B"},
              {"A", "B"},   {1, 0.2, 0, 0.9}, {"9", "1", "", "8"}};
  const auto svg = plot_svg(map, PlotUse::kPage);
  ASSERT_TRUE(svg.ok());
  EXPECT_EQ(count_of(*svg, "<title>"), 3u) << "nothing is drawn where there is nothing";
  EXPECT_THAT(*svg, HasSubstr("A → B: 1"));
  EXPECT_THAT(*svg, testing::Not(HasSubstr("<style>"))) << "a page has the style once";
  map.texts.pop_back();
  EXPECT_FALSE(plot_svg(map).ok());
  EXPECT_FALSE(plot_svg(HeatMap()).ok());
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

// Plots as SVG: lines, several panels of lines, bars, heat maps. The one place that draws, for `reproduce`,
// `tune`, `report` and `compare`.
//
// Fill in a Plot, PlotPanels, BarPlot or HeatMap and call plot_svg for the text, or save_plot for a file.
// Axes, ticks, legends and margins are laid out from what is to be drawn. Colours are told apart with most
// forms of colour blindness, lines also by the shape of their points; plots follow the light or dark scheme
// of the reader. Nothing is interactive.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "espalier/base/result.h"

namespace espalier::eval {

/// One line. Points are drawn in the order given; those with a y that is not finite leave a gap.
struct PlotSeries {
  std::string name;
  std::vector<double> x, y;
  std::vector<double> low, high;  ///< a shaded band around the line; empty: none
  bool dashed = false;            ///< for reference lines; without points
  bool scattered = false;         ///< points with their name next to them, no line; not in the legend
};

struct Plot {
  std::string title, x_label, y_label;
  std::vector<PlotSeries> series;
  bool log_x = false, log_y = false;
  std::optional<double> y_from = {}, y_to = {};  ///< the y axis shows at least this range
};

/// Plots next to each other, under one title. Series of the same name have the same colour in all panels, and
/// share one legend.
struct PlotPanels {
  std::string title;
  std::vector<Plot> panels;
  size_t across = 2;  ///< panels per row
};

/// Horizontal bars: one group per category, one bar per series in each group.
struct BarPlot {
  struct Series {
    std::string name;
    std::vector<double> values;     ///< one per category; not finite: no bar
    std::vector<double> low, high;  ///< intervals, drawn as whiskers; empty: none
  };
  std::string title, x_label;
  std::vector<std::string> categories;
  std::vector<Series> series;
  bool from_zero = true;  ///< false: the axis begins near the smallest value, and bars are points
};

/// A matrix of numbers as coloured cells.
struct HeatMap {
  std::string title, row_label, column_label;
  std::vector<std::string> rows, columns;
  std::vector<double> shades;      ///< row by row, from 0 (no colour) to 1
  std::vector<std::string> texts;  ///< what each cell says; empty texts where nothing is to be said
};

/// A file is a document of its own. A page is a part of an HTML document, whose style must contain
/// plot_style().
enum class PlotUse { kFile, kPage };

/// The plot as SVG. Fails where a series has x, y or bands of unequal length, an x that is not finite, a
/// value of 0 or below on a logarithmic axis, or where there is nothing to draw.
Result<std::string> plot_svg(const Plot& plot, PlotUse use = PlotUse::kFile);
Result<std::string> plot_svg(const PlotPanels& figure, PlotUse use = PlotUse::kFile);
Result<std::string> plot_svg(const BarPlot& plot, PlotUse use = PlotUse::kFile);
Result<std::string> plot_svg(const HeatMap& plot, PlotUse use = PlotUse::kFile);

/// The CSS that plots in a page need.
std::string plot_style();

/// Writes it to a file, atomically.
Status save_plot(const Plot& plot, const std::string& path);
Status save_plot(const PlotPanels& figure, const std::string& path);

}  // namespace espalier::eval

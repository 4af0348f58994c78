// Line plots as SVG files, for `reproduce` and `tune`. Fill in a Plot and call save_plot, or plot_svg for the
// text.
#pragma once

#include <string>
#include <vector>

#include "espalier/base/result.h"

namespace espalier::eval {

/// One line. Points are drawn in the order given; those with a y that is not finite leave a gap.
struct PlotSeries {
  std::string name;
  std::vector<double> x, y;
  std::vector<double> low, high;  ///< a shaded band around the line; empty: none
  bool dashed = false;            ///< for reference lines
};

struct Plot {
  std::string title, x_label, y_label;
  std::vector<PlotSeries> series;
  bool log_x = false, log_y = false;
};

/// The plot as an SVG document. Fails where a series has x, y or bands of unequal length, an x that is not
/// finite, a value of 0 or below on a logarithmic axis, or where there is no point to draw.
Result<std::string> plot_svg(const Plot& plot);

/// Writes it to a file, atomically.
Status save_plot(const Plot& plot, const std::string& path);

/// Positions of tick marks from `low` to `high`: multiples of 1, 2 or 5 times a power of ten,
/// about `wanted` of them. Precondition: low < high.
std::vector<double> axis_marks(double low, double high, int wanted);
/// Powers of ten, and where these are fewer than three their multiples by 2 and 5. Precondition: 0 < low <
/// high.
std::vector<double> log_axis_marks(double low, double high);

}  // namespace espalier::eval

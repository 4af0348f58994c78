// What all plots are drawn with: texts, lines and shapes of an SVG document, the colours of series, legends.
// Tested in plot_test.cc.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "espalier/eval/plot.h"

namespace espalier::eval {

/// About how wide a text is in the font of plots, in pixels.
double text_width(std::string_view text);

class PlotCanvas {
 public:
  enum class Anchor { kStart, kMiddle, kEnd };

  void text(double x, double y, std::string_view text, Anchor anchor = Anchor::kStart,
            std::string_view css_class = {});
  /// Read from bottom to top.
  void upright_text(double x, double y, std::string_view text, Anchor anchor = Anchor::kMiddle);
  void line(double x1, double y1, double x2, double y2, std::string_view css_class);
  void frame(double x, double y, double width, double height);
  /// Of a series, by its number.
  void bar(double x, double y, double width, double height, size_t series);
  void band(std::string_view points, size_t series);
  void polyline(std::string_view points, size_t series, bool dashed);
  /// A point; the shape depends on the series, too.
  void point(double x, double y, size_t series);
  /// A cell of a heat map; `shade` from 0 to 1.
  void cell(double x, double y, double width, double height, double shade, std::string_view title);

  struct LegendEntry {
    std::string name;
    size_t series = 0;
    bool dashed = false, boxes = false;
  };
  /// Entries in rows from (x, y), none wider than `width`; returns the height they take. Names that are too
  /// long are cut.
  double legend(double x, double y, double width, const std::vector<LegendEntry>& entries);

  /// The whole document; `alternative` is read to those who cannot see it.
  std::string finish(double width, double height, std::string_view alternative, PlotUse use) const;

 private:
  std::string out_;
};

}  // namespace espalier::eval

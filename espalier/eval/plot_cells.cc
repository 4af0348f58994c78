// Plots made of rectangles: bars and heat maps. Tested in plot_test.cc.
#include <algorithm>
#include <cmath>

#include "espalier/base/text/layout.h"
#include "espalier/eval/plot.h"
#include "espalier/eval/plot_axis.h"
#include "espalier/eval/plot_canvas.h"

namespace espalier::eval {
namespace {

using Anchor = PlotCanvas::Anchor;

constexpr size_t kLongestName = 28;

double widest(const std::vector<std::string>& names) {
  double width = 0;
  for (const std::string& name : names) width = std::max(width, text_width(cut(name, kLongestName)));
  return width;
}

Result<PlotAxis> axis_of(const BarPlot& plot) {
  PlotAxis axis;
  for (const BarPlot::Series& series : plot.series) {
    if (series.values.size() != plot.categories.size() || series.low.size() != series.high.size() ||
        (!series.low.empty() && series.low.size() != series.values.size()))
      return fail("plot '{}': series '{}' does not fit the {} categories", plot.title, series.name,
                  plot.categories.size());
    for (const auto* values : {&series.values, &series.low, &series.high})
      for (const double value : *values) axis.include(value);
  }
  if (axis.empty()) return fail("plot '{}': there is nothing to draw", plot.title);
  if (plot.from_zero) axis.include(0);
  axis.widen();
  return axis;
}

}  // namespace

Result<std::string> plot_svg(const BarPlot& plot, PlotUse use) {
  ESPALIER_ASSIGN(const PlotAxis axis, axis_of(plot));
  const double thickness = plot.series.size() > 1 ? 11 : 14;
  const double group = thickness * static_cast<double>(plot.series.size()) + 8;
  const double left = widest(plot.categories) + 28, top = plot.title.empty() ? 12 : 34, width = 720;
  const double right = width - 62, bottom = top + group * static_cast<double>(plot.categories.size()) + 4;
  const auto across = [&](double value) { return left + axis.place(value) * (right - left); };
  PlotCanvas canvas;
  canvas.text(12, 22, cut(plot.title, 84), Anchor::kStart, "title");
  for (const double mark : axis.marks(6)) {
    canvas.line(across(mark), top, across(mark), bottom, "grid");
    canvas.text(across(mark), bottom + 18, mark_text(mark), Anchor::kMiddle);
  }
  const double zero = across(plot.from_zero ? 0 : axis.low());
  for (size_t c = 0; c < plot.categories.size(); ++c) {
    const double begin = top + group * static_cast<double>(c) + 6;
    canvas.text(left - 8, begin + (group - 8) / 2 + 4, cut(plot.categories[c], kLongestName), Anchor::kEnd);
    for (size_t s = 0; s < plot.series.size(); ++s) {
      const BarPlot::Series& series = plot.series[s];
      if (!std::isfinite(series.values[c])) continue;
      const double y = begin + thickness * static_cast<double>(s), middle = y + thickness / 2 - 1;
      const double end = across(series.values[c]);
      if (plot.from_zero) canvas.bar(std::min(zero, end), y, std::abs(end - zero), thickness - 2, s);
      if (!series.low.empty() && std::isfinite(series.low[c]) && std::isfinite(series.high[c])) {
        canvas.line(across(series.low[c]), middle, across(series.high[c]), middle, "whisker");
        for (const double at : {series.low[c], series.high[c]})
          canvas.line(across(at), middle - 3, across(at), middle + 3, "whisker");
      }
      if (!plot.from_zero) canvas.point(end, middle, s);
      canvas.text(right + 6, middle + 4, fmt::format("{:.2f}", series.values[c] + 0.0), Anchor::kStart,
                  "small");
    }
  }
  canvas.frame(left, top, right - left, bottom - top);
  canvas.text((left + right) / 2, bottom + 38, plot.x_label, Anchor::kMiddle);
  std::vector<PlotCanvas::LegendEntry> entries;
  for (size_t s = 0; s < plot.series.size() && plot.series.size() > 1; ++s)
    entries.push_back({plot.series[s].name, s, false, plot.from_zero});
  const double legend = canvas.legend(24, bottom + 64, width - 40, entries);
  return canvas.finish(width, bottom + 48 + (legend > 0 ? legend + 8 : 0), plot.title, use);
}

Result<std::string> plot_svg(const HeatMap& plot, PlotUse use) {
  const size_t cells = plot.rows.size() * plot.columns.size();
  if (cells == 0) return fail("plot '{}': there is nothing to draw", plot.title);
  if (plot.shades.size() != cells || plot.texts.size() != cells)
    return fail("plot '{}': {} shades and {} texts for {} cells", plot.title, plot.shades.size(),
                plot.texts.size(), cells);
  const double across = std::max(34.0, widest(plot.texts) + 8), down = 24;
  const double left = widest(plot.rows) + 44, names = widest(plot.columns);
  const double top = (plot.title.empty() ? 12 : 34) + 22 + names + 10;
  const double right = left + across * static_cast<double>(plot.columns.size());
  const double bottom = top + down * static_cast<double>(plot.rows.size());
  PlotCanvas canvas;
  const double width = std::max(right + 16, 8.4 * static_cast<double>(display_width(plot.title)) + 24);
  canvas.text(12, 22, plot.title, Anchor::kStart, "title");
  canvas.text((left + right) / 2, top - names - 16, plot.column_label, Anchor::kMiddle);
  canvas.upright_text(16, (top + bottom) / 2, plot.row_label);
  for (size_t c = 0; c < plot.columns.size(); ++c)
    canvas.upright_text(left + across * (static_cast<double>(c) + 0.5) + 4, top - 8,
                        cut(plot.columns[c], kLongestName), Anchor::kStart);
  for (size_t r = 0; r < plot.rows.size(); ++r) {
    const double y = top + down * static_cast<double>(r);
    canvas.text(left - 8, y + down / 2 + 4, cut(plot.rows[r], kLongestName), Anchor::kEnd);
    for (size_t c = 0; c < plot.columns.size(); ++c) {
      const size_t at = r * plot.columns.size() + c;
      const double x = left + across * static_cast<double>(c);
      if (plot.shades[at] > 0 || !plot.texts[at].empty())
        canvas.cell(x, y, across, down, plot.shades[at],
                    fmt::format("{} → {}: {}", plot.rows[r], plot.columns[c], plot.texts[at]));
      canvas.text(x + across / 2, y + down / 2 + 4, plot.texts[at], Anchor::kMiddle,
                  plot.shades[at] > 0.6 ? "on" : "");
    }
  }
  for (size_t c = 1; c < plot.columns.size(); ++c) {
    const double x = left + across * static_cast<double>(c);
    canvas.line(x, top, x, bottom, "grid");
  }
  for (size_t r = 1; r < plot.rows.size(); ++r) {
    const double y = top + down * static_cast<double>(r);
    canvas.line(left, y, right, y, "grid");
  }
  canvas.frame(left, top, right - left, bottom - top);
  return canvas.finish(width, bottom + 16, plot.title, use);
}

}  // namespace espalier::eval

#include "espalier/eval/plot.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "espalier/base/files/atomic_file.h"
#include "espalier/base/text/layout.h"
#include "espalier/eval/plot_axis.h"
#include "espalier/eval/plot_canvas.h"

namespace espalier::eval {
namespace {

constexpr double kPlotWidth = 720, kPlotHeight = 400, kPanelWidth = 420, kPanelHeight = 300;
constexpr double kTitleHeight = 34, kBelowAxis = 46;  // the marks of the x axis and its label

using Anchor = PlotCanvas::Anchor;

Status check_series(const Plot& plot, const PlotSeries& series) {
  if (series.x.size() != series.y.size())
    return fail("plot '{}': series '{}' has {} values of x and {} of y", plot.title, series.name,
                series.x.size(), series.y.size());
  if (series.low.size() != series.high.size() ||
      (!series.low.empty() && series.low.size() != series.x.size()))
    return fail("plot '{}': the band of series '{}' does not fit its points", plot.title, series.name);
  for (size_t i = 0; i < series.x.size(); ++i) {
    if (!std::isfinite(series.x[i]))
      return fail("plot '{}': series '{}' has an x of {}", plot.title, series.name, series.x[i]);
    if ((plot.log_x && series.x[i] <= 0) || (plot.log_y && series.y[i] <= 0))
      return fail("plot '{}': series '{}' has a point ({}, {}) that a logarithmic axis cannot show",
                  plot.title, series.name, series.x[i], series.y[i]);
  }
  return {};
}

/// Where one plot is on the canvas: the frame, and the values at its edges.
struct PlotArea {
  PlotAxis x, y;
  double left = 0, right = 0, top = 0, bottom = 0;

  double across(double value) const { return left + x.place(value) * (right - left); }
  double down(double value) const { return bottom - y.place(value) * (bottom - top); }
};

Result<PlotArea> area_of(const Plot& plot) {
  PlotArea area{PlotAxis(plot.log_x), PlotAxis(plot.log_y)};
  for (const PlotSeries& series : plot.series) {
    ESPALIER_TRY(check_series(plot, series));
    for (size_t i = 0; i < series.x.size(); ++i) {
      if (!std::isfinite(series.y[i])) continue;
      area.x.include(series.x[i]);
      area.y.include(series.y[i]);
      for (const auto* edge : {&series.low, &series.high})
        if (!edge->empty() && (!plot.log_y || (*edge)[i] > 0)) area.y.include((*edge)[i]);
    }
  }
  if (area.x.empty()) return fail("plot '{}': there is no point to draw", plot.title);
  for (const auto& edge : {plot.y_from, plot.y_to})
    if (edge) area.y.include(*edge);
  area.x.widen();
  area.y.widen();
  return area;
}

void draw_frame(const Plot& plot, const PlotArea& area, PlotCanvas& canvas) {
  for (const double mark : area.x.marks(6)) {
    canvas.line(area.across(mark), area.top, area.across(mark), area.bottom, "grid");
    canvas.text(area.across(mark), area.bottom + 18, mark_text(mark), Anchor::kMiddle);
  }
  for (const double mark : area.y.marks(6)) {
    canvas.line(area.left, area.down(mark), area.right, area.down(mark), "grid");
    canvas.text(area.left - 8, area.down(mark) + 4, mark_text(mark), Anchor::kEnd);
  }
  canvas.frame(area.left, area.top, area.right - area.left, area.bottom - area.top);
  canvas.text((area.left + area.right) / 2, area.bottom + 38, plot.x_label, Anchor::kMiddle);
}

void draw_band(const PlotSeries& series, const PlotArea& area, size_t number, PlotCanvas& canvas) {
  std::string upper, lower;
  for (size_t i = 0; i < series.low.size(); ++i) {
    if (!std::isfinite(series.low[i]) || !std::isfinite(series.high[i])) continue;
    upper += fmt::format("{:.1f},{:.1f} ", area.across(series.x[i]), area.down(series.high[i]));
    const double bottom = std::max(series.low[i], area.y.low());  // a logarithmic axis does not reach 0
    lower = fmt::format("{:.1f},{:.1f} ", area.across(series.x[i]), area.down(bottom)) + lower;
  }
  if (!upper.empty()) canvas.band(upper + lower, number);
}

/// Points with their names, which are moved where they would leave the frame.
void draw_scattered(const PlotSeries& series, const PlotArea& area, size_t number, PlotCanvas& canvas) {
  for (size_t i = 0; i < series.x.size(); ++i) {
    if (!std::isfinite(series.y[i])) continue;
    const double x = area.across(series.x[i]), y = area.down(series.y[i]);
    canvas.point(x, y, number);
    const bool fits = x + 8 + text_width(series.name) < area.right;
    canvas.text(fits ? x + 8 : x - 8, y + 4, series.name, fits ? Anchor::kStart : Anchor::kEnd, "small");
  }
}

void draw_line(const PlotSeries& series, const PlotArea& area, size_t number, PlotCanvas& canvas) {
  if (series.scattered) return draw_scattered(series, area, number, canvas);
  std::string points;
  const auto flush = [&] {
    if (!points.empty()) canvas.polyline(points, number, series.dashed);
    points.clear();
  };
  for (size_t i = 0; i < series.x.size(); ++i) {
    if (!std::isfinite(series.y[i])) {
      flush();
      continue;
    }
    const double x = area.across(series.x[i]), y = area.down(series.y[i]);
    points += fmt::format("{:.1f},{:.1f} ", x, y);
    if (!series.dashed) canvas.point(x, y, number);
  }
  flush();
}

/// The numbers of series by their names: the same name has the same colour in every panel.
class SeriesNames {
 public:
  size_t number(const PlotSeries& series) {
    const auto at = std::find(names_.begin(), names_.end(), series.name);
    if (at != names_.end()) return static_cast<size_t>(at - names_.begin());
    names_.push_back(series.name);
    if (!series.name.empty() && !series.scattered)
      entries_.push_back({series.name, names_.size() - 1, series.dashed, false});
    return names_.size() - 1;
  }
  const std::vector<PlotCanvas::LegendEntry>& entries() const { return entries_; }

 private:
  std::vector<std::string> names_;
  std::vector<PlotCanvas::LegendEntry> entries_;
};

/// Draws one plot without title and legend into the rectangle; the frame leaves room for the marks.
Status draw_plot(const Plot& plot, double left, double top, double width, double height, SeriesNames& names,
                 PlotCanvas& canvas) {
  ESPALIER_ASSIGN(PlotArea area, area_of(plot));
  double marks = 0;
  for (const double mark : area.y.marks(6)) marks = std::max(marks, text_width(mark_text(mark)));
  area.left = left + marks + (plot.y_label.empty() ? 12 : 36);
  area.right = left + width - 16;
  area.top = top;
  area.bottom = top + height - kBelowAxis;
  draw_frame(plot, area, canvas);
  canvas.upright_text(left + 14, (area.top + area.bottom) / 2, plot.y_label);
  for (const PlotSeries& series : plot.series) draw_band(series, area, names.number(series), canvas);
  for (const PlotSeries& series : plot.series) draw_line(series, area, names.number(series), canvas);
  return {};
}

Status save_svg(const std::string& svg, const std::string& path) {
  ESPALIER_ASSIGN(AtomicFile file, AtomicFile::open(path));
  ESPALIER_TRY(file.write(svg));
  return file.commit();
}

std::string cut_title(std::string_view title, double width) {
  return cut(title, static_cast<size_t>(width / 8.2));
}

}  // namespace

Result<std::string> plot_svg(const Plot& plot, PlotUse use) {
  PlotCanvas canvas;
  SeriesNames names;
  const double top = plot.title.empty() ? 12 : kTitleHeight;
  canvas.text(12, 22, cut_title(plot.title, kPlotWidth - 24), Anchor::kStart, "title");
  ESPALIER_TRY(draw_plot(plot, 0, top, kPlotWidth, kPlotHeight - top, names, canvas));
  const double legend = canvas.legend(24, kPlotHeight + 18, kPlotWidth - 40, names.entries());
  return canvas.finish(kPlotWidth, kPlotHeight + legend + (legend > 0 ? 8 : 0), plot.title, use);
}

Result<std::string> plot_svg(const PlotPanels& figure, PlotUse use) {
  if (figure.panels.empty()) return fail("plot '{}': there is no panel to draw", figure.title);
  PlotCanvas canvas;
  SeriesNames names;
  const size_t across = std::clamp<size_t>(figure.across, 1, figure.panels.size());
  const size_t rows = (figure.panels.size() + across - 1) / across;
  const double width = kPanelWidth * static_cast<double>(across);
  canvas.text(12, 22, cut_title(figure.title, width - 24), Anchor::kStart, "title");
  for (size_t p = 0; p < figure.panels.size(); ++p) {
    const double left = kPanelWidth * static_cast<double>(p % across);
    const double top = kTitleHeight + kPanelHeight * static_cast<double>(p / across);
    canvas.text(left + 16, top + 16, cut_title(figure.panels[p].title, kPanelWidth - 32), Anchor::kStart,
                "panel");
    ESPALIER_TRY(draw_plot(figure.panels[p], left, top + 24, kPanelWidth, kPanelHeight - 32, names, canvas));
  }
  const double height = kTitleHeight + kPanelHeight * static_cast<double>(rows);
  const double legend = canvas.legend(24, height + 18, width - 40, names.entries());
  return canvas.finish(width, height + legend + (legend > 0 ? 8 : 0), figure.title, use);
}

Status save_plot(const Plot& plot, const std::string& path) {
  ESPALIER_ASSIGN(const std::string svg, plot_svg(plot));
  return save_svg(svg, path);
}

Status save_plot(const PlotPanels& figure, const std::string& path) {
  ESPALIER_ASSIGN(const std::string svg, plot_svg(figure));
  return save_svg(svg, path);
}

}  // namespace espalier::eval

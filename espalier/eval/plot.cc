#include "espalier/eval/plot.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "espalier/base/atomic_file.h"

namespace espalier::eval {
namespace {

constexpr double kWidth = 760, kHeight = 460;
constexpr double kLeft = 76, kRight = 190, kTop = 44, kBottom = 56;  // margins; the legend is on the right

// Distinguishable with most forms of colour blindness (after Okabe and Ito).
constexpr std::array<const char*, 8> kColours = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                 "#e69f00", "#56b4e9", "#000000", "#999933"};

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '&')
      out += "&amp;";
    else
      out += c;
  }
  return out;
}

/// Maps values to positions along one axis.
struct Axis {
  double low = std::numeric_limits<double>::infinity(), high = -std::numeric_limits<double>::infinity();
  bool log = false;

  void include(double value) {
    if (!std::isfinite(value)) return;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  /// Adds a margin; a single value gets a range around it.
  void widen() {
    if (log) {
      const double factor = low == high ? 2 : std::pow(high / low, 0.03);
      low /= factor;
      high *= factor;
    } else {
      const double margin = low == high ? std::max(0.5, std::abs(low) * 0.1) : (high - low) * 0.04;
      low -= margin;
      high += margin;
    }
  }
  double place(double value) const {  // from 0 to 1
    return log ? std::log(value / low) / std::log(high / low) : (value - low) / (high - low);
  }
  std::vector<double> marks() const { return log ? log_axis_marks(low, high) : axis_marks(low, high, 6); }
};

struct Canvas {
  Axis x, y;
  double across(double value) const { return kLeft + x.place(value) * (kWidth - kLeft - kRight); }
  double down(double value) const { return kHeight - kBottom - y.place(value) * (kHeight - kTop - kBottom); }
};

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

void draw_frame(const Plot& plot, const Canvas& canvas, std::string& out) {
  const double bottom = kHeight - kBottom, right = kWidth - kRight;
  for (const double mark : canvas.x.marks()) {
    const double at = canvas.across(mark);
    out += fmt::format("<line x1=\"{0:.1f}\" y1=\"{1}\" x2=\"{0:.1f}\" y2=\"{2}\" class=\"grid\"/>\n", at,
                       kTop, bottom);
    out += fmt::format("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{:g}</text>\n", at, bottom + 18,
                       mark);
  }
  for (const double mark : canvas.y.marks()) {
    const double at = canvas.down(mark);
    out += fmt::format("<line x1=\"{0}\" y1=\"{1:.1f}\" x2=\"{2}\" y2=\"{1:.1f}\" class=\"grid\"/>\n", kLeft,
                       at, right);
    out +=
        fmt::format("<text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{:g}</text>\n", kLeft - 8, at + 4, mark);
  }
  out += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" class=\"frame\"/>\n", kLeft, kTop,
                     right - kLeft, bottom - kTop);
  out += fmt::format("<text x=\"{}\" y=\"24\" class=\"title\">{}</text>\n", kLeft, escaped(plot.title));
  out += fmt::format("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n", (kLeft + right) / 2,
                     kHeight - 14, escaped(plot.x_label));
  const double middle = (kTop + bottom) / 2;
  out += fmt::format(
      "<text x=\"18\" y=\"{0:.1f}\" text-anchor=\"middle\" transform=\"rotate(-90 18 {0:.1f})\">{1}</text>\n",
      middle, escaped(plot.y_label));
}

void draw_band(const PlotSeries& series, const Canvas& canvas, const char* colour, std::string& out) {
  std::string upper, lower;
  for (size_t i = 0; i < series.low.size(); ++i) {
    if (!std::isfinite(series.low[i]) || !std::isfinite(series.high[i])) continue;
    upper += fmt::format("{:.1f},{:.1f} ", canvas.across(series.x[i]), canvas.down(series.high[i]));
    const double bottom = std::max(series.low[i], canvas.y.low);  // a logarithmic axis does not reach 0
    lower = fmt::format("{:.1f},{:.1f} ", canvas.across(series.x[i]), canvas.down(bottom)) + lower;
  }
  if (!upper.empty())
    out += fmt::format("<polygon points=\"{}{}\" fill=\"{}\" opacity=\"0.15\"/>\n", upper, lower, colour);
}

void draw_line(const PlotSeries& series, const Canvas& canvas, const char* colour, std::string& out) {
  const char* const dashes = series.dashed ? " stroke-dasharray=\"6 4\"" : "";
  std::string points;
  const auto flush = [&] {
    if (!points.empty())
      out += fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\"{}/>\n",
                         points, colour, dashes);
    points.clear();
  };
  for (size_t i = 0; i < series.x.size(); ++i) {
    if (!std::isfinite(series.y[i])) {
      flush();
      continue;
    }
    const double x = canvas.across(series.x[i]), y = canvas.down(series.y[i]);
    points += fmt::format("{:.1f},{:.1f} ", x, y);
    if (!series.dashed)
      out += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" fill=\"{}\"/>\n", x, y, colour);
  }
  flush();
}

}  // namespace

std::vector<double> axis_marks(double low, double high, int wanted) {
  ESPALIER_CHECK(low < high && wanted > 0);
  const double rough = (high - low) / wanted;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  const double step = power * (rough / power < 1.5   ? 1
                               : rough / power < 3.5 ? 2
                               : rough / power < 7.5 ? 5
                                                     : 10);
  std::vector<double> marks;
  // Counted in whole steps, so that a mark at 0 is exactly 0.
  for (double k = std::ceil(low / step - 1e-9); k * step <= high + step * 1e-9; ++k)
    marks.push_back(k * step);
  return marks;
}

std::vector<double> log_axis_marks(double low, double high) {
  ESPALIER_CHECK(0 < low && low < high);
  std::vector<double> powers, all;
  for (double e = std::floor(std::log10(low)); e <= std::log10(high); ++e)
    for (const double digit : {1.0, 2.0, 5.0}) {
      const double mark = digit * std::pow(10, e);
      if (mark < low || mark > high) continue;
      all.push_back(mark);
      if (digit == 1) powers.push_back(mark);
    }
  return powers.size() >= 3 ? powers : all;
}

Result<std::string> plot_svg(const Plot& plot) {
  Canvas canvas;
  canvas.x.log = plot.log_x;
  canvas.y.log = plot.log_y;
  for (const PlotSeries& series : plot.series) {
    ESPALIER_TRY(check_series(plot, series));
    for (size_t i = 0; i < series.x.size(); ++i) {
      if (!std::isfinite(series.y[i])) continue;
      canvas.x.include(series.x[i]);
      canvas.y.include(series.y[i]);
      for (const auto* edge : {&series.low, &series.high})
        if (!edge->empty() && (!plot.log_y || (*edge)[i] > 0)) canvas.y.include((*edge)[i]);
    }
  }
  if (canvas.x.low > canvas.x.high) return fail("plot '{}': there is no point to draw", plot.title);
  canvas.x.widen();
  canvas.y.widen();

  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" "
      "font-family=\"sans-serif\" font-size=\"12\">\n"
      "<style>.grid{{stroke:#ddd}} .frame{{fill:none;stroke:#444}} "
      ".title{{font-size:15px;font-weight:bold}}</style>\n"
      "<rect width=\"{0}\" height=\"{1}\" fill=\"white\"/>\n",
      kWidth, kHeight);
  draw_frame(plot, canvas, out);
  for (size_t s = 0; s < plot.series.size(); ++s)
    draw_band(plot.series[s], canvas, kColours[s % kColours.size()], out);
  for (size_t s = 0; s < plot.series.size(); ++s) {
    const char* const colour = kColours[s % kColours.size()];
    draw_line(plot.series[s], canvas, colour, out);
    const double y = kTop + 14 + 20 * static_cast<double>(s), x = kWidth - kRight + 14;
    out +=
        fmt::format("<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" stroke=\"{}\" stroke-width=\"2\"{}/>\n", x,
                    y - 4, x + 22, y - 4, colour, plot.series[s].dashed ? " stroke-dasharray=\"6 4\"" : "");
    out += fmt::format("<text x=\"{}\" y=\"{}\">{}</text>\n", x + 28, y, escaped(plot.series[s].name));
  }
  return out + "</svg>\n";
}

Status save_plot(const Plot& plot, const std::string& path) {
  ESPALIER_ASSIGN(const std::string svg, plot_svg(plot));
  ESPALIER_ASSIGN(AtomicFile file, AtomicFile::open(path));
  ESPALIER_TRY(file.write(svg));
  return file.commit();
}

}  // namespace espalier::eval

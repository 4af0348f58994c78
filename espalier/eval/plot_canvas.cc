#include "espalier/eval/plot_canvas.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "espalier/base/text/html.h"
#include "espalier/base/text/layout.h"
#include "espalier/base/text/text.h"

namespace espalier::eval {
namespace {

// Distinguishable with most forms of colour blindness (after Okabe and Ito); the second of each pair is for
// dark backgrounds.
struct PlotColour {
  const char *light, *dark;
};
constexpr std::array<PlotColour, 8> kColours = {{{"#0072b2", "#3fa2e8"},
                                                 {"#d55e00", "#f58b3d"},
                                                 {"#009e73", "#2fc79c"},
                                                 {"#cc79a7", "#e8a3c9"},
                                                 {"#b88000", "#f2bd3f"},
                                                 {"#56b4e9", "#a9dcff"},
                                                 {"#444444", "#f2f2f2"},
                                                 {"#808000", "#c9c95e"}}};
constexpr double kLegendRow = 20;

const char* colour_of(size_t series) { return kColours[series % kColours.size()].light; }
size_t class_of(size_t series) { return series % kColours.size(); }

const char* anchor_name(PlotCanvas::Anchor anchor) {
  return anchor == PlotCanvas::Anchor::kMiddle ? "middle"
         : anchor == PlotCanvas::Anchor::kEnd  ? "end"
                                               : "start";
}

}  // namespace

double text_width(std::string_view text) {
  double width = 0;
  for (const CodePoint c : CodePoints(text)) {
    const bool capital = c.value >= 'A' && c.value <= 'Z';
    width += c.value >= 0x1100 ? 12.5 : capital ? 8.4 : 6.8;  // most of what comes after U+1100 is wide
  }
  return width;
}

std::string plot_style() {
  std::string out =
      ".plot{font-family:sans-serif;font-size:12px;color:#222;max-width:100%;height:auto}"
      ".plot text{fill:currentColor;stroke:none}.plot .title{font-size:15px;font-weight:bold}"
      ".plot .small{font-size:11px}.plot .panel{font-size:13px;font-weight:bold}"
      ".plot .grid{stroke:currentColor;stroke-opacity:.14}.plot "
      ".whisker{stroke:currentColor;stroke-width:1.3}"
      ".plot .frame{fill:none;stroke:currentColor;stroke-opacity:.5}"
      ".plot .on{fill:#fff}.plot .paper{fill:#fff}"
      "@media (prefers-color-scheme:dark){.plot{color:#e4e6ea}.plot .paper{fill:#191b1f}";
  for (size_t i = 0; i < kColours.size(); ++i)
    out += fmt::format(".plot .l{0}{{stroke:{1}}}.plot .f{0}{{fill:{1}}}", i, kColours[i].dark);
  return out + "}";
}

void PlotCanvas::text(double x, double y, std::string_view text, Anchor anchor, std::string_view css_class) {
  if (text.empty()) return;
  out_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\"{}>{}</text>\n", x, y,
                      anchor_name(anchor), css_class.empty() ? "" : fmt::format(" class=\"{}\"", css_class),
                      html_escaped(text));
}

void PlotCanvas::upright_text(double x, double y, std::string_view text, Anchor anchor) {
  if (text.empty()) return;
  out_ += fmt::format(
      "<text x=\"{0:.1f}\" y=\"{1:.1f}\" text-anchor=\"{2}\" transform=\"rotate(-90 {0:.1f} "
      "{1:.1f})\">{3}</text>\n",
      x, y, anchor_name(anchor), html_escaped(text));
}

void PlotCanvas::line(double x1, double y1, double x2, double y2, std::string_view css_class) {
  out_ += fmt::format(
      "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"#888\" class=\"{}\"/>\n", x1,
      y1, x2, y2, css_class);
}

void PlotCanvas::frame(double x, double y, double width, double height) {
  out_ += fmt::format(
      "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"none\" class=\"frame\"/>\n",
      x, y, width, height);
}

void PlotCanvas::bar(double x, double y, double width, double height, size_t series) {
  out_ += fmt::format(
      "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\" class=\"f{}\"/>\n", x,
      y, std::max(0.0, width), height, colour_of(series), class_of(series));
}

void PlotCanvas::band(std::string_view points, size_t series) {
  out_ += fmt::format("<polygon points=\"{}\" fill=\"{}\" opacity=\"0.15\" class=\"f{}\"/>\n", points,
                      colour_of(series), class_of(series));
}

void PlotCanvas::polyline(std::string_view points, size_t series, bool dashed) {
  out_ += fmt::format(
      "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\" class=\"l{}\"{}/>\n", points,
      colour_of(series), class_of(series), dashed ? " stroke-dasharray=\"6 4\"" : "");
}

void PlotCanvas::point(double x, double y, size_t series) {
  const std::string style = fmt::format("fill=\"{}\" class=\"f{}\"", colour_of(series), class_of(series));
  switch (series % 4) {
    case 0:
      out_ += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.2\" {}/>\n", x, y, style);
      break;
    case 1:
      out_ +=
          fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"6\" height=\"6\" {}/>\n", x - 3, y - 3, style);
      break;
    case 2:
      out_ += fmt::format("<path d=\"M{:.1f} {:.1f}l4.2 7h-8.4z\" {}/>\n", x, y - 4.5, style);
      break;
    default:
      out_ += fmt::format("<path d=\"M{:.1f} {:.1f}l4.2 4.2l-4.2 4.2l-4.2 -4.2z\" {}/>\n", x, y - 4.2, style);
  }
}

void PlotCanvas::cell(double x, double y, double width, double height, double shade, std::string_view title) {
  out_ += fmt::format(
      "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"#0072b2\" "
      "fill-opacity=\"{:.3f}\"><title>{}</title></rect>\n",
      x, y, width, height, std::clamp(shade, 0.0, 1.0), html_escaped(title));
}

double PlotCanvas::legend(double x, double y, double width, const std::vector<LegendEntry>& entries) {
  constexpr double kSwatch = 28, kGap = 18;
  double at = x, row = y;
  const auto most = static_cast<size_t>(std::max(4.0, (width - kSwatch) / text_width("x")));
  for (const LegendEntry& entry : entries) {
    const std::string name = cut(entry.name, most);
    const double wide = kSwatch + text_width(name);
    if (at > x && at + wide > x + width) {
      at = x;
      row += kLegendRow;
    }
    if (entry.boxes) {
      bar(at + 4, row - 10, 14, 10, entry.series);
    } else {
      polyline(fmt::format("{:.1f},{:.1f} {:.1f},{:.1f}", at, row - 4, at + 22, row - 4), entry.series,
               entry.dashed);
      if (!entry.dashed) point(at + 11, row - 4, entry.series);
    }
    text(at + kSwatch, row, name);
    at += wide + kGap;
  }
  return entries.empty() ? 0 : row - y + kLegendRow;
}

std::string PlotCanvas::finish(double width, double height, std::string_view alternative, PlotUse use) const {
  const std::string name = html_escaped(alternative);
  if (use == PlotUse::kPage)
    return fmt::format(
        "<svg class=\"plot\" role=\"img\" aria-label=\"{0}\" viewBox=\"0 0 {1:.0f} {2:.0f}\" "
        "width=\"{1:.0f}\" height=\"{2:.0f}\">\n{3}</svg>\n",
        name, width, height, out_);
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"plot\" role=\"img\" aria-label=\"{0}\" "
      "viewBox=\"0 0 {1:.0f} {2:.0f}\" width=\"{1:.0f}\" height=\"{2:.0f}\" font-family=\"sans-serif\" "
      "font-size=\"12\">\n<style>{3}</style>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\" "
      "class=\"paper\"/>\n{4}</svg>\n",
      name, width, height, plot_style(), out_);
}

}  // namespace espalier::eval

// Pages: one self-contained HTML document with tables and plots, light and dark, without scripts and without
// network. For `report` and `compare`. Tested in report_test.cc.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "espalier/base/result.h"
#include "espalier/eval/plot.h"

namespace espalier::report {

class Page {
 public:
  explicit Page(std::string title) : title_(std::move(title)) {}

  /// A section with a heading; `id` is what the list of contents leads to.
  void section(std::string_view id, std::string_view heading);
  void heading(std::string_view text);  ///< inside a section
  void paragraph(std::string_view text, std::string_view css_class = {});
  /// A command to copy.
  void command(std::string_view text);
  /// Cells are escaped. The first column is text, the others are numbers. A row may have a class.
  struct Row {
    std::vector<std::string> cells;
    std::string css_class = {};
  };
  void table(std::span<const std::string> head, std::span<const Row> rows);
  /// What cannot be drawn is left out: there was nothing to show.
  template <typename Plot>
  void plot(const Plot& plot) {
    if (const auto svg = eval::plot_svg(plot, eval::PlotUse::kPage); svg.ok())
      body_ += "<figure>" + *svg + "</figure>\n";
  }
  /// HTML that is used as it is.
  void html(std::string_view text) { body_ += text; }

  /// The whole document.
  std::string finish() const;

 private:
  std::string title_, contents_, body_;
  bool open_ = false;
};

}  // namespace espalier::report

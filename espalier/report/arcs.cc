#include "espalier/report/arcs.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "espalier/base/result.h"
#include "espalier/base/text/html.h"
#include "espalier/base/text/text.h"

namespace espalier::report {
namespace {

constexpr double kWordSize = 14, kLabelSize = 11;  // of the letters, as in the style sheet of Page
constexpr double kStep = 22;                       // height of a level
constexpr double kGap = 14;                        // between words
constexpr double kMargin = 6;

/// How wide a text is at most, as far as that can be told without its font.
double text_width(const std::string& text, double size) {
  double width = 0;
  for (size_t i = 0; i < text.size();) {
    const auto [value, length] = code_point_at(text, i);
    constexpr uint32_t kFirstWide = 0x2E80;  // Chinese, Japanese, Korean
    constexpr std::string_view kBroad = "@%mwMW";
    const bool broad = (value >= 'A' && value <= 'Z') ||
                       (value < 0x80 && kBroad.find(static_cast<char>(value)) != std::string_view::npos);
    width += size * (value >= kFirstWide ? 1.05 : broad ? 0.78 : 0.6);
    i += std::max<size_t>(1, length);
  }
  return width;
}

struct Picture {
  std::vector<double> middle;  // of the words
  double width = 0, above = 0, below = 0;

  /// One side of the picture: `up` is −1 above the words and 1 below them.
  double line(double up) const { return up < 0 ? above : above + kWordSize + 8; }
};

/// The arc to word `w`. Arcs end next to each other: those of a word's dependents on the side they come from.
void draw_arc(const Picture& at, const Tree& tree, size_t w, uint32_t level, double up, const char* css,
              std::string& out) {
  const double y = at.line(up), to = at.middle[w];
  if (tree.heads[w] == 0) {
    const double far = up < 0 ? kLabelSize + 4 : at.above + kWordSize + 8 + at.below - kLabelSize - 4;
    out += fmt::format("<path class=\"{}\" d=\"M{:.0f} {:.0f}V{:.0f}\"/>", css, to, far, y);
    out += fmt::format("<text class=\"l\" x=\"{:.0f}\" y=\"{:.0f}\">{}</text>", to,
                       up < 0 ? far - 3 : far + kLabelSize, html_escaped(tree.relations[w]));
  } else {
    const size_t h = tree.heads[w] - 1;
    const double from = at.middle[h] + (w < h ? -4.0 : 4.0), top = y + up * kStep * level;
    const double bend = std::min(10.0, std::abs(to - from) / 2) * (to > from ? 1 : -1), turn = -up * 10;
    out += fmt::format(
        "<path class=\"{}\" d=\"M{:.0f} {:.0f}V{:.0f}q0 {:.0f} {:.1f} {:.0f}H{:.1f}q{:.1f} 0 {:.1f} "
        "{:.0f}V{:.0f}\"/>",
        css, from, y, top + turn, -turn, bend, -turn, to - bend, bend, bend, turn, y);
    out += fmt::format("<text class=\"l\" x=\"{:.0f}\" y=\"{:.0f}\">{}</text>", (from + to) / 2,
                       up < 0 ? top - 3 : top + kLabelSize, html_escaped(tree.relations[w]));
  }
  // The point of the arrow.
  out += fmt::format("<path class=\"{} t\" d=\"M{:.1f} {:.1f}h6l-3 {:.0f}z\"/>", css, to - 3, y + up * 5,
                     -up * 5);
}

}  // namespace

std::vector<uint32_t> arc_levels(std::span<const uint32_t> heads) {
  struct Arc {
    uint32_t first, last, word;
  };
  std::vector<Arc> arcs;
  for (uint32_t w = 0; w < heads.size(); ++w)
    if (heads[w] > 0) arcs.push_back({std::min(w, heads[w] - 1), std::max(w, heads[w] - 1), w});
  std::stable_sort(arcs.begin(), arcs.end(),
                   [](const Arc& a, const Arc& b) { return a.last - a.first < b.last - b.first; });
  std::vector<uint32_t> levels(heads.size(), 0);
  for (size_t i = 0; i < arcs.size(); ++i) {
    uint32_t& level = levels[arcs[i].word] = 1;
    for (size_t j = 0; j < i; ++j) {
      const bool apart = arcs[j].last <= arcs[i].first || arcs[j].first >= arcs[i].last;
      if (!apart) level = std::max(level, levels[arcs[j].word] + 1);
    }
  }
  return levels;
}

std::string arcs_svg(std::span<const std::string> words, const Tree& gold, const Tree& found) {
  const size_t n = words.size();
  const auto right = [&](size_t w) {
    return found.heads[w] == gold.heads[w] && found.relations[w] == gold.relations[w];
  };
  // Gold arcs are drawn where they were missed; the others have no part in the heights.
  std::vector<uint32_t> missed(n, 0);
  bool root_missed = false;
  for (size_t w = 0; w < n; ++w) {
    if (!right(w)) missed[w] = gold.heads[w];
    root_missed = root_missed || (!right(w) && gold.heads[w] == 0);
  }
  const std::vector<uint32_t> levels = arc_levels(found.heads), missed_levels = arc_levels(missed);
  const auto height = [](const std::vector<uint32_t>& list, bool root) {
    const uint32_t most = list.empty() ? 0 : *std::max_element(list.begin(), list.end());
    return most == 0 && !root ? 0 : kStep * (most + (root ? 1 : 0)) + kLabelSize + 6;
  };
  Picture at;
  at.above = height(levels, true);
  at.below = height(missed_levels, root_missed);
  double x = kMargin;
  for (size_t w = 0; w < n; ++w) {
    // Room for the labels of short arcs.
    const double wide = std::max({text_width(words[w], kWordSize), text_width(found.relations[w], kLabelSize),
                                  right(w) ? 0 : text_width(gold.relations[w], kLabelSize)});
    at.middle.push_back(x + wide / 2);
    x += wide + kGap;
  }
  at.width = x - kGap + kMargin;
  size_t wrong = 0;
  for (size_t w = 0; w < n; ++w) wrong += right(w) ? 0 : 1;
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  const double all = at.above + kWordSize + 8 + at.below;
  std::string out = fmt::format(
      "<svg class=\"arcs\" role=\"img\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} {1:.0f}\" "
      "aria-label=\"{2}: {3} of {4} arcs are wrong\">",
      at.width, all, html_escaped(text), wrong, n);
  for (size_t w = 0; w < n; ++w) {
    draw_arc(at, found, w, levels[w], -1, right(w) ? "a" : "a p", out);
    if (!right(w)) draw_arc(at, gold, w, missed_levels[w], 1, "a g", out);
    out += fmt::format("<text x=\"{:.0f}\" y=\"{:.0f}\">{}</text>", at.middle[w], at.above + kWordSize + 2,
                       html_escaped(words[w]));
  }
  return out + "</svg>";
}

}  // namespace espalier::report

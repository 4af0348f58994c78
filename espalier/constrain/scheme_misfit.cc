#include "espalier/constrain/scheme_misfit.h"

#include <fmt/format.h>

#include <vector>

#include "espalier/base/text/format.h"

namespace espalier::constrain {
namespace {

/// Labels that can come after the beginning of a sequence, at any distance, or, not `forward`, before its
/// end.
std::vector<bool> reachable(size_t labels, std::span<const uint8_t> broken, bool forward) {
  const size_t width = labels + 1;
  std::vector<bool> seen(labels, false);
  std::vector<size_t> open = {labels};  // the edge
  while (!open.empty()) {
    const size_t from = open.back();
    open.pop_back();
    for (size_t to = 0; to < labels; ++to)
      if (!seen[to] && broken[forward ? from * width + to : to * width + from] == 0) {
        seen[to] = true;
        open.push_back(to);
      }
  }
  return seen;
}

}  // namespace

std::string scheme_misfit(const data::LabelSet& labels, data::Scheme scheme, std::string_view prefixes,
                          std::span<const uint8_t> broken) {
  const std::vector<bool> from_start = reachable(labels.size(), broken, true),
                          to_end = reachable(labels.size(), broken, false);
  size_t of_segments = 0, unusable = 0;
  data::Label example = 0;
  for (size_t y = 0; y < labels.size(); ++y) {
    const auto parts = data::parse_label(labels.name(static_cast<data::Label>(y)));
    if (!parts || parts->prefix == 'O') continue;
    ++of_segments;
    if (from_start[y] && to_end[y]) continue;
    if (unusable++ == 0) example = static_cast<data::Label>(y);
  }
  if (2 * unusable <= of_segments) return {};
  const std::string& name = labels.name(example);
  std::vector<std::string> missing;
  for (const char prefix : prefixes) {
    std::string wanted = fmt::format("{}-{}", prefix, data::parse_label(name)->type);
    if (prefix != 'O' && !labels.find(wanted)) missing.push_back(std::move(wanted));
  }
  return fmt::format(
      "the labels are not {0}: {1} of {2} could be in no segment, such as '{3}'; {0} would need labels such "
      "as {4}",
      data::scheme_name(scheme), unusable, of_segments, name, joined(missing, ", "));
}

}  // namespace espalier::constrain

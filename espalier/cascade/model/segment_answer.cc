#include "espalier/cascade/model/segment_answer.h"

namespace espalier::cascade {

using data::Label;

bool SegmentAnswer::sure(std::span<const BestShare> shares, const chain::SpanRules& rules,
                         std::span<const Label> labels) {
  constexpr double kLeast = data::kSegmentPrice + 1e-6;
  size_t stretch = 0;  // the first that does not end before the segment
  for (size_t t = 0; t < labels.size();) {
    if (rules.type(labels[t]) == chain::SpanRules::kOutside) {
      ++t;
      continue;
    }
    size_t end = t + 1;
    while (end < labels.size() && rules.continues(labels[end - 1], labels[end])) ++end;
    // The segment depends on the labels before and after it, too.
    while (stretch < shares.size() && shares[stretch].last + 1 < t) ++stretch;
    double probability = 1;
    for (size_t i = stretch; i < shares.size() && shares[i].first <= end; ++i) probability *= shares[i].share;
    if (probability < kLeast) return false;
    t = end;
  }
  return true;
}

bool SegmentAnswer::choose(const chain::WaysBack& ways, const chain::SpanRules& rules,
                           const data::LabelSet& names, data::Scheme scheme, std::vector<Label>& labels) {
  const std::span<const data::LikelySegment> found = likely(ways, rules);
  const std::vector<uint32_t>& chosen = choice_.choose(found, labels.size());
  // Mostly they are those of the best labelling.
  size_t same = 0, t = 0;
  while (t < labels.size()) {
    if (rules.type(labels[t]) == chain::SpanRules::kOutside) {
      ++t;
      continue;
    }
    size_t end = t + 1;
    while (end < labels.size() && rules.continues(labels[end - 1], labels[end])) ++end;
    if (same == chosen.size()) break;
    const data::LikelySegment& other = found[chosen[same]];
    if (other.first != t || other.last != end || other.type != rules.type(labels[t])) break;
    ++same;
    t = end;
  }
  if (t == labels.size() && same == chosen.size()) return false;
  std::vector<data::Span> segments;
  for (const uint32_t i : chosen)
    segments.push_back({found[i].first, found[i].last, rules.type_name(found[i].type)});
  std::vector<Label> others;
  if (!data::label_segments(segments, labels.size(), scheme, names, others)) return false;
  labels = std::move(others);
  return true;
}

}  // namespace espalier::cascade

#include "espalier/data/segment_choice.h"

#include <algorithm>

namespace espalier::data {

std::vector<Span> best_segments(std::span<const SpanConfidence> likely, size_t length) {
  constexpr size_t kNoSegment = SIZE_MAX;
  std::vector<std::vector<size_t>> ending(length + 1);
  for (size_t i = 0; i < likely.size(); ++i) {
    ESPALIER_CHECK(likely[i].first < likely[i].last && likely[i].last <= length);
    if (likely[i].probability > kSegmentPrice) ending[likely[i].last].push_back(i);
  }
  // best[e]: the largest sum of segments that end at e or before; taken[e]: the last of them, if it ends at
  // e.
  std::vector<double> best(length + 1, 0.0);
  std::vector<size_t> taken(length + 1, kNoSegment);
  for (size_t e = 1; e <= length; ++e) {
    best[e] = best[e - 1];
    for (const size_t i : ending[e]) {
      const double sum = best[likely[i].first] + likely[i].probability - kSegmentPrice;
      if (sum <= best[e]) continue;
      best[e] = sum;
      taken[e] = i;
    }
  }
  std::vector<Span> out;
  for (size_t e = length; e > 0;) {
    if (taken[e] == kNoSegment) {
      --e;
      continue;
    }
    const SpanConfidence& segment = likely[taken[e]];
    out.push_back({segment.first, segment.last, segment.type});
    e = segment.first;
  }
  std::reverse(out.begin(), out.end());
  return out;
}

bool label_segments(std::span<const Span> segments, size_t length, Scheme scheme, const LabelSet& labels,
                    std::vector<Label>& out) {
  out.clear();
  for (const std::string& name : encode(segments, length, scheme))
    out.push_back(labels.find(name).value_or(kNoLabel));
  return std::find(out.begin(), out.end(), kNoLabel) == out.end();
}

}  // namespace espalier::data

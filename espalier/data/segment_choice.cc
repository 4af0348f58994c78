#include "espalier/data/segment_choice.h"

#include <algorithm>

namespace espalier::data {

const std::vector<uint32_t>& SegmentChoice::choose(std::span<const LikelySegment> likely, size_t length) {
  constexpr uint32_t kNone = UINT32_MAX;
  first_ending_.assign(length + 1, kNone);
  next_ending_.resize(likely.size());
  for (size_t i = likely.size(); i-- > 0;) {
    ESPALIER_CHECK(likely[i].first < likely[i].last && likely[i].last <= length);
    if (likely[i].probability <= kSegmentPrice) continue;
    next_ending_[i] = first_ending_[likely[i].last];
    first_ending_[likely[i].last] = static_cast<uint32_t>(i);
  }
  // best_[e]: the largest sum of segments that end at e or before; taken_[e]: the last of them, if it ends at
  // e.
  best_.assign(length + 1, 0.0);
  taken_.assign(length + 1, kNone);
  for (size_t e = 1; e <= length; ++e) {
    best_[e] = best_[e - 1];
    for (uint32_t i = first_ending_[e]; i != kNone; i = next_ending_[i]) {
      const double sum = best_[likely[i].first] + likely[i].probability - kSegmentPrice;
      if (sum <= best_[e]) continue;
      best_[e] = sum;
      taken_[e] = i;
    }
  }
  chosen_.clear();
  for (size_t e = length; e > 0;) {
    if (taken_[e] == kNone) {
      --e;
      continue;
    }
    chosen_.push_back(taken_[e]);
    e = likely[taken_[e]].first;
  }
  std::reverse(chosen_.begin(), chosen_.end());
  return chosen_;
}

bool label_segments(std::span<const Span> segments, size_t length, Scheme scheme, const LabelSet& labels,
                    std::vector<Label>& out) {
  out.clear();
  const std::vector<std::string> names = encode(segments, length, scheme);
  std::string places;
  if (labels.refined())
    places = segment_places(std::vector<std::string_view>(names.begin(), names.end()), scheme);
  for (size_t t = 0; t < length; ++t)
    out.push_back(
        (labels.refined() ? labels.find(names[t], places[t]) : labels.find(names[t])).value_or(kNoLabel));
  return std::find(out.begin(), out.end(), kNoLabel) == out.end();
}

}  // namespace espalier::data

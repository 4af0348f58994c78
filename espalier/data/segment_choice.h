// Which of the segments that may be there to answer with: those with the largest expected F1.
#pragma once

#include <span>
#include <vector>

#include "espalier/data/label_scheme.h"
#include "espalier/data/label_set.h"
#include "espalier/data/predictor.h"

namespace espalier::data {

/// What a segment costs in best_segments(). F1 = 2·right / (gold + found) grows by a segment that is right
/// with probability p where p > F1/2, so this is half of the F1 that good models reach.
inline constexpr double kSegmentPrice = 0.45;

/// Of segments with their probabilities the disjoint ones with the largest Σ (probability − kSegmentPrice),
/// by their first row. Ties go to fewer segments, then to those that come first in `likely`. O(length +
/// segments). Precondition: segments end within `length`.
std::vector<Span> best_segments(std::span<const SpanConfidence> likely, size_t length);

/// The numbers of the labels that say these segments; false if the label set lacks one of them. Precondition:
/// a scheme other than kNone.
bool label_segments(std::span<const Span> segments, size_t length, Scheme scheme, const LabelSet& labels,
                    std::vector<Label>& out);

}  // namespace espalier::data

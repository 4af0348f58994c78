// Chooses the segments of an answer from the probabilities of all candidates: those with the largest expected
// F1.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "espalier/data/label_scheme.h"
#include "espalier/data/label_set.h"
#include "espalier/data/predictor.h"

namespace espalier::data {

/// What a segment costs in SegmentChoice. F1 = 2·right / (gold + found) grows by a segment that is right
/// with probability p where p > F1/2, so this is half of the F1 that good models reach.
inline constexpr double kSegmentPrice = 0.45;

/// A segment that may be there: rows [first, last). Its owner knows what the number of its type means.
struct LikelySegment {
  uint32_t first = 0, last = 0, type = 0;
  double probability = 0;
};

/// Chooses segments; buffers are reused.
class SegmentChoice {
 public:
  /// Of segments with their probabilities the disjoint ones with the largest Σ (probability −
  /// kSegmentPrice), by their first row, as places in `likely`. Ties go to fewer segments, then to those that
  /// come first in `likely`. O(length + segments). Precondition: segments end within `length`.
  const std::vector<uint32_t>& choose(std::span<const LikelySegment> likely, size_t length);

 private:
  std::vector<uint32_t> first_ending_, next_ending_;  ///< the segments that end at each row, as lists
  std::vector<double> best_;
  std::vector<uint32_t> taken_, chosen_;
};

/// The numbers of the labels that say these segments, of a refined set those with the right places; false if
/// the label set lacks one of them. Precondition: a scheme other than kNone.
bool label_segments(std::span<const Span> segments, size_t length, Scheme scheme, const LabelSet& labels,
                    std::vector<Label>& out);

}  // namespace espalier::data

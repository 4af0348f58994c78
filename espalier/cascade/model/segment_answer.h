// The answer of a cascade whose labels are segments: of the segments that its last level thinks likely, the
// disjoint ones with the largest expected F1 (data/segment_choice.h) instead of the best labelling as a
// whole. Tested in segment_answer_test.cc against the enumeration of all paths.
#pragma once

#include <span>
#include <vector>

#include "espalier/chain/ways_back.h"
#include "espalier/data/segment_choice.h"

namespace espalier::cascade {

/// Finds and chooses segments. One object per thread; buffers are reused.
class SegmentAnswer {
 public:
  /// All segments with a probability above kSegmentPrice, exactly.
  std::span<const data::LikelySegment> likely(const chain::WaysBack& ways, const chain::SpanRules& rules) {
    return finder_.find(ways, rules, data::kSegmentPrice);
  }
  /// Replaces `labels`, the best labelling, if the segments with the largest expected F1 are others and
  /// `labels` can say them. True if it did.
  bool choose(const chain::WaysBack& ways, const chain::SpanRules& rules, const data::LabelSet& names,
              data::Scheme scheme, std::vector<data::Label>& labels);

 private:
  chain::SegmentFinder finder_;
  data::SegmentChoice choice_;
};

}  // namespace espalier::cascade

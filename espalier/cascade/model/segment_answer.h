// The answer of a cascade whose labels are segments: of the segments that its last level thinks likely, the
// disjoint ones with the largest expected F1 (data/segment_choice.h) instead of the best labelling as a
// whole. Tested in segment_answer_test.cc against the enumeration of all paths.
#pragma once

#include <span>
#include <vector>

#include "espalier/cascade/triple_level.h"
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
  /// What a best labelling must have of the ways through each stretch to be sure().
  static constexpr double kSureShare = 1 - data::kSegmentPrice + 1e-6;
  /// Whether choose() would leave the best labelling as it is, for all that its shares tell: segments of it
  /// are likelier than kSegmentPrice and no others are. Precondition: no share is below kSureShare. (A
  /// segment that is not the best labelling's contradicts it at some pair of neighbours, which are in one
  /// stretch, so it is on none of the best ways through that.)
  static bool sure(std::span<const BestShare> shares, const chain::SpanRules& rules,
                   std::span<const data::Label> labels);
  /// Replaces `labels`, the best labelling, if the segments with the largest expected F1 are others and
  /// `labels` can say them. True if it did.
  bool choose(const chain::WaysBack& ways, const chain::SpanRules& rules, const data::LabelSet& names,
              data::Scheme scheme, std::vector<data::Label>& labels);

 private:
  chain::SegmentFinder finder_;
  data::SegmentChoice choice_;
};

}  // namespace espalier::cascade

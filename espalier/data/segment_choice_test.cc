#include "espalier/data/segment_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "espalier/base/random.h"

namespace espalier::data {
namespace {

using ::testing::ElementsAre;

TEST(SegmentChoice, IsTheBestOfAllSetsOfDisjointSegments) {
  Random random(5);
  SegmentChoice choice;  // buffers are used again
  for (int round = 0; round < 200; ++round) {
    const size_t length = 1 + random.below(6);
    std::vector<LikelySegment> likely(random.below(8));
    for (LikelySegment& segment : likely) {
      segment.first = static_cast<uint32_t>(random.below(length));
      segment.last = segment.first + 1 + static_cast<uint32_t>(random.below(length - segment.first));
      segment.type = static_cast<uint32_t>(random.below(2));
      segment.probability = random.uniform();
    }
    double wanted = 0;
    for (size_t set = 0; set < size_t{1} << likely.size(); ++set) {
      std::vector<int> covered(length, 0);
      double sum = 0;
      for (size_t i = 0; i < likely.size(); ++i) {
        if ((set >> i & 1) == 0) continue;
        sum += likely[i].probability - kSegmentPrice;
        for (size_t t = likely[i].first; t < likely[i].last; ++t) ++covered[t];
      }
      if (std::all_of(covered.begin(), covered.end(), [](int n) { return n <= 1; }))
        wanted = std::max(wanted, sum);
    }
    const std::vector<uint32_t>& found = choice.choose(likely, length);
    double sum = 0;
    for (size_t i = 0; i < found.size(); ++i) {
      if (i > 0) {
        EXPECT_LE(likely[found[i - 1]].last, likely[found[i]].first);
      }
      sum += likely[found[i]].probability - kSegmentPrice;
    }
    EXPECT_NEAR(sum, wanted, 1e-12);
  }
}

TEST(SegmentChoice, PrefersWhatIsLikelyBitByBitToTheLikeliestWhole) {
  // The best labelling as a whole need not have the segments that are most often right.
  const std::vector<LikelySegment> likely = {{0, 3, 0, 0.4}, {0, 2, 0, 0.6}, {2, 3, 1, 0.5}};
  SegmentChoice choice;
  EXPECT_THAT(choice.choose(likely, 4), ElementsAre(1, 2));
  EXPECT_THAT(choice.choose({}, 4), ElementsAre());
}

TEST(SegmentChoice, LabelsSegmentsUnlessALabelIsMissing) {
  LabelSet labels;
  for (const char* name : {"O", "B-NP", "I-NP", "B-PP"}) labels.add(name);
  std::vector<Label> out;
  EXPECT_TRUE(label_segments(std::vector<Span>{{1, 3, "NP"}, {3, 4, "PP"}}, 5, Scheme::kIob2, labels, out));
  EXPECT_THAT(out, ElementsAre(0, 1, 2, 3, 0));
  EXPECT_FALSE(label_segments(std::vector<Span>{{0, 2, "PP"}}, 2, Scheme::kIob2, labels, out));
}

}  // namespace
}  // namespace espalier::data

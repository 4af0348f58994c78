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
  for (int round = 0; round < 200; ++round) {
    const size_t length = 1 + random.below(6);
    std::vector<SpanConfidence> likely(random.below(8));
    for (SpanConfidence& segment : likely) {
      segment.first = random.below(length);
      segment.last = segment.first + 1 + random.below(length - segment.first);
      segment.type = random.below(2) == 0 ? "A" : "B";
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
    const std::vector<Span> found = best_segments(likely, length);
    double sum = 0;
    for (size_t i = 0; i < found.size(); ++i) {
      if (i > 0) {
        EXPECT_LE(found[i - 1].last, found[i].first);
      }
      double best = -1;  // of those listed twice
      for (const SpanConfidence& segment : likely)
        if (segment.first == found[i].first && segment.last == found[i].last && segment.type == found[i].type)
          best = std::max(best, segment.probability);
      ASSERT_GE(best, 0);
      sum += best - kSegmentPrice;
    }
    EXPECT_NEAR(sum, wanted, 1e-12);
  }
}

TEST(SegmentChoice, PrefersWhatIsLikelyBitByBitToTheLikeliestWhole) {
  // The best labelling as a whole need not have the segments that are most often right.
  const std::vector<SpanConfidence> likely = {{0, 3, "NP", 0.4}, {0, 2, "NP", 0.6}, {2, 3, "PP", 0.5}};
  EXPECT_THAT(best_segments(likely, 4), ElementsAre(Span{0, 2, "NP"}, Span{2, 3, "PP"}));
  EXPECT_THAT(best_segments({}, 4), ElementsAre());
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

#include "espalier/cascade/label_level.h"

#include <gtest/gtest.h>

#include "espalier/base/array.h"
#include "espalier/base/random.h"
#include "espalier/cascade/threshold.h"
#include "espalier/cascade/training/stages.h"
#include "espalier/linear/rows.h"

namespace espalier::cascade {
namespace {

TEST(LabelLevel, KeepsWhatRatingsKeep) {
  const Random root(51);
  LabelLevel level;  // buffers are used again
  AliveLabels alive;
  size_t single = 0, several = 0;
  for (uint64_t i = 0; i < 600; ++i) {
    Random random = root.split(i);
    const size_t T = 1 + random.below(6), K = 1 + random.below(LabelLevel::kMostLabels);
    const size_t S = linear::padded(K);
    AlignedVector<float> node(T * S, 0.0f);
    for (size_t t = 0; t < T; ++t)
      for (size_t j = 0; j < K; ++j) {
        const double score = i % 50 == 0 ? 1.0 : 2 * random.gaussian();  // all the same: all are rated 1
        node[t * S + j] = static_cast<float>(i % 3 == 0 ? std::round(score) : score);
      }
    const PriorMean prior{i % 4 == 0 ? 0.0 : 2.0, i % 4 == 0 ? 0.0 : 10.0};
    RatingScratch scratch;
    std::vector<float> ratings;
    find_unigram_ratings(node.data(), T, K, S, Measure::kMaxMarginal, prior, scratch, ratings);
    // Some thresholds are ratings, so that rounding decides.
    const double alpha = i % 7 == 0   ? kKeepAll
                         : i % 2 == 0 ? static_cast<double>(ratings[random.below(ratings.size())])
                                      : 1.3 * random.uniform() - 0.3;
    const AliveLabels expected = keep_labels(ratings, K, alpha, {}, {});
    level.filter(node.data(), T, K, S, prior, alpha, alive);
    EXPECT_EQ(alive.begin, expected.begin) << i;
    EXPECT_EQ(alive.label, expected.label) << i;
    for (size_t t = 0; t < T; ++t) (alive.begin[t + 1] - alive.begin[t] == 1 ? single : several) += 1;
  }
  EXPECT_GT(single, 100u);
  EXPECT_GT(several, 100u);
}

}  // namespace
}  // namespace espalier::cascade

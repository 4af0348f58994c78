#include "espalier/linear/whole_rows.h"

#include <gtest/gtest.h>

#include "espalier/linear/random_rows.h"

namespace espalier::linear {
namespace {

/// Rows of which the first are full, as those of frequent features, and others of every kind.
StateRows rows_in_training(uint32_t width) {
  StateRows layout;
  layout.width = width;
  for (int r = 0; r < 20; ++r) {
    for (uint32_t c = 0; c < width; ++c) layout.column.push_back(static_cast<uint16_t>(c));
    layout.begin.push_back(static_cast<uint32_t>(layout.column.size()));
  }
  const RandomRows more(width, 40, width);
  const size_t first = layout.column.size();
  layout.column.insert(layout.column.end(), more.layout.column.begin(), more.layout.column.end());
  for (size_t r = 1; r < more.layout.begin.size(); ++r)
    layout.begin.push_back(static_cast<uint32_t>(first + more.layout.begin[r]));
  return layout;
}

TEST(WholeRows, SumsAreThoseOfTheWeightsToTheLastBit) {
  for (uint32_t width = 1; width <= WholeRows::kWidest; ++width) {
    const StateRows layout = rows_in_training(width);
    AlignedVector<float> weights = make_weights(layout.weights());
    WholeRows whole(layout);
    Random random(width);
    for (int step = 0; step < 30; ++step) {
      for (int change = 0; change < 10; ++change) {
        const auto f =
            static_cast<uint32_t>(random.below(layout.rows() / 2) * 2);  // half never gets a weight
        if (layout.begin[f] == layout.begin[f + 1]) continue;
        const auto at = layout.begin[f] + random.below(layout.begin[f + 1] - layout.begin[f]);
        weights[at] = static_cast<float>(random.below(65535)) - WholeRows::kLargest;
        whole.set(f, layout.column[at], weights[at]);
      }
      std::vector<uint32_t> features(random.below(60));
      for (uint32_t& f : features) f = static_cast<uint32_t>(random.below(layout.rows()));
      ASSERT_TRUE(whole.can_sum(features.size()));
      AlignedVector<float> fast(padded(width), 3.0f), plain(padded(width), 3.0f);
      whole.add_to(layout, weights.data(), features, fast.data());
      add_rows_plain(layout, weights.data(), features, nullptr, plain.data());
      for (uint32_t c = 0; c < width; ++c) ASSERT_EQ(fast[c], plain[c]) << "width " << width;
    }
  }
}

TEST(WholeRows, EndAtTheFirstWeightThatDoesNotFit) {
  const StateRows layout = rows_in_training(5);
  for (const float w : {0.5f, 32768.0f, -32768.0f, 1e30f, -1e-9f}) {
    WholeRows whole(layout);
    whole.set(3, 1, -7);
    EXPECT_TRUE(whole.in_use());
    whole.set(3, 1, w);
    EXPECT_FALSE(whole.in_use()) << w;
    whole.set(3, 1, 2);
    EXPECT_FALSE(whole.can_sum(1)) << "does not begin again";
  }
}

TEST(WholeRows, ArePassedOverWhereSumsMightNotBeExactOrRowsAreWide) {
  EXPECT_FALSE(WholeRows().in_use());
  EXPECT_FALSE(WholeRows(rows_in_training(WholeRows::kWidest + 1)).in_use());
  EXPECT_FALSE(WholeRows(rows_in_training(3)).can_sum(WholeRows::kMostFeatures + 1));
}

}  // namespace
}  // namespace espalier::linear

#include "espalier/linear/rows.h"

#include <gtest/gtest.h>

#include "espalier/linear/random_rows.h"

namespace espalier::linear {
namespace {

TEST(RowsTest, VectorSumsAgreeWithPlainOnesAtEveryWidth) {
  for (uint32_t width = 1; width <= 70; ++width) {
    const RandomRows rows(width, 50, width);
    const std::vector<uint32_t> features = rows.draw_features(30);
    const std::vector<float> values = rows.draw_values(30);
    for (const float* v : {static_cast<const float*>(nullptr), values.data()}) {
      AlignedVector<float> fast(padded(width), 0.5f), plain(padded(width), 0.5f);
      add_rows(rows.layout, rows.weights.data(), features, v, fast.data());
      add_rows_plain(rows.layout, rows.weights.data(), features, v, plain.data());
      for (uint32_t c = 0; c < width; ++c) ASSERT_NEAR(fast[c], plain[c], 1e-4) << "width " << width;
    }
  }
}

TEST(RowsTest, PaddingLanesStayFinite) {
  const RandomRows rows(1, 20, 3);
  AlignedVector<float> scores(padded(3), 0.0f);
  add_rows(rows.layout, rows.weights.data(), rows.draw_features(40), nullptr, scores.data());
  for (const float x : scores) EXPECT_TRUE(std::isfinite(x));
}

TEST(RowsTest, NoFeaturesAddNothing) {
  const RandomRows rows(1, 20, 9);
  AlignedVector<float> scores(padded(9), 2.0f);
  add_rows(rows.layout, rows.weights.data(), {}, nullptr, scores.data());
  for (const float x : scores) EXPECT_EQ(x, 2);
}

TEST(RowsTest, AFeatureTwiceCountsTwice) {
  const RandomRows rows(1, 20, 9);
  AlignedVector<float> once(padded(9), 0.0f), twice(padded(9), 0.0f);
  add_rows(rows.layout, rows.weights.data(), std::vector<uint32_t>{4}, nullptr, once.data());
  add_rows(rows.layout, rows.weights.data(), std::vector<uint32_t>{4, 4}, nullptr, twice.data());
  for (size_t c = 0; c < 9; ++c) EXPECT_FLOAT_EQ(twice[c], 2 * once[c]);
}

}  // namespace
}  // namespace espalier::linear

#include "espalier/linear/rows.h"

#include <gtest/gtest.h>

#include "espalier/base/random.h"
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

TEST(RowsTest, AFewColumnsGetTheSumsThatAllGet) {
  for (const uint32_t width : {3u, 17u, 40u, 70u}) {
    const RandomRows rows(width, 50, width);
    const std::vector<uint32_t> features = rows.draw_features(30);
    const std::vector<float> values = rows.draw_values(30);
    for (const float* v : {static_cast<const float*>(nullptr), values.data()})
      for (uint32_t n = 0; n <= std::min(width, 12u); ++n) {
        std::vector<uint16_t> columns;
        for (uint32_t i = 0; i < n; ++i) columns.push_back(static_cast<uint16_t>(i * width / n));
        AlignedVector<float> few(padded(width), 0.5f), plain(padded(width), 0.5f);
        add_rows_of_columns(rows.layout, rows.weights.data(), features, v, columns, few.data());
        add_rows_plain(rows.layout, rows.weights.data(), features, v, plain.data());
        for (const uint16_t c : columns) ASSERT_NEAR(few[c], plain[c], 1e-4) << n << " of " << width;
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

TEST(RowsTest, TheLargestIsFoundAtEveryLengthTheFirstOfEquals) {
  Random random(11);
  for (size_t n = 1; n <= 70; ++n)
    for (int trial = 0; trial < 20; ++trial) {
      std::vector<float> numbers(n);
      for (float& x : numbers) x = static_cast<float>(random.below(8)) - 6;  // few values: many equals
      EXPECT_EQ(place_of_largest(numbers), place_of_largest_plain(std::span<const float>(numbers)));
      std::vector<float> others(n), sums(n);
      for (size_t i = 0; i < n; ++i) {
        others[i] = static_cast<float>(random.below(8)) - 6;
        sums[i] = numbers[i] + others[i];
      }
      EXPECT_EQ(place_of_largest_sum(numbers.data(), others.data(), n),
                place_of_largest_plain(std::span<const float>(sums)));
    }
}

TEST(RowsTest, PaddedRowsAddUp) {
  const size_t stride = padded(19);
  AlignedVector<float> a(stride), b(stride), sum(stride);
  for (size_t c = 0; c < stride; ++c) {
    a[c] = static_cast<float>(c);
    b[c] = 0.5f;
  }
  sum_padded(a.data(), b.data(), stride, sum.data());
  add_padded(b.data(), stride, sum.data());
  add_padded(-4.0f, b.data(), stride, sum.data());
  for (size_t c = 0; c < stride; ++c) EXPECT_EQ(sum[c], a[c] - 1);
}

}  // namespace
}  // namespace espalier::linear

#include "espalier/base/growing_array.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>

namespace espalier {
namespace {

TEST(GrowingArray, KeepsWhatItHasAndAddsZeros) {
  GrowingArray<float> array;
  EXPECT_EQ(array.size(), 0u);
  size_t n = 0;
  for (const size_t more : {1, 7, 1016, 1, 5000, 200'000, 3'000'000}) {
    array.resize(n + more);
    ASSERT_EQ(array.size(), n + more);
    for (size_t i = 0; i < n; ++i) ASSERT_EQ(array[i], static_cast<float>(i % 1000) + 1);
    for (size_t i = n; i < n + more; ++i) {
      ASSERT_EQ(array[i], 0);
      array[i] = static_cast<float>(i % 1000) + 1;
    }
    n += more;
    ASSERT_EQ(reinterpret_cast<uintptr_t>(array.data()) % 64, 0u);
  }
}

TEST(GrowingArray, CopiesAreIndependentAndMovesLeaveNothing) {
  GrowingArray<float> array;
  array.resize(3000);
  std::iota(array.begin(), array.end(), 0.0f);
  GrowingArray<float> copy = array;
  EXPECT_EQ(copy, array);
  copy[5] = -1;
  EXPECT_EQ(array[5], 5);
  EXPECT_FALSE(copy == array);
  GrowingArray<float> moved = std::move(copy);
  EXPECT_EQ(moved[5], -1);
  EXPECT_EQ(copy.size(), 0u);  // NOLINT(bugprone-use-after-move)
  copy = moved;
  moved = {};
  EXPECT_EQ(moved.size(), 0u);
  EXPECT_EQ(copy[5], -1);
}

}  // namespace
}  // namespace espalier

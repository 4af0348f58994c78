#include "espalier/data/attribute_values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace espalier::data {
namespace {

TEST(AttributeValues, AreUsableWhileSumsOfTheirSquaresAreFloats) {
  for (const float value : {0.0f, -1.0f, 1e9f, -1e15f}) EXPECT_TRUE(usable_value(value)) << value;
  for (const float value :
       {1.1e15f, -1e30f, std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()})
    EXPECT_FALSE(usable_value(value)) << value;
}

TEST(AttributeValues, ARemarkNamesTheLargestAndItsPlace) {
  Sequence sequence;
  sequence.clear(0);
  sequence.begin_row("", 7);
  sequence.add_attribute("small", 2);
  LargestValue largest;
  largest.look_at(sequence, "a.items");
  EXPECT_EQ(largest.remark(), "");
  sequence.begin_row("", 8);
  sequence.add_attribute("time", -1.7e9f);
  sequence.add_attribute("other", 1e6f);
  largest.look_at(sequence, "b.items");
  EXPECT_THAT(largest.remark(),
              testing::StartsWith("b.items:8: attribute 'time' has a value of size 1.7e+09;"));
}

}  // namespace
}  // namespace espalier::data

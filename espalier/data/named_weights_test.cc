#include "espalier/data/named_weights.h"

#include <gtest/gtest.h>

namespace espalier::data {
namespace {

TEST(Strongest, weights_far_from_zero_come_first_whatever_their_sign) {
  const auto found = strongest_of({{"a", 0, .5f}, {"b", 1, -2.f}, {"c", 2, 1.f}}, 2);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].feature, "b");
  EXPECT_EQ(found[0].weight, -2);
  EXPECT_EQ(found[1].feature, "c");
}

TEST(Strongest, equal_weights_stand_by_name_and_label) {
  const auto found = strongest_of({{"b", 0, 1.f}, {"a", 1, -1.f}, {"a", 0, 1.f}}, 9);
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].feature + "/" + std::to_string(found[0].label), "a/0");
  EXPECT_EQ(found[1].feature + "/" + std::to_string(found[1].label), "a/1");
  EXPECT_EQ(found[2].feature, "b");
}

TEST(Strongest, names_are_taken_line_by_line_and_half_a_line_is_none) {
  std::string_view names = "one\n\ntwo";
  EXPECT_EQ(take_name(names), "one");
  EXPECT_EQ(take_name(names), "");
  EXPECT_EQ(take_name(names), std::nullopt);
}

}  // namespace
}  // namespace espalier::data

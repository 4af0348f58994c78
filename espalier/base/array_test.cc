#include "espalier/base/array.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

namespace espalier {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(AlignedVector, StartsOnACacheLineHoweverItGrows) {
  AlignedVector<char> bytes;
  AlignedVector<double> numbers;
  for (int i = 0; i < 3000; ++i) {
    bytes.push_back('x');
    numbers.push_back(i);
    ASSERT_EQ(reinterpret_cast<uintptr_t>(bytes.data()) % 64, 0u);
    ASSERT_EQ(reinterpret_cast<uintptr_t>(numbers.data()) % 64, 0u);
  }
  EXPECT_EQ(numbers[2999], 2999);
}

TEST(Ragged, HoldsListsOfDifferentLengths) {
  Ragged<int> lists;
  EXPECT_TRUE(lists.empty());
  lists.push(1);
  lists.push(2);
  EXPECT_EQ(lists.size(), 0u) << "the open list does not count yet";
  lists.close();
  lists.close();
  lists.append(std::array{3, 4, 5});
  ASSERT_EQ(lists.size(), 3u);
  EXPECT_FALSE(lists.empty());
  EXPECT_THAT(lists[0], ElementsAre(1, 2));
  EXPECT_THAT(lists[1], IsEmpty());
  EXPECT_THAT(lists[2], ElementsAre(3, 4, 5));
}

TEST(Ragged, ListsCanBeChangedInPlaceAndCleared) {
  Ragged<int> lists;
  lists.append(std::array{1, 2});
  lists.append(std::array{3});
  lists[0][1] = 7;
  const Ragged<int>& view = lists;
  EXPECT_THAT(view[0], ElementsAre(1, 7));
  EXPECT_THAT(view[1], ElementsAre(3));
  lists.clear();
  EXPECT_TRUE(lists.empty());
  lists.append(std::array{9});
  EXPECT_THAT(lists[0], ElementsAre(9));
}

TEST(RoundUp, GivesTheNextMultiple) {
  EXPECT_EQ(round_up(0, 64), 0u);
  EXPECT_EQ(round_up(1, 64), 64u);
  EXPECT_EQ(round_up(64, 64), 64u);
  EXPECT_EQ(round_up(65, 64), 128u);
  EXPECT_EQ(round_up(7, 1), 7u);
}

}  // namespace
}  // namespace espalier

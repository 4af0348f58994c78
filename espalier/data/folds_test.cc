#include "espalier/data/folds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <vector>

#include "espalier/base/result.h"

namespace espalier::data {
namespace {

TEST(Folds, SizesDifferByOneAtMostWhateverTheLength) {
  for (const size_t length : {1u, 9u, 10u, 11u, 1234u}) {
    std::vector<size_t> sizes(10);
    for (size_t i = 0; i < length; ++i) ++sizes.at(static_cast<size_t>(fold_of(i, 10, 7)));
    const auto [low, high] = std::minmax_element(sizes.begin(), sizes.end());
    EXPECT_LE(*high - *low, 1u) << length;
  }
}

TEST(Folds, DoNotDependOnTheOrderOfTheQuestions) {
  std::vector<int> forwards, backwards;
  for (size_t i = 0; i < 1000; ++i) forwards.push_back(fold_of(i, 5, 1));
  for (size_t i = 1000; i-- > 0;) {
    fold_of(i, 7, 2);  // other questions in between
    backwards.push_back(fold_of(i, 5, 1));
  }
  std::reverse(backwards.begin(), backwards.end());
  EXPECT_EQ(forwards, backwards);
}

TEST(Folds, StayWhatTheyWereInEarlierVersions) {
  const int expected[] = {1, 2, 4, 3, 0, 2, 4, 3, 1, 0, 3, 0, 2, 4, 1};
  for (size_t i = 0; i < std::size(expected); ++i) EXPECT_EQ(fold_of(i, 5, 1), expected[i]) << i;
}

TEST(Folds, DifferBySeed) {
  size_t same = 0;
  for (size_t i = 0; i < 1000; ++i) same += fold_of(i, 5, 1) == fold_of(i, 5, 2);
  EXPECT_LT(same, 300u);
  EXPECT_GT(same, 100u);
}

TEST(Folds, EveryOrderOfARunIsDrawnEquallyOften) {
  std::map<std::vector<int>, int> orders;
  constexpr size_t kRuns = 6000;
  for (size_t run = 0; run < kRuns; ++run)
    ++orders[{fold_of(3 * run, 3, 4), fold_of(3 * run + 1, 3, 4), fold_of(3 * run + 2, 3, 4)}];
  ASSERT_EQ(orders.size(), 6u);
  for (const auto& [order, count] : orders) EXPECT_NEAR(count, 1000, 130);
}

TEST(Folds, NoFoldsAreABrokenContract) {
  EXPECT_EQ(fold_of(17, 1, 3), 0);
  EXPECT_THROW(fold_of(0, 0, 1), ContractViolation);
}

}  // namespace
}  // namespace espalier::data

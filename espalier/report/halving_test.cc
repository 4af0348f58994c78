#include "espalier/report/halving.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace espalier::report {
namespace {

using testing::ElementsAre;

std::vector<size_t> names(const std::vector<Standing>& standings) {
  std::vector<size_t> out;
  for (const Standing& standing : standings) out.push_back(standing.candidate);
  return out;
}

TEST(Halving, TheBetterHalfGoesOn) {
  const std::vector<Standing> all = {
      {0, 90, 1, false}, {1, 93, 1, true}, {2, 91, 1, false}, {3, 92, 1, false}};
  EXPECT_THAT(names(who_goes_on(all, 2, 1000)), ElementsAre(1, 3));
}

TEST(Halving, WhoIsTiedWithTheBestGoesOnToo) {
  const std::vector<Standing> all = {
      {0, 92.9, 1, true}, {1, 93, 1, true}, {2, 92.8, 1, true}, {3, 50, 1, false}};
  EXPECT_THAT(names(who_goes_on(all, 2, 1000)), ElementsAre(1, 0, 2));
}

TEST(Halving, TheTimeIsKept) {
  const std::vector<Standing> all = {
      {0, 95, 10, true}, {1, 94, 100, true}, {2, 93, 10, true}, {3, 92, 1, true}};
  // 20 + 20 + 2 seconds fit into 45; the second, which would take 200, is left out.
  EXPECT_THAT(names(who_goes_on(all, 2, 45)), ElementsAre(0, 2, 3));
  EXPECT_THAT(names(who_goes_on(all, 2, 1)), ElementsAre(0)) << "the best always goes on";
  EXPECT_TRUE(who_goes_on({}, 2, 10).empty());
}

TEST(Halving, OneSlowCandidateCannotTakeAllTime) {
  EXPECT_DOUBLE_EQ(longest_trial(100, 10, 600, 500), 30);
  EXPECT_DOUBLE_EQ(longest_trial(10, 10, 600, 500), 30) << "a twentieth of the budget";
  EXPECT_DOUBLE_EQ(longest_trial(100, 1, 600, 50), 50) << "never more than what is left";
}

}  // namespace
}  // namespace espalier::report

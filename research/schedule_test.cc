#include "research/schedule.h"

#include <gtest/gtest.h>

namespace espalier::research {
namespace {

Result<Report> no_report(const Request&) { return Report(); }

TEST(Schedule, TheLongestFirstAndWhatMeasuresTimeAloneAtTheEnd) {
  const Experiment all[] = {{"a", "", {}, no_report, 1},
                            {"b", "", {}, no_report, 9, true},
                            {"c", "", {}, no_report, 5},
                            {"d", "", {}, no_report, 1}};
  const Schedule found = schedule(all);
  ASSERT_EQ(found.side_by_side.size(), 3u);
  EXPECT_EQ(found.side_by_side[0]->name, "c");
  EXPECT_EQ(found.side_by_side[1]->name, "a");
  EXPECT_EQ(found.side_by_side[2]->name, "d");
  ASSERT_EQ(found.alone.size(), 1u);
  EXPECT_EQ(found.alone[0]->name, "b");
}

TEST(Schedule, TakesAsLongAsTheBusierCoreAndWhatRunsAlone) {
  const std::vector<double> together = {10, 6, 5}, alone = {2, 1};
  EXPECT_DOUBLE_EQ(minutes_to_go(together, alone, 2), 14);  // 10 next to 6 + 5
  EXPECT_DOUBLE_EQ(minutes_to_go(together, alone, 1), 24);
  EXPECT_DOUBLE_EQ(minutes_to_go(together, {}, 3), 10);
  const std::vector<double> running = {20, 1};
  EXPECT_DOUBLE_EQ(minutes_to_go(together, alone, 2, running), 25);
  EXPECT_DOUBLE_EQ(minutes_to_go({}, {}, 2), 0);
}

TEST(SecondsLeft, FollowsThePaceOfWhatIsDone) {
  EXPECT_DOUBLE_EQ(seconds_left(10, 0, 0), 600);
  EXPECT_DOUBLE_EQ(seconds_left(0, 5, 300), 0);
  EXPECT_NEAR(seconds_left(10, 5, 300), 600, 1e-9);
  // An hour's work took two: what is left takes twice as long, nearly.
  EXPECT_GT(seconds_left(10, 60, 7200), 1150);
  EXPECT_LT(seconds_left(10, 60, 7200), 1200);
}

}  // namespace
}  // namespace espalier::research

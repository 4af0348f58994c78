#include "espalier/base/team.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "espalier/base/thread_ranks.h"

namespace espalier {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(TeamTest, OneRankNeedsNobody) {
  const Team team;
  EXPECT_TRUE(team.alone());
  EXPECT_EQ(team.sum(7), 7);
  EXPECT_THAT(team.gather(std::vector<int>{1, 2}).items, ElementsAre(1, 2));
  EXPECT_THAT(team.exchange(std::vector<std::vector<int>>{{3}}).items, ElementsAre(3));
  EXPECT_TRUE(team.agree({}).ok());
}

TEST(TeamTest, GathersExchangesAndSumsInTheOrderOfTheRanks) {
  run_ranks(3, [](Ranks& ranks) {
    const Team team(&ranks);
    const int rank = static_cast<int>(team.rank());
    const Gathered<int> all = team.gather(std::vector<int>(team.rank(), rank));
    EXPECT_THAT(all.items, ElementsAre(1, 2, 2));
    EXPECT_THAT(all.begin, ElementsAre(0, 0, 1, 3));
    std::vector<std::vector<int>> to;
    for (int r = 0; r < 3; ++r) to.push_back(std::vector<int>(static_cast<size_t>(r), 10 * rank + r));
    const Gathered<int> got = team.exchange(to);
    for (int r = 0; r < 3; ++r)
      EXPECT_EQ(std::vector<int>(got[static_cast<size_t>(r)].begin(), got[static_cast<size_t>(r)].end()),
                std::vector<int>(team.rank(), 10 * r + rank));
    std::vector<int64_t> sums{1, rank};
    team.sum(sums);
    EXPECT_THAT(sums, ElementsAre(3, 3));
    std::vector<uint8_t> largest{static_cast<uint8_t>(rank), static_cast<uint8_t>(9 - rank), 4};
    team.max(largest);
    EXPECT_THAT(largest, ElementsAre(2, 9, 4));
    std::vector<int> shared;
    if (team.first()) shared = {4, 5, 6};
    team.share(shared);
    EXPECT_THAT(shared, ElementsAre(4, 5, 6));
  });
}

TEST(TeamTest, AgreesOnTheErrorOfTheLowestPlace) {
  run_ranks(4, [](Ranks& ranks) {
    const Team team(&ranks);
    const Status mine = team.rank() == 0 ? Status() : Status(Error{"at " + std::to_string(team.rank())});
    const Status all = team.agree(mine, 10 - team.rank());
    ASSERT_FALSE(all.ok());
    EXPECT_EQ(all.error().message, "at 3");
    EXPECT_TRUE(team.agree({}).ok());
  });
}

TEST(TeamTest, ARankThatLeavesEndsTheOthersWithItsMessage) {
  run_ranks(3, [](Ranks& ranks) {
    const Team team(&ranks);
    EXPECT_EQ(team.sum(1), 3);
    if (team.rank() == 1) {
      std::string message = "no more disk";
      EXPECT_EQ(end_together(ranks, 1, message), 1);
      return;
    }
    try {
      team.sum(1);
      ADD_FAILURE() << "the rank went on";
    } catch (const AnotherRankFailed& failure) {
      EXPECT_THAT(failure.what(), HasSubstr("rank 1 on thread1: no more disk"));
    }
  });
}

TEST(TeamTest, EndsWithTheHighestStatusAndTheFirstMessage) {
  run_ranks(3, [](Ranks& ranks) {
    std::string message = ranks.rank() == 0 ? "" : "rank " + std::to_string(ranks.rank());
    EXPECT_EQ(end_together(ranks, ranks.rank(), message), 2);
    EXPECT_EQ(message, "rank 1");
  });
}

TEST(TeamTest, StopsOnAllRanksAtTheSameCall) {
  std::atomic<bool> stop{false};
  run_ranks(3, [&](Ranks& ranks) {
    Monitor caller;
    if (ranks.rank() == 2) caller.stop = &stop;  // one rank alone is asked
    const Team team(&ranks, caller);
    int calls = 0;
    while (!team.monitor().stop_requested()) {
      if (ranks.rank() == 2 && calls == 5) stop = true;
      team.sum(1);
      ++calls;
    }
    EXPECT_EQ(calls, 6);
  });
}

TEST(TeamTest, NoticesARankThatComputesOtherNumbers) {
  run_ranks(2, [](Ranks& ranks) {
    const Team team(&ranks);
    team.check_same(5);
    EXPECT_THROW(team.check_same(ranks.rank() == 1 ? 1 : 2), AnotherRankFailed);
  });
}

}  // namespace
}  // namespace espalier

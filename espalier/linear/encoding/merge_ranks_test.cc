#include "espalier/linear/encoding/merge_ranks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "espalier/base/thread_ranks.h"

namespace espalier::linear {
namespace {

using testing::ElementsAre;

TEST(MergeRanksTest, TextsComeInTheOrderOfTheirFirstPlace) {
  run_ranks(3, [](Ranks& ranks) {
    const Team team(&ranks);
    std::vector<FirstSeen> mine;
    if (team.rank() == 0) mine = {{place_in_all(4, 0), "d"}, {place_in_all(5, 0), "a"}};
    if (team.rank() == 1) mine = {{place_in_all(1, 7), "a"}, {place_in_all(1, 9), "b"}};
    EXPECT_THAT(in_order_of_first(mine, team), ElementsAre("a", "b", "d"));
  });
}

TEST(MergeRanksTest, RowsGetTheColumnsOfAllRanks) {
  run_ranks(2, [](Ranks& ranks) {
    const Team team(&ranks);
    StateRows rows;
    rows.width = 4;
    if (team.first()) {
      rows.begin = {0, 2, 2, 3};
      rows.column = {0, 3, 1};
    } else {
      rows.begin = {0, 1, 1, 3};
      rows.column = {1, 1, 2};
    }
    merge_rows(rows, team);
    EXPECT_THAT(rows.begin, ElementsAre(0, 3, 3, 5));
    EXPECT_THAT(rows.column, ElementsAre(0, 1, 3, 1, 2));
  });
}

/// Numbers the hashes of some sequences as one collector would.
FeatureCollector collected(const std::vector<std::vector<uint64_t>>& sequences) {
  FeatureCollector collector;
  for (const std::vector<uint64_t>& hashes : sequences) {
    std::vector<uint32_t> numbers(hashes.size());
    collector.add(hashes, numbers.data(), Workers(1),
                  [&](std::span<const uint32_t> positions, FeatureCollector::Names& names) {
                    for (const uint32_t position : positions) {
                      names.text.append("f" + std::to_string(hashes[position]));
                      names.close();
                    }
                  });
  }
  return collector;
}

TEST(MergeRanksTest, FeaturesAreNumberedAsIfOneRankHadSeenThemAll) {
  // Hashes differ in their high bits, which say who merges them.
  const auto h = [](uint64_t i) { return (i * 0x9E3779B97F4A7C15ull) | 1; };
  const std::vector<std::vector<uint64_t>> all = {
      {h(1), h(2), h(3)}, {h(2), h(4)}, {h(5), h(3), h(6)}, {h(7), h(1), h(2)}, {h(6), h(8), h(9), h(3)}};
  for (const uint32_t cutoff : {1u, 2u}) {
    FeatureCollector copy = collected(all);
    const size_t before_alone = copy.size();
    const FeatureCollector::Features expected = copy.finish(cutoff);
    run_ranks(3, [&](Ranks& ranks) {
      const Team team(&ranks);
      std::vector<std::vector<uint64_t>> mine;
      std::vector<uint32_t> numbers;
      std::vector<uint64_t> begin{0};
      for (uint32_t s = 0; s < all.size(); ++s)
        if (s % 3 == team.rank()) {
          mine.push_back(all[s]);
          numbers.push_back(s);
          begin.push_back(begin.back() + all[s].size());
        }
      FeatureCollector part = collected(mine);
      size_t before = 0;
      const FeatureCollector::Features found = merge_features(
          part, cutoff,
          [&](uint64_t position) {
            size_t s = 0;
            while (begin[s + 1] <= position) ++s;
            return place_in_all(numbers[s], position - begin[s]);
          },
          team, before);
      EXPECT_EQ(found.hashes, expected.hashes);
      EXPECT_EQ(found.counts, expected.counts);
      EXPECT_EQ(found.names, team.first() ? expected.names : "");
      EXPECT_EQ(before, before_alone);
    });
  }
}

TEST(MergeRanksTest, SequencesAreGatheredInTheirOrder) {
  run_ranks(2, [](Ranks& ranks) {
    const Team team(&ranks);
    Dataset data;
    for (uint32_t s = 0; s < 3; ++s) {
      data.state.append(std::vector<uint32_t>{10 * static_cast<uint32_t>(team.rank()) + s});
      data.edge.append(std::vector<uint32_t>{});
      data.gold.push_back(static_cast<data::Label>(s));
      data.sequence_begin.push_back(s + 1);
      data.weight.push_back(1);
    }
    data.spread = spread_over(team, data,
                              team.first() ? std::vector<uint32_t>{0, 3, 4} : std::vector<uint32_t>{1, 2, 5});
    EXPECT_EQ(data.all_sequences(), 6u);
    EXPECT_EQ(data.find_number(3).has_value(), team.first());
    const Dataset got = gather_sequences(data, std::vector<uint32_t>{1, 2}, team);
    EXPECT_THAT(got.state.values, ElementsAre(11, 1, 2, 12));
    EXPECT_THAT(got.gold, ElementsAre(1, 1, 2, 2));
  });
}

}  // namespace
}  // namespace espalier::linear

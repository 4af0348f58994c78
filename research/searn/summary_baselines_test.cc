#include "research/searn/summary_baselines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace espalier::research {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

TEST(SummaryBaselines, ChooseTheFirstTheCoveringAndAnySentences) {
  const tasks::Cluster cluster =
      tasks::parse_cluster(R"({"docs": [{"sents": ["one two three", "the storm hit the north"]},
                                        {"sents": ["four five", "the storm hit the north again"]}]})",
                           "test")
          .value();
  const tasks::SummaryInput input =
      tasks::make_summary_input(cluster, {tasks::SummaryUnit::kSentence, 7, ""}, {}, nullptr).value();
  EXPECT_THAT(lead_summary(input, cluster), ElementsAre(0, 2));
  EXPECT_THAT(coverage_summary(input), ElementsAre(1, 2));
  size_t words = 0;
  for (const uint32_t p : random_summary(input, Random(1))) words += input.pieces[p].size();
  EXPECT_LE(words, 7u);
  EXPECT_GE(words, 5u);
}

TEST(SummaryBaselines, PValuesTellChanceFromDifference) {
  std::vector<double> a, b, c;
  Random random(3);
  for (int i = 0; i < 60; ++i) {
    a.push_back(random.gaussian());
    b.push_back(a.back() + 0.5 + 0.3 * random.gaussian());
    c.push_back(a.back() + 0.3 * random.gaussian());
  }
  EXPECT_LT(paired_p_value(a, b, Random(1)), 0.001);
  EXPECT_GT(paired_p_value(a, c, Random(1)), 0.05);
  EXPECT_EQ(paired_p_value(a, a, Random(1)), 1);
}

}  // namespace
}  // namespace espalier::research

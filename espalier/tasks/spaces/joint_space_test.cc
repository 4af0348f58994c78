#include "espalier/tasks/spaces/joint_space.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "espalier/search/examples.h"
#include "espalier/tasks/spaces/sequence_problem.h"
#include "espalier/tasks/spaces/space_checks.h"

namespace espalier::tasks {
namespace {

using data::Label;
using search::Action;

TEST(JointSpace, TheOracleIsOptimalFromEitherSideAndWithAnyLead) {
  static_assert(search::TrainingSpace<JointSpace> && search::Problem<JointProblem>);
  Random random(11);
  DecisionPlan plan = two_columns();
  for (const DecisionOrder order : {DecisionOrder::kLeftToRight, DecisionOrder::kRightToLeft})
    for (const SequenceLoss loss : {SequenceLoss::kHamming, SequenceLoss::kZeroOne})
      for (const size_t lead : {0, 1, 5}) {
        plan.order = order;
        plan.loss = loss;
        plan.lead = lead;
        for (int trial = 0; trial < 4; ++trial) {
          std::vector<Label> gold;
          for (int t = 0; t < 3; ++t) {
            gold.push_back(static_cast<Label>(random.below(2)));
            gold.push_back(static_cast<Label>(2 + random.below(3)));
          }
          if (trial == 0) gold[2] = data::kNoLabel;
          check_oracle(JointSpace(plan, {3, gold, {}, {}, {}}), random);
        }
      }
}

TEST(JointSpace, ColumnsAreDecidedInTurnEachSoManyTokensAheadOfTheNext) {
  DecisionPlan plan = two_columns();
  const std::vector<Label> gold{0, 2, 1, 4, 1, 3};
  const std::vector<uint64_t> words{7, 8, 9};
  using Turns = std::vector<std::pair<size_t, size_t>>;
  for (const auto& [lead, expected] :
       {std::pair<size_t, Turns>{0, {{0, 0}, {0, 1}, {1, 0}, {1, 1}, {2, 0}, {2, 1}}},
        {1, {{0, 0}, {1, 0}, {0, 1}, {2, 0}, {1, 1}, {2, 1}}},
        {5, {{0, 0}, {1, 0}, {2, 0}, {0, 1}, {1, 1}, {2, 1}}}}) {
    plan.lead = lead;
    const JointSpace space(plan, {3, gold, {}, {}, words});
    auto state = space.initial();
    for (const auto& [token, column] : expected) {
      ASSERT_FALSE(space.is_goal(state));
      EXPECT_EQ(space.token(state), token);
      EXPECT_EQ(space.column(state), column);
      std::vector<Action> actions, optimal;
      space.actions(state, actions);
      EXPECT_EQ(actions.size(), column == 0 ? 2u : 3u);
      space.optimal_actions(state, optimal);
      EXPECT_EQ(optimal, (std::vector<Action>{{0, gold[token * 2 + column]}}));
      search::FeatureSink sink;
      space.features(state, 0, sink);
      for (size_t i = 0; i < sink.entries().size(); ++i) EXPECT_FALSE(space.entry_name(state, i).empty());
      state = space.apply(state, optimal[0]);
    }
    EXPECT_TRUE(space.is_goal(state));
    EXPECT_EQ(space.loss(state), 0);
  }
}

TEST(JointSpace, AColumnSeesTheLabelsAheadOfItAndThoseBehind) {
  DecisionPlan plan = two_columns();
  plan.lead = 1;
  plan.history = 1;
  const JointSpace space(plan, {3, {}, {}, {}, {}});
  auto state = space.initial();
  const auto names = [&] {
    search::FeatureSink sink;
    space.features(state, 0, sink);
    std::string all;
    for (size_t i = 0; i < sink.entries().size(); ++i) all += space.entry_name(state, i) + "; ";
    return all;
  };
  for (const uint32_t label : {0u, 1u}) state = space.apply(state, {0, label});  // N V
  EXPECT_THAT(names(), testing::HasSubstr("label column 1: -1:^ +0:N +1:V, after ^"));
  EXPECT_THAT(names(), testing::Not(testing::HasSubstr("+2")));
  state = space.apply(state, {0, 2});  // B-X, of the first token
  EXPECT_THAT(names(), testing::HasSubstr("label column 2: -2:B-X, after V"));
}

}  // namespace
}  // namespace espalier::tasks

#include "espalier/tasks/spaces/label_space.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "espalier/search/examples.h"
#include "espalier/tasks/spaces/sequence_problem.h"
#include "espalier/tasks/spaces/space_checks.h"

namespace espalier::tasks {
namespace {

using data::Label;
using search::Action;

static_assert(search::TrainingSpace<LabelSpace> && !search::HasLevel<LabelSpace>);
static_assert(search::Problem<LabelProblem>);

TEST(LabelSpace, TheOracleIsOptimalFromEveryState) {
  Random random(1);
  for (const SequenceLoss loss : kLosses) {
    DecisionPlan plan = segments_plan(loss);
    for (int trial = 0; trial < 40; ++trial) {
      plan.legal = loss == SequenceLoss::kF1 || trial % 2 == 0;
      const auto gold = random_labels(plan, random, 5);
      LabelInput input;
      input.length = 5;
      input.gold = gold;
      check_oracle(LabelSpace(plan, input), random);
    }
  }
}

TEST(LabelSpace, TheLossOfAGoalIsWhatItsDefinitionSays) {
  Random random(2);
  for (const SequenceLoss loss : kLosses) {
    const DecisionPlan plan = segments_plan(loss);
    for (int trial = 0; trial < 200; ++trial) {
      const auto gold = random_labels(plan, random, 7), predicted = random_labels(plan, random, 7);
      LabelInput input;
      input.length = 7;
      input.gold = gold;
      const LabelSpace space(plan, input);
      auto state = space.initial();
      for (const Label l : predicted) state = space.apply(state, {0, l});
      EXPECT_NEAR(space.loss(state), loss_by_definition(plan, gold, predicted), 1e-9);
    }
  }
}

TEST(LabelSpace, FromTheRightLabelsStayLegalAndTheOracleOptimal) {
  Random random(3);
  DecisionPlan plan = segments_plan(SequenceLoss::kHamming);
  plan.order = DecisionOrder::kRightToLeft;
  for (int trial = 0; trial < 40; ++trial) {
    const auto gold = random_labels(plan, random, 5);
    LabelInput input;
    input.length = 5;
    input.gold = gold;
    const LabelSpace space(plan, input);
    check_oracle(space, random);
    auto state = space.initial();
    std::vector<Label> given;
    while (!space.is_goal(state)) {
      EXPECT_EQ(space.token(state), 4 - given.size());
      std::vector<Action> actions;
      space.actions(state, actions);
      ASSERT_FALSE(actions.empty());
      const Action a = actions[random.below(actions.size())];
      given.insert(given.begin(), static_cast<Label>(a.label));
      state = space.apply(state, a);
    }
    for (size_t t = 0; t < 5; ++t)
      if (plan.tags[given[t]].prefix == 'I') {
        ASSERT_GT(t, 0u);
        EXPECT_EQ(plan.tags[given[t]].type, plan.tags[given[t - 1]].type);
      }
  }
}

TEST(LabelSpace, UnknownAndForcedLabels) {
  const DecisionPlan plan = segments_plan(SequenceLoss::kHamming);
  const std::vector<Label> gold{0, data::kNoLabel, 1}, forced{data::kNoLabel, 3, data::kNoLabel};
  LabelInput input;
  input.length = 3;
  input.gold = gold;
  LabelSpace space(plan, input);
  auto state = space.apply(space.initial(), {0, 0});
  std::vector<Action> optimal;
  space.optimal_actions(state, optimal);
  EXPECT_EQ(optimal.size(), 3u);  // O, B-X, B-Y: the gold label is unknown
  EXPECT_EQ(space.best_loss(space.apply(state, {0, 3})), 0);
  input.forced = forced;
  LabelSpace bound(plan, input);
  std::vector<Action> actions;
  bound.actions(bound.apply(bound.initial(), {0, 0}), actions);
  EXPECT_EQ(actions, (std::vector<Action>{{0, 3}}));
}

}  // namespace
}  // namespace espalier::tasks

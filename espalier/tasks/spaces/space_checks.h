// For tests only: label sets of small tasks, losses by definition, and check_oracle(), which compares the
// optimal actions and best losses of a training space with an enumeration of all completions.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "espalier/base/random.h"
#include "espalier/eval/losses.h"
#include "espalier/search/space.h"
#include "espalier/tasks/spaces/decision_plan.h"

namespace espalier::tasks {

inline constexpr SequenceLoss kLosses[] = {SequenceLoss::kHamming, SequenceLoss::kF1, SequenceLoss::kZeroOne};

/// The labels O, B-X, I-X, B-Y, I-Y in IOB2, which must stay legal.
inline DecisionPlan segments_plan(SequenceLoss loss) {
  data::LabelSet labels;
  for (const char* name : {"O", "B-X", "I-X", "B-Y", "I-Y"}) labels.add(name);
  DecisionPlan plan = DecisionPlan::of(labels, data::Scheme::kIob2);
  plan.loss = loss;
  plan.legal = true;
  return plan;
}

/// Random labels that are legal in IOB2.
inline std::vector<data::Label> random_labels(const DecisionPlan& plan, Random& random, size_t length) {
  std::vector<data::Label> labels;
  while (labels.size() < length) {
    const data::Label label = static_cast<data::Label>(random.below(5));
    const auto tag = plan.tags[label];
    if (tag.prefix == 'I' && (labels.empty() || plan.tags[labels.back()].type != tag.type)) continue;
    labels.push_back(label);
  }
  return labels;
}

/// The loss of a complete output, computed from its definition.
inline double loss_by_definition(const DecisionPlan& plan, const std::vector<data::Label>& gold,
                                 const std::vector<data::Label>& predicted) {
  if (plan.loss == SequenceLoss::kHamming) return static_cast<double>(eval::hamming_loss(gold, predicted));
  if (plan.loss == SequenceLoss::kZeroOne) return eval::zero_one_loss(gold, predicted);
  double segments = 0;
  for (const data::Label l : gold) segments += plan.tags[l].prefix == 'B' ? 1 : 0;
  return std::max(segments, 1.0) * eval::ChunkF1Loss(plan.labels)(gold, predicted);
}

/// The least loss of any completion, by enumeration.
template <typename Space>
double least_loss(const Space& space, const typename Space::State& state) {
  if (space.is_goal(state)) return space.loss(state);
  std::vector<search::Action> actions;
  space.actions(state, actions);
  double least = 1e300;
  for (const search::Action& a : actions) least = std::min(least, least_loss(space, space.apply(state, a)));
  return least;
}

/// Follows a random path and checks the oracle in every state.
template <typename Space>
void check_oracle(const Space& space, Random& random) {
  auto state = space.initial();
  while (!space.is_goal(state)) {
    const double least = least_loss(space, state);
    EXPECT_NEAR(space.best_loss(state), least, 1e-9);
    std::vector<search::Action> actions, optimal;
    space.actions(state, actions);
    if constexpr (search::HasBestLossAfter<Space>) {
      for (const search::Action& a : actions)
        EXPECT_EQ(space.best_loss_after(state, a), space.best_loss(space.apply(state, a)));
    }
    space.optimal_actions(state, optimal);
    ASSERT_FALSE(optimal.empty());
    for (const search::Action& a : optimal) {
      EXPECT_NE(std::find(actions.begin(), actions.end(), a), actions.end());
      EXPECT_NEAR(space.best_loss(space.apply(state, a)), least, 1e-9);
    }
    state = space.apply(state, actions[random.below(actions.size())]);
  }
}

/// Two columns; a name may be in both.
inline DecisionPlan two_columns() {
  std::vector<data::LabelSet> columns(2);
  for (const char* name : {"N", "V"}) columns[0].add(name);
  for (const char* name : {"B-X", "I-X", "V"}) columns[1].add(name);
  return DecisionPlan::joint(columns);
}

}  // namespace espalier::tasks

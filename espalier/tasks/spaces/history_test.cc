// How far back each space looks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "espalier/tasks/spaces/chunk_space.h"
#include "espalier/tasks/spaces/easiest_space.h"
#include "espalier/tasks/spaces/joint_space.h"
#include "espalier/tasks/spaces/label_space.h"

namespace espalier::tasks {
namespace {

using search::Action;
using testing::Contains;
using testing::Not;

DecisionPlan plan_looking_back(size_t history) {
  data::LabelSet labels;
  for (const char* name : {"O", "B-X", "I-X", "B-Y", "I-Y"}) labels.add(name);
  DecisionPlan plan = DecisionPlan::of(labels, data::Scheme::kIob2);
  plan.history = history;
  return plan;
}

/// The hashed features of a state.
template <typename Space>
std::vector<uint64_t> entries_of(const Space& space, const typename Space::State& state,
                                 uint32_t candidate = 0) {
  search::FeatureSink sink;
  space.features(state, candidate, sink);
  std::vector<uint64_t> hashes;
  for (const auto& e : sink.entries()) hashes.push_back(e.hash);
  return hashes;
}

template <typename Space>
typename Space::State after(const Space& space, const std::vector<Action>& actions) {
  auto state = space.initial();
  for (const Action& a : actions) state = space.apply(state, a);
  return state;
}

size_t differences(const std::vector<uint64_t>& a, const std::vector<uint64_t>& b) {
  EXPECT_EQ(a.size(), b.size());
  return std::inner_product(a.begin(), a.end(), b.begin(), size_t{0}, std::plus<>(), std::not_equal_to<>());
}

TEST(History, LabelsReachBackAsFarAsAskedAndNoFarther) {
  LabelInput input;
  input.length = 40;
  for (const size_t history : {0, 1, 2, 8, 9, 30}) {
    const DecisionPlan plan = plan_looking_back(history);
    const LabelSpace space(plan, input);
    const auto with_other_label = [&](size_t back) {
      std::vector<Action> path(35, Action{0, 0});
      path[path.size() - back].label = 3;
      return entries_of(space, after(space, path));
    };
    const auto plain = entries_of(space, after(space, std::vector<Action>(35, Action{0, 0})));
    EXPECT_EQ(plain.size(), 1 + history);
    // A label n decisions back is part of the n-grams that reach it.
    for (size_t back = 1; back <= history + 2; ++back)
      EXPECT_EQ(differences(plain, with_other_label(back)), back > history ? 0 : history - back + 1);
  }
}

TEST(History, StatesThatPartHaveHistoriesOfTheirOwn) {
  const DecisionPlan plan = plan_looking_back(20);
  LabelInput input;
  input.length = 40;
  const LabelSpace space(plan, input);
  auto state = after(space, std::vector<Action>(25, Action{0, 1}));
  const auto before = entries_of(space, state);
  const auto one = space.apply(state, {0, 2}), other = space.apply(state, {0, 3});
  EXPECT_EQ(entries_of(space, state), before);
  EXPECT_EQ(differences(entries_of(space, one), entries_of(space, other)), 20u);
  state = one;
  state = *&state;
  EXPECT_EQ(entries_of(space, state), entries_of(space, one));
  LabelSpace::State shorter;
  shorter = one;
  EXPECT_EQ(entries_of(space, shorter), entries_of(space, one));
  EXPECT_EQ(space.entry_name(one, 3), "history B-X B-X I-X");
}

TEST(History, ColumnsDecidedTogetherReachBackAsFarAsAsked) {
  std::vector<data::LabelSet> columns(3);
  for (data::LabelSet& labels : columns)
    for (const char* name : {"N", "V"}) labels.add(name);
  DecisionPlan plan = DecisionPlan::joint(columns);
  JointInput input;
  input.length = 40;
  for (const size_t history : {2, 25})
    for (const size_t lead : {0, 3}) {
      plan.history = history;
      plan.lead = lead;
      ASSERT_TRUE(plan.check().ok());
      const JointSpace space(plan, input);
      // Every token gets the first label of its column, except for one token of the last column.
      const auto with_other_label = [&](size_t back) {
        auto state = space.initial();
        while (space.token(state) != 30 || space.column(state) != 2) {
          const auto c = static_cast<uint32_t>(space.column(state));
          const bool other = c == 2 && space.token(state) + back == 30;
          state = space.apply(state, {0, plan.column_begin[c] + (other ? 1 : 0)});
        }
        return entries_of(space, state);
      };
      const auto plain = with_other_label(0);
      for (size_t back = 2; back <= history + 2; ++back)
        EXPECT_EQ(differences(plain, with_other_label(back)), back > history ? 0 : history - back + 1);
    }
}

TEST(History, ThreeColumnsSeeEveryLabelOfTheirWindows) {
  std::vector<data::LabelSet> columns(3);
  for (data::LabelSet& labels : columns)
    for (const char* name : {"N", "V"}) labels.add(name);
  DecisionPlan plan = DecisionPlan::joint(columns);
  plan.lead = 5;
  JointInput input;
  input.length = 20;
  const JointSpace space(plan, input);
  auto state = space.initial();
  while (space.token(state) != 4 || space.column(state) != 2)
    state = space.apply(state, {0, plan.column_begin[space.column(state)]});
  std::vector<std::string> names;
  for (size_t i = 0; i < entries_of(space, state).size(); ++i) names.push_back(space.entry_name(state, i));
  EXPECT_THAT(names, Contains("label column 1: -2:N"));
  EXPECT_THAT(names, Not(Contains(testing::HasSubstr("?"))));
}

TEST(History, TheTypesOfAsManyChunksBeforeAreSeenAsAsked) {
  ChunkInput input;
  input.length = 40;
  for (const size_t history : {0, 1, 2, 4, 5, 12}) {
    DecisionPlan plan = plan_looking_back(history);
    plan.unit = DecisionUnit::kChunk;
    plan.max_length = 3;
    const ChunkSpace space(plan, input);
    const auto with_other_type = [&](size_t back) {
      std::vector<Action> path(15, Action{1, 1});
      if (back > 0) path[path.size() - back].label = 2;
      return entries_of(space, after(space, path), 2);
    };
    const auto plain = with_other_type(0);
    for (size_t back = 2; back <= history + 2; ++back)
      EXPECT_EQ(differences(plain, with_other_type(back)), back > history ? 0 : history - back + 1)
          << history;
    // The last type is also joined with the candidate.
    EXPECT_EQ(differences(plain, with_other_type(1)), history == 0 ? 0 : history + 1);
  }
}

TEST(History, EveryWordOfTheChunkBeforeIsSeen) {
  DecisionPlan plan = plan_looking_back(1);
  plan.unit = DecisionUnit::kChunk;
  plan.max_length = 5;
  plan.words_before = true;
  const std::vector<Action> path = {{0, 0}, {4, 1}};
  std::vector<TokenLook> words(8);
  for (size_t t = 0; t < words.size(); ++t) words[t] = {100 + t, 7};
  const auto seen = [&] {
    const ChunkSpace space(plan, {words.size(), {}, words});
    return entries_of(space, after(space, path), 0);
  };
  const auto plain = seen();
  // Tokens 1 to 5 are the previous chunk: each is in a feature of its own, in pairs, and in the one of all
  // words.
  for (const size_t t : {2, 3, 4}) {
    words[t].word = 999;
    EXPECT_EQ(differences(plain, seen()), 4u) << t;
    words[t].word = 100 + t;
  }
  words[0].word = 999;
  EXPECT_EQ(differences(plain, seen()), 0u);
  words[0].word = 100;
  std::swap(words[2], words[3]);
  EXPECT_GT(differences(plain, seen()), 2u);
  plan.words_before = false;
  EXPECT_EQ(seen().size(), plain.size() - 9);  // 4 words, 4 pairs, and all
  plan.history = 0;
  const ChunkSpace blind(plan, {words.size(), {}, words});
  EXPECT_EQ(entries_of(blind, after(blind, path)), entries_of(blind, after(blind, {{1, 1}, {3, 2}})));
}

TEST(History, LabelsOnBothSidesAreSeenAsFarAsAskedWhereTheEasiestGoesFirst) {
  LabelInput input;
  input.length = 41;
  for (const size_t history : {0, 1, 2, 3, 12}) {
    DecisionPlan plan = plan_looking_back(history);
    plan.order = DecisionOrder::kEasiestFirst;
    const EasiestSpace space(plan, input);
    const auto with_label_at = [&](uint32_t t) { return entries_of(space, after(space, {{t, 2}}), 20); };
    const auto plain = entries_of(space, space.initial(), 20);
    const size_t expected = history < 2 ? 3 * history : 5 + 3 * (history - 2);
    EXPECT_EQ(plain.size(), 1 + expected);
    const auto near = static_cast<uint32_t>(history);
    for (const uint32_t t : {20 - near - 1, 20 + near + 1})
      EXPECT_EQ(differences(plain, with_label_at(t)), 0u) << history;
    if (history == 0) continue;
    const size_t farthest = history == 1 ? 2 : history == 2 ? 1 : 2;
    for (const uint32_t t : {20 - near, 20 + near})
      EXPECT_EQ(differences(plain, with_label_at(t)), farthest) << history;
    // The candidates that a decision affects: open tokens that look at it.
    std::vector<uint32_t> fresh;
    space.fresh_candidates(after(space, {{20, 2}}), fresh);
    EXPECT_EQ(fresh.size(), 2 * history);
    std::vector<std::string> names;
    for (size_t i = 0; i <= expected; ++i) names.push_back(space.entry_name(after(space, {{19, 2}}), 20, i));
    EXPECT_THAT(names, Contains("labels -1:I-X"));
    if (history < 3) continue;
    EXPECT_THAT(names, Contains("labels -3:? -2:? -1:I-X +1:? +2:? +3:?"));
  }
}

}  // namespace
}  // namespace espalier::tasks

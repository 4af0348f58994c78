#include "espalier/tasks/spaces/easiest_space.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "espalier/search/examples.h"
#include "espalier/search/policy/policy.h"
#include "espalier/tasks/spaces/sequence_problem.h"
#include "espalier/tasks/spaces/space_checks.h"

namespace espalier::tasks {
namespace {

using data::Label;
using search::Action;

TEST(EasiestSpace, TheOracleIsOptimalFromEveryStateInAnyOrder) {
  static_assert(search::TrainingSpace<EasiestSpace> && search::Problem<EasiestProblem>);
  Random random(12);
  DecisionPlan plan = segments_plan(SequenceLoss::kHamming);
  plan.legal = false;
  plan.order = DecisionOrder::kEasiestFirst;
  for (int trial = 0; trial < 5; ++trial) {
    std::vector<Label> gold;
    for (int t = 0; t < 3; ++t) gold.push_back(static_cast<Label>(random.below(5)));
    if (trial == 0) gold[1] = data::kNoLabel;
    LabelInput input;
    input.length = gold.size();
    input.gold = gold;
    const EasiestSpace space(plan, input);
    check_oracle(space, random);
    search::FeatureSink sink;
    space.features(space.initial(), 1, sink);
    for (size_t i = 0; i < sink.entries().size(); ++i)
      EXPECT_FALSE(space.entry_name(space.initial(), 1, i).empty());
  }
}

TEST(EasiestSpace, AWalkThatScoresOnlyWhatChangedFindsTheBestActionOfEveryState) {
  Random random(13);
  DecisionPlan plan = segments_plan(SequenceLoss::kHamming);
  plan.legal = false;
  plan.order = DecisionOrder::kEasiestFirst;
  /// Scores derived from the features, with few distinct values so that ties occur.
  struct Dice {
    using Value = float;
    uint64_t seed;
    std::vector<float> scores = std::vector<float>(5);
    search::FeatureSink sink = {};
    std::span<const float> row(const EasiestSpace& space, const EasiestSpace::State& s, uint32_t c) {
      sink.clear();
      space.features(s, c, sink);
      uint64_t h = hash_combine(seed, c % 3);
      for (const auto& e : sink.entries()) h = hash_combine(h, e.hash);
      for (size_t l = 0; l < scores.size(); ++l) scores[l] = static_cast<float>(Random(h).split(l).below(6));
      return scores;
    }
  };
  for (int trial = 0; trial < 20; ++trial) {
    LabelInput input;
    input.length = 1 + random.below(12);
    plan.history = static_cast<size_t>(trial / 2 % 5);
    const EasiestSpace space(plan, input);
    Dice dice{random.next()};
    search::EasiestWalk<EasiestSpace, Dice> walk(space, dice);
    auto state = space.initial();
    std::vector<Action> actions;
    std::vector<float> scores;
    while (!space.is_goal(state)) {
      const auto expected = search::best_of(space, dice, state, actions, scores);
      const auto found = walk.best(state);
      ASSERT_TRUE(found && expected);
      EXPECT_EQ(found->action, expected->action);
      EXPECT_EQ(found->score, expected->score);
      // Any action may be taken; the walk continues from there.
      const Action any = actions[random.below(actions.size())];
      const auto other = space.apply(state, actions[random.below(actions.size())]);
      state = space.apply(state, trial % 2 == 0 ? found->action : any);
      EXPECT_EQ(other.made, state.made);
    }
  }
}

TEST(EasiestSpace, ClassifiersThatScoreOnlyWhatChangedVoteAsIfTheyHadScoredEverything) {
  /// Few distinct values and many common labels, so that ties occur within and between classifiers.
  class Dice final : public search::Scorer {
   public:
    explicit Dice(uint64_t seed) : seed_(seed) {}
    void begin(const search::StaticBlocks&) override {}
    std::span<const float> score(const search::FeatureSink& sink) override {
      uint64_t h = seed_;
      for (const auto& e : sink.entries()) h = hash_combine(h, e.hash);
      h = hash_combine(h, sink.blocks().front() % 3);
      for (size_t l = 0; l < scores_.size(); ++l)
        scores_[l] = static_cast<float>(Random(h).split(l).below(3));
      return scores_;
    }

   private:
    uint64_t seed_;
    std::vector<float> scores_ = std::vector<float>(5);
  };
  Random random(17);
  DecisionPlan plan = segments_plan(SequenceLoss::kHamming);
  plan.legal = false;
  plan.order = DecisionOrder::kEasiestFirst;
  for (int trial = 0; trial < 20; ++trial) {
    LabelInput input;
    input.length = 1 + random.below(12);
    const EasiestSpace space(plan, input);
    search::Mixture mixture;
    for (const double beta : {1.0, 0.5, 0.25, 0.5})
      mixture.interpolate(std::make_shared<Dice>(random.next()), beta);
    mixture = mixture.without_oracle();
    const auto slow = search::decode_greedily(space, mixture), fast = search::decode_by_vote(space, mixture);
    EXPECT_EQ(fast.actions, slow.actions);
    EXPECT_EQ(fast.score, slow.score);
    EXPECT_EQ(fast.actions.size(), input.length);
    search::MixtureWalk<EasiestSpace> walk(space, mixture);
    std::vector<Action> actions;
    std::vector<float> scores;
    for (auto state = space.initial(); !space.is_goal(state);) {
      ASSERT_TRUE(walk.enter(state));
      for (size_t i = 0; i < mixture.size(); ++i)
        EXPECT_EQ(walk.best_of(i).action,
                  search::best_of(space, mixture.classifier(i), state, actions, scores)->action);
      state = space.apply(state, actions[random.below(actions.size())]);
    }
  }
}

}  // namespace
}  // namespace espalier::tasks

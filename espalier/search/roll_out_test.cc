#include "espalier/search/roll_out.h"

#include <gtest/gtest.h>

#include "espalier/search/examples.h"
#include "espalier/search/exhaustive.h"
#include "espalier/search/toy_space.h"

namespace espalier::search {
namespace {

/// A ToySpace that knows when two states have the same future.
struct KeyedToy : ToySpace {
  uint64_t future_key(const State& s) const { return s.before; }
  State goal_like(const State& s, const State& other, const State& goal) const {
    State out = goal;
    out.errors = s.errors + goal.errors - other.errors;
    return out;
  }
};
static_assert(HasFutureKey<KeyedToy> && !HasFutureKey<ToySpace>);

/// π and a few random policies.
Mixture random_mixture(uint64_t seed, size_t labels, size_t members) {
  Mixture h;
  for (uint64_t i = 0; i < members; ++i)
    h.interpolate(std::make_shared<RandomScorer>(labels, seed * 10 + i), 0.4);
  return h;
}

TEST(RollOuts, ThatShareTheirEndsGiveTheCostsOfThoseThatDoNot) {
  size_t differing = 0;
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    KeyedToy keyed;
    static_cast<ToySpace&>(keyed) = toggles(seed, 1, 3 + seed % 20, 0.3).spaces[0];
    keyed.k = 2 + seed % 3;
    const ToySpace& plain = keyed;
    const Mixture h = random_mixture(seed, keyed.k, 1 + seed % 4);
    const ExampleOptions options{CostEstimate::kSample, 1 + static_cast<int>(seed % 3),
                                 seed % 2 == 0 ? 0 : 0.3};
    Examples<KeyedToy> a;
    Examples<ToySpace> b;
    ASSERT_TRUE(add_examples(keyed, 0, h, Random(seed), options, a).ok());
    ASSERT_TRUE(add_examples(plain, 0, h, Random(seed), options, b).ok());
    EXPECT_EQ(a.costs, b.costs) << "seed " << seed;
    for (const float cost : a.costs) differing += cost > 1 ? 1 : 0;
  }
  EXPECT_GT(differing, 100u);  // later decisions did depend on earlier ones
}

/// Counts the calls.
class Counted final : public Scorer {
 public:
  Counted(size_t labels, uint64_t seed) : inner_(labels, seed) {}
  void begin(const StaticBlocks&) override {}
  std::span<const float> score(const FeatureSink& features) override {
    ++asked;
    return inner_.score(features);
  }
  size_t asked = 0;

 private:
  RandomScorer inner_;
};

TEST(RollOuts, ThatShareTheirEndsTakeTimeInProportionToTheLength) {
  const auto asked = [](size_t length) {
    KeyedToy keyed;
    static_cast<ToySpace&>(keyed) = toggles(3, 1, length, 0.3).spaces[0];
    keyed.k = 4;
    const auto scorer = std::make_shared<Counted>(4, 8);
    Mixture h;
    h.interpolate(scorer, 1);
    Examples<KeyedToy> examples;
    EXPECT_TRUE(add_examples(keyed, 0, h, Random(1), {CostEstimate::kSample, 1, 0}, examples).ok());
    return scorer->asked;
  };
  const size_t one = asked(400), two = asked(800);
  EXPECT_LT(one, 400u * 4 * 4);
  EXPECT_LT(two, 2 * one + one / 5);
}

TEST(RollOuts, OfManySamplesApproachTheExpectedRegret) {
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    const ToySpace space = toggles(seed, 1, 4, 0.3).spaces[0];
    const Mixture h = random_mixture(seed, 2, 2);
    Examples<ToySpace> examples;
    ASSERT_TRUE(add_examples(space, 0, h, Random(seed), {CostEstimate::kSample, 4000, 0}, examples).ok());
    ASSERT_EQ(examples.list.size(), 4u);
    for (const auto& e : examples.list) {
      // Equation 2: the expected loss after an action, minus that after the best one.
      double expected[2];
      for (uint32_t l = 0; l < 2; ++l) expected[l] = expected_loss(space, space.apply(e.state, {0, l}), h);
      for (uint32_t l = 0; l < 2; ++l)
        EXPECT_NEAR(examples.costs[e.first_cost + l], expected[l] - std::min(expected[0], expected[1]), 0.06);
      EXPECT_EQ(std::min(examples.costs[e.first_cost], examples.costs[e.first_cost + 1]), 0);
    }
  }
}

/// Features do not depend on earlier decisions.
struct Memoryless : ToySpace {
  void features(const State& s, uint32_t, FeatureSink& sink) const { sink.add(s.at * 10 + x[s.at]); }
};

TEST(RollOuts, ComparedWithEachOtherShareTheirLuck) {
  // The rest of the path is then the same after every action, so one sample gives the exact difference.
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    Memoryless space;
    static_cast<ToySpace&>(space) = toggles(seed, 1, 12, 0.3).spaces[0];
    const Mixture h = random_mixture(seed, 2, 3);
    Examples<Memoryless> examples;
    ASSERT_TRUE(add_examples(space, 0, h, Random(seed), {CostEstimate::kSample, 1, 0}, examples).ok());
    for (const auto& e : examples.list) {
      EXPECT_EQ(examples.costs[e.first_cost + space.y[e.state.at]], 0);
      EXPECT_EQ(examples.costs[e.first_cost + 1 - space.y[e.state.at]], 1);
    }
  }
}

TEST(RollOuts, ByTheOracleAloneGiveTheOptimalEstimate) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const ToySpace space = toggles(seed, 1, 8, 0.3).spaces[0];
    const Mixture h = random_mixture(seed, 2, 2);
    Examples<ToySpace> optimal, by_oracle, by_policy;
    ASSERT_TRUE(add_examples(space, 0, h, Random(seed), {}, optimal).ok());
    ASSERT_TRUE(add_examples(space, 0, h, Random(seed), {CostEstimate::kSample, 3, 1}, by_oracle).ok());
    ASSERT_TRUE(add_examples(space, 0, h, Random(seed), {CostEstimate::kSample, 3, 0}, by_policy).ok());
    ASSERT_EQ(by_oracle.costs.size(), optimal.costs.size());
    for (size_t i = 0; i < optimal.costs.size(); ++i) EXPECT_NEAR(by_oracle.costs[i], optimal.costs[i], 1e-6);
    EXPECT_NE(by_policy.costs, optimal.costs);
  }
}

}  // namespace
}  // namespace espalier::search

#include "espalier/search/searn.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "espalier/search/policy/online_classifier.h"
#include "espalier/search/toy_space.h"

namespace espalier::search {
namespace {

using ::testing::HasSubstr;

static_assert(Problem<ToyProblem>);

LearnClassifier<ToySpace> direct_learner(const ToyProblem& problem, DirectOptions options = {}) {
  return [&problem, options](const Examples<ToySpace>& examples, int,
                             int without) -> Result<std::shared_ptr<Scorer>> {
    const Examples<ToySpace> part = without < 0 ? examples : without_fold(examples, without, 3);
    return std::shared_ptr<Scorer>(std::make_shared<RowWeights>(
        learn_direct(problem, part, no_static_rows(problem.spaces[0].k), problem.spaces[0].k, options, {})));
  };
}

double mean_loss(const ToyProblem& problem, const Mixture& mixture) {
  double sum = 0;
  for (const ToySpace& space : problem.spaces) sum += decode_greedily(space, mixture).state.errors;
  return sum / static_cast<double>(problem.size());
}

TEST(Searn, LearnsWhatDependsOnItsOwnDecisions) {
  const ToyProblem train = toggles(1, 60, 12, 0), test = toggles(2, 60, 12, 0);
  for (const auto loss : {DirectLoss::kPerceptron, DirectLoss::kHinge, DirectLoss::kLogistic})
    for (const auto reduction : {Reduction::kDirect, Reduction::kOneVsAll, Reduction::kAllPairs}) {
      DirectOptions options;
      options.loss = loss;
      options.reduction = reduction;
      const auto policy = searn(train, {}, direct_learner(train, options), {}, {});
      ASSERT_TRUE(policy.ok());
      EXPECT_EQ(mean_loss(test, *policy), 0) << static_cast<int>(loss) << static_cast<int>(reduction);
    }
}

/// Always chooses the same label.
class Constant final : public Scorer {
 public:
  Constant(size_t labels, size_t label) : row_(labels, 0.0f) { row_[label] = 1; }
  void begin(const StaticBlocks&) override {}
  std::span<const float> score(const FeatureSink&) override { return row_; }

 private:
  std::vector<float> row_;
};

TEST(Searn, StatesComeFromClassifiersThatHaveNotSeenTheInstance) {
  ToyProblem train = toggles(1, 12, 5, 0);
  for (ToySpace& space : train.spaces) space.k = 4;
  SearnOptions options;
  options.folds = 3;
  options.iterations = 2;
  // The classifier without fold f always answers f, the one of all folds 3, so labels tell whose states they
  // are.
  const LearnClassifier<ToySpace> learn = [&](const Examples<ToySpace>& examples, int iteration,
                                              int without) -> Result<std::shared_ptr<Scorer>> {
    EXPECT_EQ(examples.list.size(), 12u * 5);
    for (const auto& e : examples.list)
      if (iteration == 2 && e.state.at > 0) {
        EXPECT_EQ(e.state.before, static_cast<uint32_t>(fold_of(e.instance, 3)));
      }
    return std::shared_ptr<Scorer>(std::make_shared<Constant>(4, without < 0 ? 3 : without));
  };
  const auto policy = searn(train, options, learn, {}, {});
  ASSERT_TRUE(policy.ok());
  EXPECT_EQ(decode_greedily(train.spaces[0], *policy).state.before, 3u);
}

TEST(Searn, ExamplesOfAFoldAreLeftOutAndTheOthersKeepTheirCosts) {
  const ToyProblem train = toggles(1, 7, 4, 0.3);
  Examples<ToySpace> all;
  for (uint32_t i = 0; i < train.size(); ++i)
    ASSERT_TRUE(add_examples(train.spaces[i], i, Mixture(), Random(1), {}, all).ok());
  const Examples<ToySpace> part = without_fold(all, 1, 3);
  EXPECT_EQ(part.list.size(), 5u * 4);  // 1 and 4 are of fold 1
  for (const auto& e : part.list) {
    EXPECT_NE(e.instance % 3, 1u);
    const ToySpace& space = train.spaces[e.instance];
    EXPECT_EQ(part.costs[e.first_cost + space.y[e.state.at]], 0);
    EXPECT_EQ(part.costs[e.first_cost + 1 - space.y[e.state.at]], 1);
  }
}

TEST(Searn, ExamplesCanBeTheFirstStateAndEveryNthFromADrawnOne) {
  const ToyProblem train = toggles(1, 20, 10, 0.3);
  ExampleOptions few;
  few.every = 3;
  std::set<size_t> starts;
  for (uint32_t i = 0; i < train.size(); ++i) {
    Examples<ToySpace> some;
    ASSERT_TRUE(add_examples(train.spaces[i], i, Mixture(), Random(i), few, some).ok());
    std::vector<size_t> places;
    for (const auto& e : some.list) {
      places.push_back(e.state.at);
      EXPECT_EQ(some.costs[e.first_cost + train.spaces[i].y[e.state.at]], 0);
    }
    ASSERT_GE(places.size(), 4u);
    EXPECT_EQ(places[0], 0u);
    starts.insert(places[1] % 3);
    for (size_t p = 2; p < places.size(); ++p) EXPECT_EQ(places[p], places[p - 1] + 3);
  }
  EXPECT_EQ(starts.size(), 3u);
}

TEST(Searn, AggregationKeepsEveryExampleAndFollowsTheLastClassifier) {
  const ToyProblem train = toggles(1, 10, 4, 0);
  SearnOptions options;
  options.roll_in = RollIn::kAggregate;
  options.iterations = 3;
  const LearnClassifier<ToySpace> learn = [&](const Examples<ToySpace>& examples, int iteration,
                                              int) -> Result<std::shared_ptr<Scorer>> {
    EXPECT_EQ(examples.list.size(), 40u * static_cast<size_t>(iteration));
    for (size_t i = 40; i < examples.list.size();
         ++i)  // after the oracle's examples come those of labels 1, 0
      if (examples.list[i].state.at > 0) {
        EXPECT_EQ(examples.list[i].state.before, i < 80 ? 1u : 0u);
      }
    return std::shared_ptr<Scorer>(std::make_shared<Constant>(2, iteration % 2));
  };
  int rounds = 0;
  SearnHooks hooks;
  hooks.round_ended = [&](const SearnRound& round) {
    rounds = round.number;
    EXPECT_EQ(round.policy.size(), 1u);
    return true;
  };
  ASSERT_TRUE(searn(train, options, learn, hooks, {}).ok());
  EXPECT_EQ(rounds, 3);
  options.beta = 0.5;
  const auto refused = searn(train, options, learn, hooks, {});
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message, HasSubstr("it requires beta=1"));
}

TEST(Searn, LearnsFromSampledCostsToo) {
  const ToyProblem train = toggles(1, 60, 10, 0.02), test = toggles(2, 60, 10, 0);
  for (const ExampleOptions& examples :
       {ExampleOptions{CostEstimate::kSample, 1, 0}, ExampleOptions{CostEstimate::kSample, 4, 0.5}}) {
    SearnOptions options;
    options.examples = examples;
    const auto policy = searn(train, options, direct_learner(train), {}, {});
    ASSERT_TRUE(policy.ok());
    EXPECT_LE(mean_loss(test, *policy), 0.2);
  }
}

SearnOptions small_steps(double beta, int iterations) {
  SearnOptions options;
  options.beta = beta;
  options.iterations = iterations;
  return options;
}

TEST(Searn, SmallStepsEndWhenTheOracleHardlyMatters) {
  const ToyProblem train = toggles(1, 30, 6, 0);
  const SearnOptions options = small_steps(0.5, 100);
  int rounds = 0;
  double share = 1;
  SearnHooks hooks;
  hooks.round_ended = [&](const SearnRound& round) {
    rounds = round.number;
    share = round.oracle_share;
    EXPECT_EQ(round.policy.size(), static_cast<size_t>(round.number));
    return true;
  };
  const auto policy = searn(train, options, direct_learner(train), hooks, {});
  ASSERT_TRUE(policy.ok());
  EXPECT_EQ(rounds, 10);  // 6 · 2^−n < 0.01
  EXPECT_DOUBLE_EQ(share, std::pow(0.5, 10));
  EXPECT_DOUBLE_EQ(policy->oracle_share(), 0);
  double sum = 0;
  for (size_t i = 0; i < policy->size(); ++i) sum += policy->share(i);
  EXPECT_NEAR(sum, 1, 1e-12);
  EXPECT_EQ(mean_loss(train, *policy), 0);
}

TEST(Searn, GoesOnUntilTheOracleHardlyMattersWhereTheNumberOfIterationsIsLeftToIt) {
  const ToyProblem train = toggles(1, 10, 6, 0);
  SearnOptions options = small_steps(0.5, 2);
  SearnPlan plan;
  int rounds = 0;
  SearnHooks hooks;
  hooks.planned = [&](const SearnPlan& made) { plan = made; };
  hooks.round_ended = [&](const SearnRound& round) {
    rounds = round.number;
    return true;
  };
  ASSERT_TRUE(searn(train, options, direct_learner(train), hooks, {}).ok());
  EXPECT_EQ(rounds, 2);
  EXPECT_EQ(plan.expected, 2);
  options.until_independent = true;
  ASSERT_TRUE(searn(train, options, direct_learner(train), hooks, {}).ok());
  EXPECT_EQ(rounds, 10);
  EXPECT_EQ(plan.expected, 10);
  EXPECT_EQ(plan.longest, 6u);
  options.beta = 0.01;  // would take 637
  ASSERT_TRUE(searn(train, options, direct_learner(train), hooks, {}).ok());
  EXPECT_EQ(rounds, kMostUntilIndependent);
  EXPECT_EQ(plan.expected, kMostUntilIndependent);
  options.beta = 1;  // π is gone at once; all iterations asked for are made
  ASSERT_TRUE(searn(train, options, direct_learner(train), hooks, {}).ok());
  EXPECT_EQ(rounds, 2);
  EXPECT_EQ(plan.longest, 0u);  // it is not needed
}

TEST(Searn, AStochasticPolicyDrawsItsClassifiersByTheirShares) {
  Mixture mixture;
  mixture.interpolate(std::make_shared<Constant>(2, 1), 1);
  mixture.interpolate(std::make_shared<Constant>(2, 0), 0.75);
  ToySpace space;
  space.x = space.y = std::vector<uint32_t>(4000, 0);
  EXPECT_EQ(decode_greedily(space, mixture).state.errors, 0u);  // the vote is for 0 every time
  const auto drawn = decode_stochastically(space, mixture, Random(5));
  EXPECT_NEAR(drawn.state.errors / 4000.0, 0.25, 0.03);
  EXPECT_NE(decode_stochastically(space, mixture, Random(6)).actions, drawn.actions);
  EXPECT_EQ(decode_stochastically(space, mixture, Random(5)).actions, drawn.actions);
}

TEST(Searn, TheLineSearchTakesWhatTheDevelopmentSetLikesBest) {
  const ToyProblem train = toggles(1, 30, 6, 0), dev = toggles(3, 30, 6, 0);
  SearnOptions options;
  options.interpolation = Interpolation::kLearnedLineSearch;
  options.iterations = 2;
  EXPECT_FALSE(searn(train, options, direct_learner(train), {}, {}).ok());
  SearnHooks hooks;
  std::vector<double> chosen;
  hooks.dev_score = [&](const Mixture& m) { return -mean_loss(dev, m); };
  hooks.round_ended = [&](const SearnRound& round) {
    chosen.push_back(round.beta);
    return true;
  };
  ASSERT_TRUE(searn(train, options, direct_learner(train), hooks, {}).ok());
  EXPECT_EQ(chosen, (std::vector<double>{1, 1}));  // nothing beats a perfect score, and 1 is tried first
  // A development set with arbitrary scores. The first classifier is alone in the mixture, so every β gives
  // the same policy.
  chosen.clear();
  options.iterations = 4;
  hooks.dev_score = [&](const Mixture& m) { return -std::abs(m.share(m.size() - 1) - 0.3); };
  const auto policy = searn(train, options, direct_learner(train), hooks, {});
  ASSERT_TRUE(policy.ok());
  EXPECT_EQ(chosen, (std::vector<double>{1, 0.3, 0.3, 0.3}));
  EXPECT_DOUBLE_EQ(policy->share(0), 0.7 * 0.7 * 0.7);
}

/// Chooses β by the loss of the mixture on these instances; returns the choices.
template <Problem P>
std::vector<double> line_search(const P& dev, const LearnClassifier<typename P::Space>& learn,
                                int iterations) {
  SearnOptions options;
  options.interpolation = Interpolation::kLineSearch;
  options.iterations = iterations;
  std::vector<double> chosen;
  SearnHooks hooks;
  hooks.dev_score = [&](const Mixture& m) { return -mean_loss(dev, m, 1).value(); };
  hooks.round_ended = [&](const SearnRound& round) {
    chosen.push_back(round.beta);
    return true;
  };
  EXPECT_TRUE(searn(dev, options, learn, hooks, {}).ok());
  return chosen;
}

TEST(Searn, TheLineSearchFollowsTheInitialPolicyToo) {
  // A classifier that makes no errors is as good as π: the largest step.
  const ToyProblem clean = toggles(1, 30, 6, 0);
  EXPECT_EQ(line_search(clean, direct_learner(clean), 2), (std::vector<double>{1, 1}));
  // One that does not can only make π worse: the smallest. Without π in the mixture it would be 1.
  const ToyProblem noisy = toggles(1, 60, 8, 0.3);
  EXPECT_EQ(line_search(noisy, direct_learner(noisy), 3), (std::vector<double>{0.1, 0.1, 0.1}));
}

/// Two labels, of which exactly one must be 1. π always says 0, so it is not optimal.
struct OneOfTwo {
  struct State {
    uint32_t at = 0, ones = 0;
  };
  State initial() const { return {}; }
  bool is_goal(const State& s) const { return s.at == 2; }
  void actions(const State&, std::vector<Action>& out) const { out.insert(out.end(), {{0, 0}, {0, 1}}); }
  State apply(const State& s, Action a) const { return {s.at + 1, s.ones + a.label}; }
  size_t labels() const { return 2; }
  void features(const State& s, uint32_t, FeatureSink& sink) const { sink.add(s.at); }
  double loss(const State& s) const { return s.ones == 1 ? 0 : 1; }
  double best_loss(const State& s) const { return is_goal(s) ? loss(s) : 0; }
  void optimal_actions(const State&, std::vector<Action>& out) const { out.push_back({0, 0}); }
};
struct OneOfTwoProblem {
  using Space = OneOfTwo;
  size_t size() const { return 5000; }
  OneOfTwo space(size_t) const { return {}; }
  StaticBlocks blocks(size_t) const { return {}; }
};

TEST(Searn, TheLineSearchFindsAStepBetween) {
  // The classifier says 1, π says 0: right if one of them decides each time, 2 β (1 − β).
  const LearnClassifier<OneOfTwo> learn = [](const Examples<OneOfTwo>&, int,
                                             int) -> Result<std::shared_ptr<Scorer>> {
    return std::shared_ptr<Scorer>(std::make_shared<Constant>(2, 1));
  };
  EXPECT_EQ(line_search(OneOfTwoProblem(), learn, 1), (std::vector<double>{0.5}));
}

TEST(Searn, ALineSearchGoesOnUntilTheOracleHardlyMattersToo) {
  const ToyProblem train = toggles(1, 10, 6, 0);
  SearnOptions options;
  options.interpolation = Interpolation::kLineSearch;
  options.iterations = 3;
  options.until_independent = true;
  SearnHooks hooks;
  int rounds = 0, asked = 0;
  hooks.round_ended = [&](const SearnRound& round) {
    rounds = round.number;
    return true;
  };
  // Scores the ninth trial of each classifier best, which has β = 0.2: 6 · 0.8ⁿ < 0.01 for n ≥ 29.
  hooks.dev_score = [&](const Mixture&) { return ++asked % 10 == 9 ? 1.0 : 0.0; };
  ASSERT_TRUE(searn(train, options, direct_learner(train), hooks, {}).ok());
  EXPECT_EQ(rounds, 29);
  hooks.dev_score = [](const Mixture&) { return 0.0; };  // β = 1: no fewer iterations than asked for
  ASSERT_TRUE(searn(train, options, direct_learner(train), hooks, {}).ok());
  EXPECT_EQ(rounds, 3);
}

TEST(Searn, AHopelessAnalyticalBetaIsRefusedWithItsNumberOfRounds) {
  const ToyProblem train = toggles(1, 3, 50, 0);
  SearnOptions options;
  options.interpolation = Interpolation::kAnalytic;
  const auto refused = searn(train, options, direct_learner(train), {}, {});
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message, HasSubstr("978006 iterations"));  // 2 · 50³ · ln 50
}

TEST(Searn, AnAnalyticalBetaSaysBeforehandHowLongItTakes) {
  const ToyProblem train = toggles(1, 3, 3, 0);
  SearnOptions options;
  options.interpolation = Interpolation::kAnalytic;
  SearnPlan plan;
  int rounds = 0;
  SearnHooks hooks;
  hooks.planned = [&](const SearnPlan& made) { plan = made; };
  hooks.round_ended = [&](const SearnRound& round) {
    rounds = round.number;
    return true;
  };
  ASSERT_TRUE(searn(train, options, direct_learner(train), hooks, {}).ok());
  EXPECT_DOUBLE_EQ(plan.beta, 1 / 27.0);
  EXPECT_EQ(plan.expected, 60);
  EXPECT_EQ(rounds, 60);
}

TEST(Searn, TheSameSeedGivesTheSamePolicy) {
  const ToyProblem train = toggles(1, 30, 8, 0.1);
  SearnOptions options;
  options.examples.estimate = CostEstimate::kSample;
  options.beta = 0.4;
  const auto a = searn(train, options, direct_learner(train), {}, {});
  const auto b = searn(train, options, direct_learner(train), {}, {});
  for (const ToySpace& space : train.spaces)
    EXPECT_EQ(decode_greedily(space, *a).actions, decode_greedily(space, *b).actions);
}

}  // namespace
}  // namespace espalier::search

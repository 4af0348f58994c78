#include "espalier/search/decode.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <set>

#include "espalier/base/random.h"
#include "espalier/search/exhaustive.h"
#include "espalier/search/tree_space.h"

namespace espalier::search {
namespace {

static_assert(SearchSpace<TreeSpace> && TrainingSpace<TreeSpace>);
static_assert(HasPreference<TreeSpace> && !HasLevel<TreeSpace>);
static_assert(LearnerOf<DenseWeights, TreeSpace>);

TreeSpace random_tree(uint64_t seed, size_t size, size_t dimension) {
  Random random(seed);
  TreeSpace tree(dimension);
  while (tree.size() < size) {
    std::vector<double> f(dimension);
    for (double& x : f) x = static_cast<double>(random.below(7)) - 3;  // small numbers, so that scores tie
    tree.add(static_cast<uint32_t>(random.below(tree.size())), f);
  }
  return tree;
}

DenseWeights random_weights(uint64_t seed, size_t dimension) {
  Random random(seed);
  DenseWeights weights(dimension, 1);
  for (double& w : weights.values()) w = static_cast<double>(random.below(5)) - 2;
  return weights;
}

double value_of(const TreeSpace& tree, const DenseWeights& weights, uint32_t node) {
  double sum = 0;
  for (size_t i = 0; i < tree.dimension(); ++i) sum += weights.values()[i] * tree.features_of(node)[i];
  return sum;
}

/// Best first by value, then by preference: the definition of a rank order.
void rank(const TreeSpace& tree, const DenseWeights& weights, std::vector<uint32_t>& nodes) {
  std::sort(nodes.begin(), nodes.end(), [&](uint32_t a, uint32_t b) {
    const double va = value_of(tree, weights, a), vb = value_of(tree, weights, b);
    return va != vb ? va > vb : tree.preference(a) > tree.preference(b);
  });
}

TEST(Decoders, ScoresOfPathsInATreeAreThoseOfTheNodesTheyLeadTo) {
  const TreeSpace tree = random_tree(1, 40, 3);
  DenseWeights weights = random_weights(2, 3);
  const auto best = decode_exhaustively(tree, weights);
  EXPECT_EQ(best.ended, Ended::kExact);
  EXPECT_DOUBLE_EQ(best.score, value_of(tree, weights, best.state));
  for (uint32_t v = 1; v < tree.size(); ++v)
    if (tree.is_goal(v)) {
      EXPECT_LE(value_of(tree, weights, v), best.score);
    }
}

TEST(Decoders, AGreedySearchIsABeamOfOne) {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    const TreeSpace tree = random_tree(seed, 60, 2);
    DenseWeights weights = random_weights(seed + 1000, 2);
    const auto greedy = decode_greedily(tree, weights);
    const auto beam = decode_breadth_first(tree, weights, 1);
    EXPECT_EQ(greedy.state, beam.state);
    EXPECT_EQ(greedy.actions, beam.actions);
  }
}

TEST(Decoders, ABeamThatHoldsEveryNodeFindsTheBestGoal) {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    const TreeSpace tree = random_tree(seed, 50, 2);
    DenseWeights weights = random_weights(seed + 1000, 2);
    EXPECT_DOUBLE_EQ(decode_breadth_first(tree, weights, 50).score, decode_exhaustively(tree, weights).score);
    EXPECT_EQ(decode_breadth_first(tree, weights, 50).ended, Ended::kExact);
  }
}

TEST(Decoders, EachLevelKeepsTheHighestRankingChildrenOfTheLevelBefore) {
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    const TreeSpace tree = random_tree(seed, 80, 2);
    DenseWeights weights = random_weights(seed + 500, 2);
    std::vector<uint32_t> beam{0};
    SearchScratch<TreeSpace, double> scratch;
    search_breadth_first(tree, weights, 3, scratch, [&](const Level& level) {
      std::vector<uint32_t> expected;
      for (const uint32_t v : beam)
        for (const uint32_t child : tree.children(v)) expected.push_back(child);
      EXPECT_EQ(level.children.size(), expected.size());
      rank(tree, weights, expected);
      expected.resize(std::min<size_t>(3, expected.size()));
      std::vector<uint32_t> kept;
      for (size_t i = 0; i < level.kept; ++i) {
        const Child& child = level.children[level.order[i]];
        kept.push_back(tree.apply(scratch.nodes[child.parent].state, child.action));
      }
      EXPECT_EQ(kept, expected);
      beam = kept;
      return LevelDecision();
    });
  }
}

TEST(Decoders, BestFirstReplacesTheBestNodeByItsChildren) {
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    const TreeSpace tree = random_tree(seed, 80, 2);
    DenseWeights weights = random_weights(seed + 500, 2);
    std::vector<uint32_t> beam{0};
    size_t steps = 0;
    while (!beam.empty() && !tree.is_goal(beam[0])) {
      std::vector<uint32_t> next(beam.begin() + 1, beam.end());
      for (const uint32_t child : tree.children(beam[0])) next.push_back(child);
      rank(tree, weights, next);
      next.resize(std::min<size_t>(4, next.size()));
      beam = next;
      ++steps;
    }
    ASSERT_FALSE(beam.empty());  // every inner node has children
    const auto found = decode_best_first(tree, weights, 4);
    EXPECT_EQ(found.ended, Ended::kApproximate);
    EXPECT_EQ(found.state, beam[0]);
    EXPECT_EQ(decode_best_first(tree, weights, 4, steps).state, beam[0]);
    if (steps > 0) {
      EXPECT_EQ(decode_best_first(tree, weights, 4, steps - 1).ended, Ended::kOutOfSteps);
    }
  }
}

TEST(Decoders, OfEqualScoresThePreferredWins) {
  TreeSpace tree(1);
  const auto a = tree.add(0, {1});
  const auto b = tree.add(0, {1});
  DenseWeights zero(1, 1);
  EXPECT_EQ(decode_greedily(tree, zero).state, a);
  EXPECT_EQ(decode_breadth_first(tree, zero, 2).state, a);
  tree.set_preference(b, ~uint64_t{0});
  EXPECT_EQ(decode_greedily(tree, zero).state, b);
  EXPECT_EQ(decode_breadth_first(tree, zero, 1).state, b);
  EXPECT_EQ(decode_best_first(tree, zero, 1).state, b);
}

TEST(Decoders, ABeamOfNothingIsADefect) {
  TreeSpace tree(1);
  DenseWeights zero(1, 1);
  EXPECT_THROW(decode_breadth_first(tree, zero, 0), ContractViolation);
  EXPECT_THROW(decode_best_first(tree, zero, 0), ContractViolation);
}

TEST(Decoders, AnExhaustiveSearchKeepsToItsBudget) {
  const TreeSpace tree = random_tree(3, 100, 1);
  DenseWeights zero(1, 1);
  EXPECT_EQ(decode_exhaustively(tree, zero, 10).ended, Ended::kOutOfSteps);
}

/// Steps of one or two up to a length; a step of two skips a level. Some numbers are dead ends.
struct Stairs {
  using State = uint32_t;
  uint32_t length;
  std::set<uint32_t> blocked = {};
  State initial() const { return 0; }
  bool is_goal(State s) const { return s == length; }
  void actions(State s, std::vector<Action>& out) const {
    if (blocked.count(s) > 0) return;
    for (uint32_t step = 1; step <= 2 && s + step <= length; ++step) out.push_back({step - 1, 0});
  }
  State apply(State s, Action a) const { return s + a.candidate + 1; }
  size_t labels() const { return 1; }
  void features(State s, uint32_t candidate, FeatureSink& sink) const { sink.add(2 * s + candidate); }
  size_t level(State s) const { return s; }
};
static_assert(HasLevel<Stairs> && !HasPreference<Stairs>);

TEST(Decoders, StatesCompeteWithinTheirLevel) {
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    const Stairs stairs{9};
    DenseWeights weights(20, 1);
    Random random(seed);
    for (double& w : weights.values()) w = random.gaussian();
    // There is one state per level, so a beam of one loses nothing and the search is exact.
    EXPECT_NEAR(decode_breadth_first(stairs, weights, 1).score, decode_exhaustively(stairs, weights).score,
                1e-12);
  }
}

TEST(Decoders, DeadEndsAreToldApartFromGoals) {
  DenseWeights zero(20, 1);
  const Stairs blocked{5, {3, 4}};
  EXPECT_EQ(decode_greedily(blocked, zero).ended, Ended::kDeadEnd);
  EXPECT_EQ(decode_breadth_first(blocked, zero, 3).ended, Ended::kDeadEnd);
  EXPECT_EQ(decode_best_first(blocked, zero, 3).ended, Ended::kDeadEnd);
  EXPECT_EQ(decode_exhaustively(blocked, zero).ended, Ended::kDeadEnd);
  const Stairs passable{5, {3}};
  EXPECT_TRUE(decode_breadth_first(passable, zero, 3).reached_goal());
}

TEST(Decoders, AGoalAtTheBeginningNeedsNoAction) {
  DenseWeights zero(2, 1);
  const Stairs nothing{0};
  EXPECT_TRUE(decode_greedily(nothing, zero).reached_goal());
  EXPECT_TRUE(decode_breadth_first(nothing, zero, 1).actions.empty());
  EXPECT_TRUE(decode_best_first(nothing, zero, 1).reached_goal());
}

TEST(KeepBest, HasThoseThatAStableSortPutsFirst) {
  Random random(17);
  for (size_t width = 1; width <= 40; ++width) {
    std::vector<Child> children(random.below(120));
    for (Child& child : children) {  // few distinct values, hence many ties
      child.score = static_cast<double>(random.below(9));
      child.preference = random.below(2);
    }
    std::vector<uint32_t> sorted(children.size()), order;
    std::iota(sorted.begin(), sorted.end(), 0);
    std::stable_sort(sorted.begin(), sorted.end(),
                     [&](uint32_t a, uint32_t b) { return ranks_higher(children[a], children[b]); });
    keep_best(children, width, order);
    const size_t kept = std::min(width, children.size());
    ASSERT_GE(order.size(), kept);
    order.resize(kept);
    sorted.resize(kept);
    EXPECT_EQ(order, sorted);
  }
}

}  // namespace
}  // namespace espalier::search

#include "espalier/search/laso.h"

#include <gtest/gtest.h>

#include "espalier/base/random.h"
#include "espalier/search/tree_space.h"

namespace espalier::search {
namespace {

using Scratch = SearchScratch<TreeSpace, double>;

/// A tree of the given depth and fan-out with one target path, whose nodes have the first feature set.
TreeSpace marked_tree(uint64_t seed, size_t depth, size_t fan_out, size_t dimension) {
  Random random(seed);
  TreeSpace tree(dimension);
  std::vector<uint32_t> level{0};
  for (size_t d = 0; d < depth; ++d) {
    std::vector<uint32_t> next;
    for (const uint32_t v : level) {
      const size_t chosen = random.below(fan_out);
      for (size_t c = 0; c < fan_out; ++c) {
        const bool target = tree.is_target(v) && c == chosen;
        std::vector<double> f(dimension);
        for (size_t i = 1; i < dimension; ++i) f[i] = random.gaussian();
        f[0] = target ? 1 : -1;
        next.push_back(tree.add(v, f, target, target ? 0 : 1));
      }
    }
    level = next;
  }
  return tree;
}

/// Runs passes until one makes no update; returns false if that takes too long.
template <typename Learn>
bool converges(const std::vector<TreeSpace>& trees, const Learn& learn) {
  for (int sweep = 0; sweep < 500; ++sweep) {
    size_t updates = 0;
    for (const TreeSpace& tree : trees) updates += learn(tree);
    if (updates == 0) return true;
  }
  return false;
}

std::vector<TreeSpace> training_set(uint64_t seed) {
  std::vector<TreeSpace> trees;
  for (uint64_t i = 0; i < 5; ++i) trees.push_back(marked_tree(seed * 100 + i, 3, 3, 4));
  return trees;
}

TEST(Laso, BreadthFirstLearningEndsWithATargetInEveryBeam) {
  for (uint64_t seed = 1; seed <= 30; ++seed)
    for (const size_t width : {1, 2, 4}) {
      const auto trees = training_set(seed);
      DenseWeights w(4, 1);
      Scratch scratch;
      LasoOptions options;
      options.width = width;
      ASSERT_TRUE(converges(
          trees, [&](const TreeSpace& t) { return learn_breadth_first(t, w, options, scratch).value(); }));
      for (const TreeSpace& tree : trees) {
        Targets<TreeSpace> targets(tree, scratch.nodes);
        bool every_level = true;
        search_breadth_first(tree, w, width, scratch, [&](const Level& level) {
          bool any = false;
          for (size_t i = 0; i < level.kept; ++i) any = any || targets.child(level.children[level.order[i]]);
          every_level = every_level && any;
          return LevelDecision();
        });
        EXPECT_TRUE(every_level) << "seed " << seed << " width " << width;
      }
    }
}

TEST(Laso, WithABeamOfOneEveryLearnerLeadsGreedySearchToTheTarget) {
  for (uint64_t seed = 1; seed <= 30; ++seed) {
    const auto trees = training_set(seed);
    LasoOptions options;
    options.width = 1;
    Scratch scratch;
    const auto check = [&](auto&& learn) {
      DenseWeights w(4, 1);
      ASSERT_TRUE(converges(trees, [&](const TreeSpace& t) { return learn(t, w); }));
      for (const TreeSpace& tree : trees) EXPECT_EQ(tree.loss(decode_greedily(tree, w).state), 0);
    };
    check([&](const TreeSpace& t, DenseWeights& w) {
      return learn_breadth_first(t, w, options, scratch).value();
    });
    check([&](const TreeSpace& t, DenseWeights& w) {
      return learn_best_first(t, w, BestFirstRule::kXuFern, options, scratch).value();
    });
    check([&](const TreeSpace& t, DenseWeights& w) {
      return learn_best_first(t, w, BestFirstRule::kDaumeMarcu, options, scratch).value();
    });
    for (const auto when : {IncrementalUpdate::kEarly, IncrementalUpdate::kMaxViolation})
      check([&](const TreeSpace& t, DenseWeights& w) -> size_t {
        return learn_incrementally(t, w, when, options, scratch).value();
      });
  }
}

TEST(Laso, TheUpdateIsTheMeanOfTheTargetsMinusTheBeam) {
  // Two targets and three others below the root; a beam of two that prefers the others.
  TreeSpace tree(2);
  tree.add(0, {1, 0});
  tree.add(0, {0, 4});
  tree.add(0, {1, 1});
  const auto t1 = tree.add(0, {3, 0}, true);
  const auto t2 = tree.add(0, {5, 2}, true);
  for (const auto leaf : {t1, t2}) tree.add(leaf, {9, 9}, true);
  DenseWeights w(2, 1);
  LasoOptions options;
  options.width = 2;
  options.rate = 0.5;
  Scratch scratch;
  EXPECT_EQ(learn_breadth_first(tree, w, options, scratch).value(), 1u);
  // ½ ((3,0)+(5,2))/2 − ½ ((1,0)+(0,4))/2
  EXPECT_DOUBLE_EQ(w.values()[0], 0.5 * 4 - 0.5 * 0.5);
  EXPECT_DOUBLE_EQ(w.values()[1], 0.5 * 1 - 0.5 * 2);
}

TEST(Laso, DeepPathsAreUpdatedByTheirNodesAlone) {
  // Path sums telescope: an update at depth 2 adds f of the node there, not of its ancestors too.
  TreeSpace tree(1);
  const auto a = tree.add(0, {10}, true);
  tree.add(a, {7});
  tree.add(a, {3}, true);
  DenseWeights w(1, 1);
  LasoOptions options;
  options.width = 1;
  Scratch scratch;
  EXPECT_EQ(learn_breadth_first(tree, w, options, scratch).value(), 1u);
  EXPECT_DOUBLE_EQ(w.values()[0], 3 - 7);
}

TEST(Laso, EarlyUpdatesStopWhereTheTargetIsLostAndViolationsAreLookedForToTheEnd) {
  // The target loses by 1 at depth 1 and, with the other's child, by 5 at depth 2.
  TreeSpace tree(3);
  const auto wrong = tree.add(0, {1, 0, 0});
  const auto right = tree.add(0, {0, 0, 0}, true);
  tree.add(wrong, {1, 1, 0});
  tree.add(right, {0, 0, 1}, true);
  LasoOptions options;
  options.width = 1;
  Scratch scratch;
  DenseWeights early(3, 1), violation(3, 1);
  early.values() = violation.values() = {1, 4, 0};
  EXPECT_EQ(learn_incrementally(tree, early, IncrementalUpdate::kEarly, options, scratch).value(), 1u);
  EXPECT_EQ(early.values(), (std::vector<double>{0, 4, 0}));
  EXPECT_EQ(learn_incrementally(tree, violation, IncrementalUpdate::kMaxViolation, options, scratch).value(),
            1u);
  EXPECT_EQ(violation.values(), (std::vector<double>{0, 3, 1}));
}

TEST(Laso, AfterAnUpdateTheBeamHoldsEveryTargetEvenMoreThanItsWidth) {
  // One update leads to w = −½ and to both targets; the second best keeps a target in the beam when the best
  // one's children are added (Figure 4: B = G). A beam cut to its width would lose it and update again.
  TreeSpace tree(1);
  tree.add(0, {5});
  const auto t1 = tree.add(0, {4}, true);
  const auto t2 = tree.add(0, {3}, true);
  tree.add(t2, {6});
  for (const auto leaf : {t1, t2}) tree.add(leaf, {10}, true);
  DenseWeights w(1, 1);
  w.values() = {1};
  LasoOptions options;
  options.width = 1;
  Scratch scratch;
  EXPECT_EQ(learn_best_first(tree, w, BestFirstRule::kXuFern, options, scratch).value(), 1u);
  EXPECT_DOUBLE_EQ(w.values()[0], -0.5);
}

TEST(Laso, TheOriginalRuleAlsoMindsWrongGoalsOnTop) {
  // Both leaves fit into the beam; the wrong one ranks higher.
  TreeSpace tree(1);
  tree.add(0, {1});
  tree.add(0, {0}, true);
  DenseWeights w(1, 1);
  w.values() = {1};
  LasoOptions options;
  options.width = 2;
  Scratch scratch;
  EXPECT_EQ(learn_best_first(tree, w, BestFirstRule::kXuFern, options, scratch).value(), 0u);
  EXPECT_EQ(learn_best_first(tree, w, BestFirstRule::kDaumeMarcu, options, scratch).value(), 1u);
  EXPECT_DOUBLE_EQ(w.values()[0], 1 + 0 - 0.5);
}

}  // namespace
}  // namespace espalier::search

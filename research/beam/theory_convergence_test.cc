#include "research/beam/theory_convergence.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "research/beam/theory_instances.h"
#include "research/beam/theory_margins.h"

namespace espalier::research {
namespace {

const std::vector<double> kZero{0, 0};

double dot_product(const std::vector<double>& a, const std::vector<double>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

TEST(CounterExamples, PositiveSearchMarginDoesNotMakeTheLearnersConverge) {
  const double gamma = 0.5;
  const std::vector<double> w{gamma, gamma};
  for (const BeamMode mode : {BeamMode::kBreadthFirst, BeamMode::kBestFirst}) {
    EXPECT_TRUE(solves(counter_example_a(mode), w));
    EXPECT_DOUBLE_EQ(search_margin(counter_example_a(mode), w), gamma);
  }
  for (const BeamLearner learner : {BeamLearner::kLasoBr, BeamLearner::kLasoBst, BeamLearner::kLaso}) {
    const Convergence c = learn_until_unchanged(counter_example_a(BeamMode::kBreadthFirst), learner);
    EXPECT_EQ(c.w, kZero);
    EXPECT_EQ(c.updates, 1u);
    EXPECT_TRUE(c.unchanged);
    EXPECT_FALSE(c.solves);
  }
  EXPECT_EQ(level_margin(counter_example_a(BeamMode::kBreadthFirst).instances, w), 0);  // E ties with G, H
}

TEST(CounterExamples, PositiveLevelMarginHelpsBreadthFirstLearningOnly) {
  const double gamma = 0.5;
  const std::vector<double> w{2 * gamma, gamma};
  const BeamProblem b = counter_example_b(BeamMode::kBreadthFirst);
  EXPECT_DOUBLE_EQ(level_margin(b.instances, w), gamma);
  EXPECT_DOUBLE_EQ(global_margin(b.instances, w), -gamma);
  for (const BeamLearner learner : {BeamLearner::kLasoBst, BeamLearner::kLaso}) {
    const Convergence c = learn_until_unchanged(b, learner);
    EXPECT_EQ(c.w, kZero);
    EXPECT_TRUE(c.unchanged);
    EXPECT_FALSE(c.solves);
  }
  const Convergence br = learn_until_unchanged(b, BeamLearner::kLasoBr);
  EXPECT_EQ(br.w, (std::vector<double>{1, 0}));
  EXPECT_EQ(br.updates, 1u);
  EXPECT_TRUE(br.solves);
}

TEST(Margins, NoPairLeavesAMarginInfinite) {
  TreeSpace tree(1);
  tree.add(0, {1}, true);
  const std::vector<TreeSpace> trees{tree};
  EXPECT_EQ(level_margin(trees, std::vector<double>{1}), std::numeric_limits<double>::infinity());
  EXPECT_EQ(global_margin(trees, std::vector<double>{1}), std::numeric_limits<double>::infinity());
}

TEST(Margins, StrongerNotionsAreNeverLarger) {
  size_t positive = 0;
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    Random random(seed);
    TreeShape shape;
    shape.trees = 2;
    const auto [trees, truth] = trees_with_margin(
        random.split(1), shape, seed % 2 == 0 ? MarginScope::kLevel : MarginScope::kGlobal, 0.3);
    std::vector<double> w = truth;
    for (double& x : w) x += 0.1 * random.gaussian();
    const double global = global_margin(trees, w), level = level_margin(trees, w);
    EXPECT_LE(global, level);
    for (const size_t width : {1, 2, 5}) {
      // A search compares only some of the pairs of a level or of the tree.
      EXPECT_LE(level, search_margin({trees, width, BeamMode::kBreadthFirst, search::kNoHorizon}, w));
      EXPECT_LE(global, search_margin({trees, width, BeamMode::kBestFirst, search::kNoHorizon}, w));
      if (level > 0) {
        EXPECT_TRUE(solves({trees, width, BeamMode::kBreadthFirst, search::kNoHorizon}, w));
        ++positive;
      }
    }
    const BeamMargin none = beam_margin(trees, w, 0);
    EXPECT_EQ(none.delta1, level);  // b' = 0 is the level margin
    EXPECT_EQ(none.delta2, 0);
    EXPECT_GE(beam_margin(trees, w, 2).delta1, beam_margin(trees, w, 1).delta1);
  }
  EXPECT_GT(positive, 30u);
}

TEST(Margins, ABeamMarginHoldsAsDefinedAndNoLargerOneDoes) {
  for (uint64_t seed = 1; seed <= 30; ++seed) {
    TreeShape shape;
    shape.depth = 2;
    shape.fan_out = 4;
    const auto [trees, w] = trees_with_beam_margin(Random(seed), shape, 2, 0.4, 0.2);
    const BeamMargin margin = beam_margin(trees, w, 2);
    EXPECT_GE(margin.delta1, 0.4 - 1e-9);
    EXPECT_LE(margin.delta2, 0.2 + 1e-9);
    bool tight = false;
    for (const TreeSpace& tree : trees)
      for (size_t level = 1; level <= 2; ++level) {
        size_t within = 0;
        for (TreeState v = 1; v < tree.size(); ++v) {
          if (tree.depth(v) != level || tree.is_target(v)) continue;
          double gap = std::numeric_limits<double>::infinity();
          for (TreeState t = 1; t < tree.size(); ++t)
            if (tree.depth(t) == level && tree.is_target(t))
              gap = std::min(gap, node_value(tree, w, t) - node_value(tree, w, v));
          EXPECT_GE(gap, -margin.delta2);
          within += gap < margin.delta1 ? 1 : 0;
          tight = tight || gap == margin.delta1;
        }
        EXPECT_LE(within, 2u);
      }
    EXPECT_TRUE(tight);
  }
}

/// Checks that updates stay within the bound, that w is consistent, and both inequalities of the proof: ‖w‖²
/// ≤ kR², w*·w ≥ k·gain.
void expect_converged(const Convergence& c, const std::vector<double>& truth, double spread, double gain,
                      double bound, uint64_t seed) {
  const double k = static_cast<double>(c.updates);
  EXPECT_TRUE(c.unchanged) << "seed " << seed;
  EXPECT_TRUE(c.solves) << "seed " << seed;
  EXPECT_LE(k, bound) << "seed " << seed;
  EXPECT_LE(dot_product(c.w, c.w), k * spread * spread * (1 + 1e-9)) << "seed " << seed;
  EXPECT_GE(dot_product(c.w, truth), k * gain - 1e-6) << "seed " << seed;
}

/// Calls `learn` with 40 seeds, each with its random numbers and a number of trees, and adds up the updates
/// that it returns.
template <typename Learn>
size_t updates_of_all(Learn learn) {
  size_t updates = 0;
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    Random random(seed);
    TreeShape shape;
    shape.trees = 1 + random.below(3);
    updates += learn(seed, random, shape);
  }
  return updates;
}

/// Learning from trees that the truth separates by a margin within their levels or as a whole.
size_t updates_with_margin(MarginScope scope, BeamMode mode, BeamLearner learner) {
  return updates_of_all([&](uint64_t seed, Random& random, const TreeShape& shape) {
    const auto [trees, w] = trees_with_margin(random.split(1), shape, scope, 0.1);
    const double spread = feature_spread(trees);
    const double gamma = scope == MarginScope::kLevel ? level_margin(trees, w) : global_margin(trees, w);
    EXPECT_NEAR(dot_product(w, w), 1, 1e-12);
    EXPECT_GE(gamma, 0.1 - 1e-9);
    const BeamProblem problem{trees, 1 + random.below(3), mode, search::kNoHorizon};
    const Convergence c = learn_until_unchanged(problem, learner);
    expect_converged(c, w, spread, gamma, mistake_bound(spread, gamma), seed);
    return c.updates;
  });
}

TEST(MistakeBounds, HoldForALevelMarginAndBreadthFirstLearning) {
  EXPECT_GT(updates_with_margin(MarginScope::kLevel, BeamMode::kBreadthFirst, BeamLearner::kLasoBr), 100u);
}

TEST(MistakeBounds, HoldForAGlobalMarginAndBestFirstLearning) {
  EXPECT_GT(updates_with_margin(MarginScope::kGlobal, BeamMode::kBestFirst, BeamLearner::kLasoBst), 50u);
}

TEST(MistakeBounds, HoldForABeamMarginAndBeamsThatAreWideEnough) {
  const size_t updates = updates_of_all([](uint64_t seed, Random& random, TreeShape shape) {
    shape.depth = 2;
    shape.fan_out = 5;
    const size_t ambiguous = 1 + random.below(2);
    const auto [trees, w] = trees_with_beam_margin(random.split(1), shape, ambiguous, 0.2, 0.2);
    const double spread = feature_spread(trees);
    const BeamMargin margin = beam_margin(trees, w, ambiguous);
    const double needed = (1 + margin.delta2 / margin.delta1) * static_cast<double>(ambiguous);
    const size_t width = static_cast<size_t>(needed) + 1;
    const BeamProblem problem{trees, width, BeamMode::kBreadthFirst, search::kNoHorizon};
    EXPECT_TRUE(solves(problem, w));
    const Convergence c = learn_until_unchanged(problem, BeamLearner::kLasoBr);
    const double gain = margin.delta1 * (1 - needed / static_cast<double>(width));
    expect_converged(c, w, spread, gain, mistake_bound(spread, margin, width), seed);
    return c.updates;
  });
  EXPECT_GT(updates, 50u);
}

TEST(MistakeBounds, AreReachedByOrthogonalInstances) {
  for (const size_t n : {1, 4, 9, 16}) {
    const auto [trees, w] = trees_of_full_bound(n);
    const double spread = feature_spread(trees);
    EXPECT_NEAR(mistake_bound(spread, global_margin(trees, w)), static_cast<double>(n), 1e-9);
    for (const BeamLearner learner : {BeamLearner::kLasoBr, BeamLearner::kLasoBst}) {
      const Convergence c =
          learn_until_unchanged({trees, 1, BeamMode::kBreadthFirst, search::kNoHorizon}, learner);
      EXPECT_EQ(c.updates, n);
      EXPECT_TRUE(c.solves);
    }
  }
}

TEST(MistakeBounds, AreInfiniteWhereTheTheoremsSayNothing) {
  const double infinite = std::numeric_limits<double>::infinity();
  EXPECT_EQ(mistake_bound(1, 0.0), infinite);
  EXPECT_EQ(mistake_bound(1, -1.0), infinite);
  EXPECT_EQ(mistake_bound(1, BeamMargin{2, 1, 1}, 4), infinite);       // b = b*
  EXPECT_DOUBLE_EQ(mistake_bound(3, BeamMargin{2, 1, 1}, 5), 9 * 25);  // ((2b' + 1) R/δ1)²
  EXPECT_DOUBLE_EQ(mistake_bound(3, BeamMargin{0, 1.5, 0}, 1), 4);
}

TEST(Convergence, TheRateScalesWeightsAndNothingElse) {
  TreeShape shape;
  shape.trees = 3;
  const auto [trees, w] = trees_with_margin(Random(5), shape, MarginScope::kLevel, 0.2);
  const BeamProblem problem{trees, 2, BeamMode::kBreadthFirst, search::kNoHorizon};
  ConvergenceOptions half;
  half.rate = 0.5;
  const Convergence a = learn_until_unchanged(problem, BeamLearner::kLasoBr);
  const Convergence b = learn_until_unchanged(problem, BeamLearner::kLasoBr, half);
  EXPECT_EQ(a.updates, b.updates);
  for (size_t i = 0; i < a.w.size(); ++i) EXPECT_DOUBLE_EQ(a.w[i], 2 * b.w[i]);
}

TEST(Convergence, StopsWhereItIsTold) {
  const auto [trees, w] = trees_of_full_bound(4);
  ConvergenceOptions one;
  one.max_sweeps = 1;
  const Convergence c = learn_until_unchanged({trees, 1, BeamMode::kBreadthFirst, search::kNoHorizon},
                                              BeamLearner::kLasoBr, one);
  EXPECT_EQ(c.sweeps, 1u);
  EXPECT_FALSE(c.unchanged);
}

}  // namespace
}  // namespace espalier::research

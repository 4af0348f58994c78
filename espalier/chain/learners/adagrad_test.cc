#include "espalier/chain/learners/adagrad.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "espalier/base/random.h"

namespace espalier::chain {
namespace {

AlignedVector<float> random_floats(Random& random, size_t n) {
  AlignedVector<float> x(n);
  for (float& v : x) v = static_cast<float>(random.gaussian());
  return x;
}

/// The formula, one weight at a time.
void step(double gradient, double rate, float& weight, float& square) {
  const double h = static_cast<double>(square) + gradient * gradient;
  square = static_cast<float>(h);
  if (h > 0) weight = static_cast<float>(static_cast<double>(weight) - rate * gradient / std::sqrt(h));
}

TEST(AdagradTest, DenseStepsFollowTheFormulaAtEveryLength) {
  Random random(1);
  for (size_t n = 1; n <= 40; ++n) {
    AlignedVector<float> g = random_floats(random, n + 8), w = random_floats(random, n + 8), h(n + 8, 0.5f);
    g[0] = 0;
    AlignedVector<float> w_plain = w, h_plain = h;
    for (int repeat = 0; repeat < 3; ++repeat) {
      adagrad_dense(g.data(), n, 0.1f, w.data(), h.data());
      for (size_t i = 0; i < n; ++i) step(static_cast<double>(g[i]), 0.1, w_plain[i], h_plain[i]);
    }
    for (size_t i = 0; i < n + 8; ++i) {  // what lies behind the end belongs to someone else
      EXPECT_NEAR(w[i], w_plain[i], 1e-5) << n << " weights, number " << i;
      EXPECT_NEAR(h[i], h_plain[i], 1e-4);
    }
  }
}

TEST(AdagradTest, StepsOfSomeWeightsAreThoseOfAllAndTakeTheirGradients) {
  Random random(7);
  AlignedVector<float> g = random_floats(random, 40), w = random_floats(random, 40), h(40, 0.5f);
  AlignedVector<float> g_left = g, w_all = w, h_all = h;
  const std::vector<uint32_t> which = {3, 17, 4, 39, 17};  // the second time without a gradient
  for (const uint32_t i : which) g_left[i] = 0;
  for (size_t i = 0; i < 40; ++i)
    if (g_left[i] == 0) step(static_cast<double>(g[i]), 0.1, w_all[i], h_all[i]);
  adagrad_at(which, g.data(), 0.1f, w.data(), h.data());
  EXPECT_EQ(g, g_left);
  for (size_t i = 0; i < 40; ++i) {
    EXPECT_NEAR(w[i], w_all[i], 1e-6) << i;
    EXPECT_NEAR(h[i], h_all[i], 1e-5) << i;
  }
}

TEST(AdagradTest, NoGradientMeansNoStepEvenFromNothing) {
  AlignedVector<float> g(8, 0.0f), w(8, 1.5f), h(8, 0.0f);
  adagrad_dense(g.data(), 8, 0.1f, w.data(), h.data());
  for (const float x : w) EXPECT_EQ(x, 1.5f);
}

TEST(AdagradTest, RowsAreSteppedWeightByWeight) {
  linear::StateRows layout;
  layout.width = 10;
  layout.column = {1, 4, /* full: */ 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, /* empty, then: */ 9};
  layout.begin = {0, 2, 12, 12, 13};
  Random random(2);
  const AlignedVector<float> gradient = random_floats(random, 16);
  const std::vector<uint32_t> features = {1, 0, 2, 3, 1};  // one of them twice
  const std::vector<float> values = {0.5f, 2, 1, -1, 1.5f};
  for (const float* v : {static_cast<const float*>(nullptr), values.data()}) {
    AlignedVector<float> w = random_floats(random, layout.weights() + 8), h(layout.weights() + 8, 0.1f);
    AlignedVector<float> w_plain = w, h_plain = h;
    adagrad_rows(layout, features, v, gradient.data(), 0.3f, w.data(), h.data());
    for (size_t i = 0; i < features.size(); ++i)
      for (uint32_t k = layout.begin[features[i]]; k < layout.begin[features[i] + 1]; ++k)
        step(static_cast<double>(gradient[layout.column[k]] * (v == nullptr ? 1 : v[i])), 0.3, w_plain[k],
             h_plain[k]);
    for (size_t k = 0; k < w.size(); ++k) EXPECT_NEAR(w[k], w_plain[k], 1e-5) << "weight " << k;
  }
}

TEST(AdagradTest, AFewColumnsAreSteppedAsAllWouldBeWithNoGradientElsewhere) {
  constexpr size_t kWidth = 40;
  linear::StateRows layout;
  layout.width = kWidth;
  layout.column = {1, 4, 39};
  for (uint16_t c = 0; c < kWidth; ++c) layout.column.push_back(c);
  layout.begin = {0, 3, 3 + kWidth};
  Random random(4);
  const std::vector<uint32_t> features = {1, 0, 1};
  const std::vector<float> values = {0.5f, 2, 1.5f};
  for (const std::vector<uint16_t>& columns :
       std::vector<std::vector<uint16_t>>{{}, {4}, {0, 4, 39}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 39}})
    for (const float* v : {static_cast<const float*>(nullptr), values.data()}) {
      AlignedVector<float> gradient(kWidth, 0.0f);
      for (const uint16_t c : columns) gradient[c] = static_cast<float>(random.gaussian());
      AlignedVector<float> w = random_floats(random, layout.weights() + 8), h(layout.weights() + 8, 0.1f);
      AlignedVector<float> all_w = w, all_h = h;
      adagrad_rows_of_columns(layout, features, v, columns, gradient.data(), 0.3f, w.data(), h.data());
      adagrad_rows(layout, features, v, gradient.data(), 0.3f, all_w.data(), all_h.data());
      for (size_t k = 0; k < w.size(); ++k) {
        EXPECT_NEAR(w[k], all_w[k], 1e-6) << "weight " << k;
        EXPECT_NEAR(h[k], all_h[k], 1e-6) << "square " << k;
      }
    }
}

TEST(ShrinkTest, FollowsTheImplicitStep) {
  Random random(3);
  AlignedVector<float> w = random_floats(random, 24), h(24);
  for (float& x : h) x = 0.1f + static_cast<float>(random.uniform());
  const AlignedVector<float> before = w;
  shrink(24, 0.2f, 0.125f, 0.7f, 0.4f, w.data(), h.data());
  for (size_t i = 0; i < w.size(); ++i) {
    const double a = 0.2 * 0.125 / std::sqrt(static_cast<double>(h[i])), x = static_cast<double>(before[i]);
    const double expected = std::copysign(std::max(0.0, std::abs(x) - a * 0.7), x) / (1 + 2 * a * 0.4);
    EXPECT_NEAR(w[i], expected, 1e-6);
  }
}

TEST(ShrinkTest, L1ReachesExactlyZeroAndStaysThere) {
  AlignedVector<float> w = {0.01f, -0.01f, 5, -5, 0, 0, 0, 0}, h(8, 1.0f);
  for (int i = 0; i < 3; ++i) shrink(8, 1, 1, 0.02f, 0, w.data(), h.data());
  EXPECT_EQ(w[0], 0);
  EXPECT_EQ(w[1], 0);
  EXPECT_NEAR(w[2], 5 - 0.06, 1e-5);
  EXPECT_NEAR(w[3], -5 + 0.06, 1e-5);
  EXPECT_EQ(w[4], 0);
}

TEST(ShrinkTest, AWeightThatNoGradientMovedStays) {
  AlignedVector<float> w(8, 0.3f), h(8, 0.0f);  // no gradient yet: the step is as large as can be
  shrink(8, 0.2f, 0.125f, 0, 1, w.data(), h.data());
  for (const float x : w) EXPECT_EQ(x, 0.3f);
}

TEST(AccumulateTest, AddsInDouble) {
  const std::vector<float> w = {1e-8f, 2};
  std::vector<double> sum = {1, 1};
  accumulate(w.data(), 2, sum.data());
  EXPECT_GT(sum[0], 1);
  EXPECT_EQ(sum[1], 3);
}

TEST(AccumulateTest, AddsExactlyAtEveryLengthAndNothingBehindIt) {
  Random random(8);
  for (size_t n = 0; n <= 37; ++n) {
    const AlignedVector<float> w = random_floats(random, n + 8);
    std::vector<double> sum(n + 8, 0.1), plain = sum;
    accumulate(w.data(), n, sum.data());
    for (size_t i = 0; i < n; ++i) plain[i] += static_cast<double>(w[i]);
    EXPECT_EQ(sum, plain) << n;
  }
}

TEST(ShrinkTowards, PullsTowardsTheAnchorAsShrinkDoesTowardsZero) {
  AlignedVector<float> w(24, 0.0f), from(24, 0.0f), off(24, 0.0f), squares(24, 0.0f);
  for (size_t i = 0; i < 16; ++i) {
    from[i] = 0.3f * static_cast<float>(i) - 2;
    off[i] = i % 3 == 0 ? 0.0f : 0.05f * static_cast<float>(i) - 0.4f;
    w[i] = from[i] + off[i];
    squares[i] = i % 5 == 0 ? 0.0f : static_cast<float>(i);
  }
  shrink_towards(16, 0.2f, 0.5f, 0.1f, 1.0f, from.data(), w.data(), squares.data());
  shrink(16, 0.2f, 0.5f, 0.1f, 1.0f, off.data(), squares.data());
  for (size_t i = 0; i < 16; ++i) EXPECT_NEAR(w[i], from[i] + off[i], 1e-6f) << i;
}

TEST(OldModel, CountsInTheAverageAsAPassOverAsMuchDataAndAsNothingBesideALittle) {
  EXPECT_EQ(old_snapshots(old_counts(200'000, 200'000), 8), 8u);
  EXPECT_EQ(old_snapshots(old_counts(200'000, 400'000), 8), 8u);
  EXPECT_EQ(old_snapshots(old_counts(200'000, 100'000), 8), 4u);
  EXPECT_EQ(old_snapshots(old_counts(200'000, 16'000), 8), 0u);
  EXPECT_EQ(old_snapshots(old_counts(200'000, 225), 8), 0u);
}

TEST(EstimateSquares, OldWeightsGetThoseOfTheirTrainingAndNewOnesNone) {
  const std::vector<float> weights = {0, 0.5f, -2, 0};
  std::vector<float> squares = {3, 3, 0, 0};
  estimate_squares(4, 10, weights.data(), squares.data());
  EXPECT_EQ(squares, (std::vector<float>{0, 31, 1, 0}));
}

TEST(OldModel, CountsMuchMoreThanAHandfulOfNewSentences) {
  EXPECT_NEAR(old_counts(200'000, 16'000), 12.5, 0.02);
  EXPECT_NEAR(old_counts(200'000, 1'500), 2 * 200'000 / 1'500.0, 1e-6);
  // About fifteen sentences: what they say of weights that the old model has is next to nothing.
  EXPECT_GT(old_counts(200'000, 225), 5e5 * 200'000 / 225);
  EXPECT_NEAR(old_counts(1'000, 300), 1'000 / 300.0, 0.2);  // it has not learned from much itself
  EXPECT_GT(old_counts(1'000, 0), 0);
}

TEST(OldModel, CountsByTheRootOfHowMuchMoreItHasLearnedFrom) {
  EXPECT_FLOAT_EQ(share_of_new(900, 100), 0.25f);
  const std::vector<float> old = {2, 0, -1};
  std::vector<float> weights = {4, 4, -1};
  average_with_old(old, 0.25f, weights);
  EXPECT_EQ(weights, (std::vector<float>{2.5f, 4, -1}));
}

}  // namespace
}  // namespace espalier::chain

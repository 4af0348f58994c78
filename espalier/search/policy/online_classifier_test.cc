#include "espalier/search/policy/online_classifier.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "espalier/base/random.h"

namespace espalier::search {
namespace {

TEST(AllPairs, WeightsArePaidBackByTheCostOfTheWinner) {
  // With v as defined, the weights of the pairs that label k loses against all cheaper ones sum to its
  // regret: Σ_{r<k} (v_k − v_r) = c_k − c_1. The guarantee of the reduction rests on this identity.
  Random random(3);
  for (int trial = 0; trial < 100; ++trial) {
    std::vector<float> costs(2 + random.below(6));
    for (float& c : costs) c = static_cast<float>(random.uniform() * 3);
    std::sort(costs.begin(), costs.end());
    const auto v = all_pairs_values(costs);
    EXPECT_EQ(v[0], 0);
    for (size_t r = 1; r < v.size(); ++r)
      EXPECT_NEAR((v[r] - v[r - 1]) * static_cast<double>(r), costs[r] - costs[r - 1], 1e-6);
  }
}

TEST(AllPairs, UnderHammingLossOnlyPairsWithTheTruthCount) {
  const std::vector<float> costs{1, 0, 1, 1};
  EXPECT_EQ(all_pairs_values(costs), (std::vector<double>{1, 0, 1, 1}));
}

TEST(DirectLosses, GradientsAgreeWithFiniteDifferences) {
  Random random(5);
  for (const auto loss : {DirectLoss::kPerceptron, DirectLoss::kHinge, DirectLoss::kLogistic,
                          DirectLoss::kSoftmaxMargin, DirectLoss::kLeastSquares})
    for (const auto reduction : {Reduction::kDirect, Reduction::kOneVsAll, Reduction::kAllPairs})
      for (int trial = 0; trial < 20; ++trial) {
        std::vector<float> scores(5), costs(5), gradient(5, 0.0f);
        for (float& s : scores) s = static_cast<float>(random.gaussian() * 2);
        for (float& c : costs) c = static_cast<float>(random.below(3));
        const size_t target = random.below(5);
        costs[target] = 0;
        direct_gradient(loss, reduction, scores, costs, target, gradient);
        for (size_t a = 0; a < 5; ++a) {
          // The perceptron's step size is c(â), which jumps where â changes; elsewhere all losses are smooth.
          const float h = 1e-3f;
          auto up = scores, down = scores;
          up[a] += h;
          down[a] -= h;
          std::vector<float> at_up(5, 0.0f), at_down(5, 0.0f);
          const double above = direct_gradient(loss, reduction, up, costs, target, at_up);
          const double below = direct_gradient(loss, reduction, down, costs, target, at_down);
          const bool smooth = loss == DirectLoss::kLogistic || loss == DirectLoss::kSoftmaxMargin ||
                              loss == DirectLoss::kLeastSquares;
          const bool kink = !smooth && at_up != at_down;
          if (kink) continue;
          EXPECT_NEAR((above - below) / (2 * h), gradient[a], 5e-3)
              << static_cast<int>(loss) << static_cast<int>(reduction);
        }
      }
}

TEST(DirectLosses, ActionsAsGoodAsTheTargetAreLeftInPeace) {
  const std::vector<float> scores{1, 3, 2}, costs{0, 0, 1};
  for (const auto loss :
       {DirectLoss::kPerceptron, DirectLoss::kHinge, DirectLoss::kLogistic, DirectLoss::kSoftmaxMargin})
    for (const auto reduction : {Reduction::kDirect, Reduction::kOneVsAll}) {
      std::vector<float> gradient(3, 0.0f);
      direct_gradient(loss, reduction, scores, costs, 0, gradient);
      EXPECT_EQ(gradient[1], 0);
    }
}

TEST(DirectLosses, LeastSquaresIsContentWithCostsOfTheOppositeSignWhateverTheirMean) {
  const std::vector<float> costs{0, 1, 3};
  std::vector<float> gradient(3, 0.0f);
  EXPECT_NEAR(direct_gradient(DirectLoss::kLeastSquares, Reduction::kDirect, std::vector<float>{7, 6, 4},
                              costs, 0, gradient),
              0, 1e-9);
  EXPECT_EQ(gradient, (std::vector<float>{0, 0, 0}));
  // Equally good actions share what they have too little of, whichever was to be imitated.
  direct_gradient(DirectLoss::kLeastSquares, Reduction::kDirect, std::vector<float>{1, 1, 1},
                  std::vector<float>{0, 0, 3}, 0, gradient);
  EXPECT_EQ(gradient, (std::vector<float>{-1, -1, 2}));
}

TEST(DirectLosses, AsAMarginWhatCostsMoreIsPushedFurtherDown) {
  const std::vector<float> scores{1, 1, 1}, costs{0, 1, 3};
  std::vector<float> gradient(3, 0.0f);
  direct_gradient(DirectLoss::kSoftmaxMargin, Reduction::kDirect, scores, costs, 0, gradient);
  EXPECT_GT(gradient[2], gradient[1]);
  EXPECT_NEAR(gradient[0] + gradient[1] + gradient[2], 0, 1e-6);
  gradient.assign(3, 0.0f);
  direct_gradient(DirectLoss::kLogistic, Reduction::kDirect, scores, costs, 0, gradient);
  EXPECT_EQ(gradient[2], gradient[1]);
}

}  // namespace
}  // namespace espalier::search

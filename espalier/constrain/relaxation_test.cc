#include "espalier/constrain/relaxation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "espalier/constrain/random_constraints.h"

namespace espalier::constrain {
namespace {

TEST(Relaxation, PricesOnlyEverBoundWhatSatisfiesTheRulesAndStrikeOutNothingItNeeds) {
  Random random(71);
  const ConstraintScope candidates{.name = "roles", .spans = true, .none = data::Label{0}, .columns = 1};
  size_t tightened = 0, struck = 0, solved = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const size_t K = 3 + random.below(2), T = 1 + random.below(6), S = 8;
    std::string text = random.below(4) > 0 ? "no overlap\n" : "";
    for (size_t i = 0; i < 2; ++i) text += random_constraint(random, K, {.neighbours = false, .spans = true});
    const data::LabelSet labels = letters(K);
    const auto constraints =
        Constraints::resolve(text, "c", candidates, labels,
                             [](const std::string& f) -> Result<std::string> { return fail("{}", f); });
    ASSERT_TRUE(constraints.ok()) << text;
    std::vector<CandidateSpan> spans;
    for (size_t t = 0; t < T; ++t) {
      const size_t begin = random.below(8);
      spans.push_back({begin, begin + 1 + random.below(4)});
    }
    std::sort(spans.begin(), spans.end(), [](const auto& a, const auto& b) { return a.begin < b.begin; });
    const Instance instance = constraints->instance(
        T, [](size_t, size_t) { return std::string_view("_"); }, spans);
    AlignedVector<float> node(T * S, chain::kImpossible);
    std::vector<double> value(T * K);
    for (size_t t = 0; t < T; ++t)
      for (size_t y = 0; y < K; ++y)
        value[t * K + y] = node[t * S + y] = static_cast<float>(random.gaussian());
    const Scores scores{T, K, S, node.data(), nullptr, nullptr};
    std::vector<data::Label> best;
    const double optimum = best_of_all(*constraints, instance, scores, &best);
    const Compiled compiled(*constraints);
    Relaxation relaxation(compiled, instance, value);
    relaxation.solve();
    const double first = relaxation.bound();
    if (best.empty()) continue;
    double lowest = first;
    for (int i = 0; i < 40 && relaxation.step(optimum, 1.0); ++i) {
      relaxation.solve();
      ASSERT_GE(relaxation.bound(), optimum - 1e-9) << text;
      lowest = std::min(lowest, relaxation.bound());
    }
    relaxation.take_best();
    EXPECT_DOUBLE_EQ(relaxation.bound(), lowest);
    tightened += lowest < first - 1e-9;
    solved += lowest < optimum + 1e-6;
    const size_t left = relaxation.strike(optimum - 1e-9);
    struck += T * K - left;
    for (size_t t = 0; t < T; ++t) EXPECT_TRUE(std::isfinite(value[t * K + best[t]])) << text;
  }
  EXPECT_GT(tightened, 50u);
  EXPECT_GT(solved, 100u);
  EXPECT_GT(struck, 1000u);
}

}  // namespace
}  // namespace espalier::constrain

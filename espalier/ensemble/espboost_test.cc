#include "espalier/ensemble/espboost.h"

#include <gtest/gtest.h>

#include <cmath>

#include "espalier/ensemble/bounds.h"
#include "espalier/ensemble/random_votes.h"

namespace espalier::ensemble {
namespace {

/// F(α) after the rounds so far plus `step` on the path of the last one, by its definition.
double objective(const VoteBatch& batch, std::span<const BoostRound> rounds, double step) {
  double sum = 0;
  size_t sequences = 0;
  for (size_t s = 0; s < batch.sequences(); ++s) {
    const VoteView view = batch[s];
    if (view.items() == 0) continue;
    ++sequences;
    for (size_t i = 0; i < view.items(); ++i) {
      double margin = 0;
      for (size_t t = 0; t < rounds.size(); ++t) {
        const Value said = view.item(i)[rounds[t].path[view.slot[i]]];
        const double rho = said == kAbsent ? 0 : said == view.gold[i] ? 1 : -1;
        margin += rho * (t + 1 == rounds.size() ? step : rounds[t].step);
      }
      sum += std::exp(-margin) / static_cast<double>(view.items());
    }
  }
  return sum / static_cast<double>(sequences);
}

TEST(EspBoost, StepEqualsANumericLineSearch) {
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    RandomVotesOptions shape;
    shape.sequences = 60;
    shape.silence = seed % 3 == 0 ? 0.15 : 0;
    const VoteBatch batch = random_votes(shape, seed);
    BatchSource source(batch);
    const auto result = learn_espboost(source, {.rounds = 6});
    ASSERT_TRUE(result.ok());
    for (size_t t = 1; t <= result->rounds.size(); ++t) {
      const std::span<const BoostRound> rounds = std::span(result->rounds).first(t);
      double low = 0, high = 20;
      for (int i = 0; i < 200; ++i) {  // F is convex in the step
        const double a = low + (high - low) / 3, b = high - (high - low) / 3;
        (objective(batch, rounds, a) < objective(batch, rounds, b) ? high : low) =
            objective(batch, rounds, a) < objective(batch, rounds, b) ? b : a;
      }
      EXPECT_NEAR(rounds.back().step, (low + high) / 2, 1e-6);
    }
    EXPECT_NEAR(result->objective, objective(batch, result->rounds, result->rounds.back().step), 1e-9);
  }
}

TEST(EspBoost, TakesThePathOfLeastErrorAmongAllPaths) {
  RandomVotesOptions shape;
  shape.sequences = 50;
  shape.longest = 3;
  const VoteBatch batch = random_votes(shape, 3);
  BatchSource source(batch);
  const auto result = learn_espboost(source, {.rounds = 1});
  ASSERT_TRUE(result.ok());
  double least = 1;
  for (uint32_t n = 0; n < 27; ++n) {
    const std::vector<uint32_t> path{n % 3, n / 3 % 3, n / 9};
    double error = 0;
    size_t sequences = 0;
    for (size_t s = 0; s < batch.sequences(); ++s) {
      const VoteView view = batch[s];
      sequences += view.items() > 0;
      for (size_t i = 0; i < view.items(); ++i)
        error += (view.item(i)[path[view.slot[i]]] != view.gold[i]) / static_cast<double>(view.items());
    }
    least = std::min(least, error / static_cast<double>(sequences));
  }
  EXPECT_NEAR(result->rounds[0].error, least, 1e-12);
}

TEST(EspBoost, LemmaThreeAndTheoremFiveHoldOnEverySample) {
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    RandomVotesOptions shape;
    shape.sequences = 30 + seed;
    shape.experts = 2 + seed % 4;
    shape.values = 2 + seed % 4;
    const VoteBatch batch = random_votes(shape, seed);
    BatchSource source(batch);
    const auto result = learn_espboost(source, {.rounds = 25});
    ASSERT_TRUE(result.ok());
    EXPECT_LE(evaluate(source, result->table)->mean(), result->objective + 1e-12);
    for (const double rho : {0.01, 0.05, 0.1, 0.3, 0.6}) {
      const auto loss = margin_loss(source, result->table, rho);
      EXPECT_LE(*loss, theorem5_bound(result->rounds, rho) + 1e-12) << "seed " << seed << " rho " << rho;
    }
  }
}

TEST(EspBoost, EndsWhereNoPathIsBetterThanChance) {
  VoteBatch batch(2);
  for (int s = 0; s < 10; ++s) {  // after one round the two experts are as good as a coin
    batch.add_item(0, 1, std::vector<Value>{Value(s % 3 != 0), Value(s % 3 != 0)});
    batch.end_sequence();
  }
  BatchSource source(batch);
  const auto result = learn_espboost(source, {.rounds = 50});
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->end, BoostEnd::kWeakLearning);
  EXPECT_EQ(result->rounds.size(), 1u);
  EXPECT_NE(result->in_words().find("no path expert"), std::string::npos);
  VoteBatch hopeless(1);
  hopeless.add_item(0, 1, std::vector<Value>{0});
  hopeless.end_sequence();
  BatchSource hopeless_source(hopeless);
  EXPECT_FALSE(learn_espboost(hopeless_source, {}).ok());
}

TEST(EspBoost, APathWithoutErrorStandsAlone) {
  VoteBatch batch(2);
  for (int s = 0; s < 10; ++s) {
    batch.add_item(0, 1, std::vector<Value>{1, 0});
    batch.add_item(1, 2, std::vector<Value>{0, 2});
    batch.end_sequence();
  }
  BatchSource source(batch);
  const auto result = learn_espboost(source, {});
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->end, BoostEnd::kPerfect);
  EXPECT_EQ(evaluate(source, result->table)->mean(), 0);
  EXPECT_EQ(theorem5_bound(result->rounds, 0.1), 0);
}

}  // namespace
}  // namespace espalier::ensemble

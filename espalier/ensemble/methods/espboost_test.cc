#include "espalier/ensemble/methods/espboost.h"

#include <gtest/gtest.h>

#include <cmath>

#include "espalier/ensemble/methods/boost_sample.h"
#include "espalier/ensemble/methods/bounds.h"
#include "espalier/ensemble/methods/selection.h"
#include "espalier/ensemble/votes/random_votes.h"

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
    const VoteBatch batch = random_votes({.sequences = 60, .silence = seed % 3 == 0 ? 0.15 : 0}, seed);
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
  const VoteBatch batch = random_votes({.sequences = 50, .longest = 3}, 3);
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
    const VoteBatch batch =
        random_votes({.experts = 2 + seed % 4, .sequences = 30 + seed, .values = 2 + seed % 4}, seed);
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

/// Random votes with probabilities: experts are surer where they are right, mostly.
VoteBatch sure_votes(uint64_t seed, size_t longest) {
  RandomVotesOptions shape;
  shape.sequences = 60;
  shape.longest = longest;
  shape.silence = seed % 3 == 0 ? 0.15 : 0;
  const VoteBatch plain = random_votes(shape, seed);
  Random random(seed);
  VoteBatch batch(plain.experts());
  for (size_t s = 0; s < plain.sequences(); ++s) {
    VoteView view = plain[s];
    std::vector<float> probability;
    for (size_t i = 0; i < view.items(); ++i)
      for (const Value said : view.item(i))
        probability.push_back(
            static_cast<float>((said == view.gold[i] ? 0.4 : 0.2) + 0.6 * random.uniform()));
    view.probability = probability;
    batch.add(view);
  }
  return batch;
}

/// ρ of an expert at an item that it is sure of with some probability.
double sure_margin(const VoteView& view, size_t i, size_t expert) {
  const Value said = view.item(i)[expert];
  const double sure = view.probability[i * view.experts + expert];
  return said == kAbsent ? 0 : said == view.gold[i] ? sure : -sure;
}

double sure_objective(const VoteBatch& batch, std::span<const BoostRound> rounds, double step) {
  double sum = 0;
  size_t sequences = 0;
  for (size_t s = 0; s < batch.sequences(); ++s) {
    const VoteView view = batch[s];
    sequences += view.items() > 0;
    for (size_t i = 0; i < view.items(); ++i) {
      double margin = 0;
      for (size_t t = 0; t < rounds.size(); ++t)
        margin += sure_margin(view, i, rounds[t].path[view.slot[i]]) *
                  (t + 1 == rounds.size() ? step : rounds[t].step);
      sum += std::exp(-margin) / static_cast<double>(view.items());
    }
  }
  return sum / static_cast<double>(sequences);
}

TEST(EspBoost, WithProbabilitiesStepsMinimiseTheObjectiveAndTheBoundsHold) {
  for (uint64_t seed = 1; seed <= 9; ++seed) {
    const VoteBatch batch = sure_votes(seed, 4);
    BatchSource source(batch);
    const auto result = learn_espboost(source, {.rounds = 5});
    ASSERT_TRUE(result.ok());
    for (size_t t = 1; t <= result->rounds.size(); ++t) {
      const auto rounds = std::span(result->rounds).first(t);
      const double step = rounds.back().step, least = sure_objective(batch, rounds, step);
      for (const double away : {0.99, 1.01}) EXPECT_LT(least, sure_objective(batch, rounds, away * step));
    }
    EXPECT_NEAR(result->objective, sure_objective(batch, result->rounds, result->rounds.back().step), 1e-9);
    EXPECT_LE(evaluate(source, result->table)->mean(), result->objective + 1e-12);
    for (const double rho : {0.01, 0.1, 0.4})
      EXPECT_LE(*margin_loss(source, result->table, rho), theorem5_bound(result->rounds, rho) + 1e-12);
  }
}

TEST(EspBoost, SureOfEverythingIsTheSameAsLabelsAlone) {
  const VoteBatch plain = random_votes({.sequences = 40}, 4);
  VoteBatch sure(plain.experts());
  for (size_t s = 0; s < plain.sequences(); ++s) {
    VoteView view = plain[s];
    const std::vector<float> ones(view.votes.size(), 1);
    view.probability = ones;
    sure.add(view);
  }
  BatchSource one(plain), other(sure);
  const auto a = learn_espboost(one, {.rounds = 8}), b = learn_espboost(other, {.rounds = 8});
  ASSERT_TRUE(a.ok() && b.ok());
  ASSERT_EQ(a->rounds.size(), b->rounds.size());
  for (size_t t = 0; t < a->rounds.size(); ++t) {
    EXPECT_EQ(a->rounds[t].path, b->rounds[t].path);
    EXPECT_NEAR(a->rounds[t].step, b->rounds[t].step, 1e-9);
  }
}

TEST(EspBoost, TheMoreProbableOfTwoWins) {
  VoteBatch batch(2);
  VoteView view;
  const std::vector<uint32_t> slot{0};
  const std::vector<Value> gold{1}, votes{1, 2};
  const std::vector<float> probability{0.9f, 0.3f};
  view = {2, slot, gold, votes, probability};
  const WeightTable alike = majority_table(2);
  EXPECT_EQ(vote_errors(view, alike).wrong, 0u);
  const std::vector<float> other{0.3f, 0.9f};
  view.probability = other;
  EXPECT_EQ(vote_errors(view, alike).wrong, 1u);
}

TEST(BoostingLineSearch, FindsTheMinimumOrSaysThereIsNone) {
  EXPECT_NEAR(boosting_line_search(std::vector<double>{.8, .2}, std::vector<double>{1, -1}),
              0.5 * std::log(4), 1e-10);
  EXPECT_EQ(boosting_line_search(std::vector<double>{.2, .8}, std::vector<double>{1, -1}), 0);
  EXPECT_TRUE(std::isinf(boosting_line_search(std::vector<double>{1}, std::vector<double>{.3})));
  EXPECT_EQ(boosting_line_search(std::vector<double>{1}, std::vector<double>{-.3}), 0);
}

}  // namespace
}  // namespace espalier::ensemble

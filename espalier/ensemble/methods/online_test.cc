#include "espalier/ensemble/methods/online.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "espalier/ensemble/methods/selection.h"
#include "espalier/ensemble/votes/random_votes.h"

namespace espalier::ensemble {
namespace {

/// Every path of the full automaton with its probability, updated by equation 2 as it stands.
class AllPaths {
 public:
  AllPaths(size_t experts, size_t slots, const WmwpOptions& options) : options_(options) {
    size_t count = 1;
    for (size_t k = 0; k < slots; ++k) count *= experts;
    for (size_t n = 0; n < count; ++n) {
      std::vector<uint32_t> path(slots);
      size_t rest = n;
      for (uint32_t& j : path) {
        j = static_cast<uint32_t>(rest % experts);
        rest /= experts;
      }
      paths_.push_back(path);
    }
    probability_.assign(count, 1.0 / static_cast<double>(count));
  }
  static double errors(const VoteView& view, const std::vector<uint32_t>& path) {
    double wrong = 0;
    for (size_t i = 0; i < view.items(); ++i)
      if (view.gold[i] != kAbsent) wrong += view.item(i)[path[view.slot[i]]] != view.gold[i];
    return wrong;
  }
  double expected_loss(const VoteView& view) const {
    double loss = 0;
    for (size_t n = 0; n < paths_.size(); ++n) loss += probability_[n] * errors(view, paths_[n]);
    return loss / known(view);
  }
  void update(const VoteView& view) {
    const double unit = options_.normalised_exponent ? 1 / known(view) : 1;
    double sum = 0;
    for (size_t n = 0; n < paths_.size(); ++n)
      sum += probability_[n] *= std::pow(options_.beta, unit * errors(view, paths_[n]));
    for (double& q : probability_) q /= sum;
  }
  double arc(size_t slot, size_t expert) const {
    double sum = 0;
    for (size_t n = 0; n < paths_.size(); ++n)
      if (paths_[n][slot] == expert) sum += probability_[n];
    return sum;
  }
  static double known(const VoteView& view) {
    double n = 0;
    for (const Value gold : view.gold) n += gold != kAbsent;
    return n;
  }

 private:
  WmwpOptions options_;
  std::vector<std::vector<uint32_t>> paths_;
  std::vector<double> probability_;
};

size_t slots_of(const VoteBatch& batch) {
  size_t slots = 0;
  for (size_t s = 0; s < batch.sequences(); ++s)
    for (size_t i = 0; i < batch[s].items(); ++i)
      if (batch[s].gold[i] != kAbsent) slots = std::max<size_t>(slots, batch[s].slot[i] + 1);
  return slots;
}

TEST(Wmwp, EqualsEquation2OverAllPaths) {
  for (uint64_t seed = 1; seed <= 30; ++seed) {
    RandomVotesOptions shape;
    shape.experts = 2 + seed % 3;
    shape.longest = 1 + seed % 4;
    shape.shared_slots = seed % 5 == 0;
    shape.unknown_gold = seed % 3 == 0 ? 0.2 : 0;
    const VoteBatch batch = random_votes(shape, seed);
    const WmwpOptions options{.beta = seed % 2 == 0 ? 0.5 : 0.95, .normalised_exponent = seed % 7 == 0};
    AllPaths paths(shape.experts, slots_of(batch), options);
    Wmwp wmwp(shape.experts, options);
    for (size_t s = 0; s < batch.sequences(); ++s) {
      const VoteView view = batch[s];
      const double loss = wmwp.predict(view);
      if (AllPaths::known(view) == 0) continue;
      EXPECT_NEAR(loss, paths.expected_loss(view), 1e-12);
      paths.update(view);
      wmwp.update();
      for (size_t k = 0; k < wmwp.slots(); ++k)
        for (size_t j = 0; j < shape.experts; ++j) EXPECT_NEAR(wmwp.weights(k)[j], paths.arc(k, j), 1e-12);
    }
  }
}

TEST(Wmwp, KeepsTheWeightOfSilentExperts) {
  VoteBatch batch(3);
  batch.add_item(0, 1, std::vector<Value>{1, 0, kAbsent});
  batch.end_sequence();
  Wmwp wmwp(3, {.beta = 0.5});
  EXPECT_NEAR(wmwp.predict(batch[0]), 0.5, 1e-12);  // of the two who speak
  wmwp.update();
  EXPECT_NEAR(wmwp.weights(0)[2], 1.0 / 3, 1e-12);
  EXPECT_NEAR(wmwp.weights(0)[0], 2 * wmwp.weights(0)[1], 1e-12);
}

/// Everything by the definitions: all distributions kept, all suffixes tried.
TEST(Online, SuffixAndCvEqualTheirDefinitions) {
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    RandomVotesOptions shape;
    shape.sequences = 5 + seed;
    shape.experts = 2 + seed % 4;
    shape.shared_slots = seed % 3 == 0;
    shape.accuracy = 0.1 * static_cast<double>(seed % 8);
    const VoteBatch batch = random_votes(shape, seed);
    OnlineOptions options;
    options.wmwp.beta = 0.6;
    options.keep_suffix = true;
    options.loss_bound = seed % 2 == 0 ? 1 : 0.1;
    BatchSource source(batch);
    const auto result = learn_online(source, options);
    if (slots_of(batch) == 0) {
      EXPECT_FALSE(result.ok());
      continue;
    }
    ASSERT_TRUE(result.ok());

    std::vector<std::vector<double>> tables;
    std::vector<double> losses;
    std::vector<VoteView> views;
    Wmwp wmwp(shape.experts, options.wmwp);
    wmwp.reserve_slots(slots_of(batch));
    for (size_t s = 0; s < batch.sequences(); ++s) {
      const double loss = wmwp.predict(batch[s]);
      if (AllPaths::known(batch[s]) == 0) continue;
      tables.emplace_back(wmwp.all_weights().begin(), wmwp.all_weights().end());
      losses.push_back(loss);
      views.push_back(batch[s]);
      wmwp.update();
    }
    const size_t T = losses.size();
    ASSERT_EQ(result->rounds, T);
    size_t best_suffix = 0, best_cv = 0;
    double best_gamma = 1e300, best_value = 1e300;
    for (size_t t = 0; t < T; ++t) {
      double mean = 0, cv = 0;
      const auto n = static_cast<double>(T - t);
      for (size_t s = t; s < T; ++s) {
        mean += losses[s] / n;
        double expected = 0;
        for (size_t i = 0; i < views[s].items(); ++i)
          for (size_t j = 0; j < shape.experts; ++j)
            if (views[s].item(i)[j] != views[s].gold[i])
              expected += tables[t][views[s].slot[i] * shape.experts + j];
        cv += expected / AllPaths::known(views[s]) / n;
      }
      const double gamma = mean + options.loss_bound * std::sqrt(std::log(1 / options.delta) / n);
      if (gamma < best_gamma - 1e-12) {
        best_gamma = gamma;
        best_suffix = t;
      }
      const auto rounds = static_cast<double>(T);
      const double value =
          cv + options.loss_bound * std::sqrt(std::log(rounds * (rounds + 1) / options.delta) / (2 * n));
      if (value < best_value - 1e-12) {
        best_value = value;
        best_cv = t;
      }
    }
    EXPECT_NEAR(result->gamma, best_gamma, 1e-9);
    EXPECT_EQ(result->suffix_begin, best_suffix);
    EXPECT_NEAR(result->cv_value, best_value, 1e-9);
    EXPECT_EQ(result->cv_round, best_cv);
    for (size_t e = 0; e < tables[0].size(); ++e) {
      double mean = 0;
      for (size_t t = best_suffix; t < T; ++t) mean += tables[t][e] / static_cast<double>(T - best_suffix);
      EXPECT_NEAR(result->mvote.weights[e], mean, 1e-9);
      EXPECT_NEAR(result->cv.weights[e], tables[best_cv][e], 1e-9);
    }
    EXPECT_EQ(result->suffix.size(), T - best_suffix);
  }
}

TEST(Online, PropositionTwoHoldsOnEverySample) {
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    const VoteBatch batch = random_votes({.experts = 2 + seed % 5,
                                          .sequences = 10 + seed,
                                          .values = 2 + seed % 6,
                                          .accuracy = 0.05 * static_cast<double>(seed % 15)},
                                         100 + seed);
    BatchSource source(batch);
    const auto result = learn_online(source, {});
    ASSERT_TRUE(result.ok());
    const auto vote_loss = evaluate(source, result->mvote);
    const auto random_loss = expected_random_loss(source, result->mvote);
    EXPECT_LE(vote_loss->mean(), 2 * *random_loss + 1e-12);
  }
}

TEST(Online, SampledPathsHaveTheExpectedLoss) {
  const VoteBatch batch = random_votes({.sequences = 40, .fixed_length = true}, 5);
  BatchSource source(batch);
  OnlineOptions options;
  options.keep_suffix = true;
  options.wmwp.beta = 0.7;
  const auto result = learn_online(source, options);
  ASSERT_TRUE(result.ok());
  Random random(9);
  std::vector<uint32_t> path;
  double sum = 0;
  const int draws = 4000;
  for (int d = 0; d < draws; ++d) {
    result->suffix.draw_path(random, path);
    for (size_t s = 0; s < batch.sequences(); ++s)
      sum += AllPaths::errors(batch[s], path) / AllPaths::known(batch[s]);
  }
  const double sampled = sum / draws / static_cast<double>(batch.sequences());
  EXPECT_NEAR(sampled, *expected_random_loss(source, result->mvote), 0.01);
}

TEST(Online, OneExpertOrIdenticalOnesChangeNothing) {
  VoteBatch one(1), twins(2);
  for (int s = 0; s < 5; ++s) {
    const Value said = s % 2;
    one.add_item(0, 1, std::vector<Value>{said});
    twins.add_item(0, 1, std::vector<Value>{said, said});
    one.end_sequence();
    twins.end_sequence();
  }
  BatchSource one_source(one), twin_source(twins);
  const auto a = learn_online(one_source, {}), b = learn_online(twin_source, {});
  ASSERT_TRUE(a.ok() && b.ok());
  EXPECT_DOUBLE_EQ(a->mvote.weights[0], 1);
  EXPECT_DOUBLE_EQ(b->mvote.weights[0], 0.5);
  EXPECT_DOUBLE_EQ(evaluate(one_source, a->mvote)->mean(), evaluate(twin_source, b->mvote)->mean());
}

TEST(Online, EmptyAndUnlabelledSequencesAreNoRounds) {
  VoteBatch batch(2);
  batch.end_sequence();
  batch.add_item(0, kAbsent, std::vector<Value>{0, 1});
  batch.end_sequence();
  BatchSource source(batch);
  EXPECT_FALSE(learn_online(source, {}).ok());
  batch.add_item(0, 1, std::vector<Value>{0, 1});
  batch.end_sequence();
  const auto result = learn_online(source, {});
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->rounds, 1u);
}

TEST(WeightTable, SlotsNeverSeenUseTheMeanRow) {
  VoteBatch batch(2);
  for (int s = 0; s < 20; ++s) {
    batch.add_item(0, 1, std::vector<Value>{1, 0});
    batch.end_sequence();
  }
  BatchSource source(batch);
  const auto result = learn_online(source, {});
  ASSERT_TRUE(result.ok());
  EXPECT_GT(result->mvote.row(7)[0], result->mvote.row(7)[1]);
}

TEST(Vote, TiesGoToTheFirstInOrderAndSilenceLeavesItsWeightToOthers) {
  const std::vector<double> alike{1, 1, 1};
  EXPECT_EQ(vote(std::vector<Value>{7, 8, kAbsent}, alike).value, 7u);
  EXPECT_EQ(vote(std::vector<Value>{7, 8, kAbsent}, alike, std::vector<uint32_t>{1, 0, 2}).value, 8u);
  const Winner winner = vote(std::vector<Value>{7, 8, kAbsent}, std::vector<double>{1, 3, 96});
  EXPECT_EQ(winner.value, 8u);
  EXPECT_DOUBLE_EQ(winner.share, 0.75);
  EXPECT_EQ(vote(std::vector<Value>{kAbsent, kAbsent, kAbsent}, alike).value, kAbsent);
  // Only experts without weight speak: they count alike.
  EXPECT_EQ(vote(std::vector<Value>{4, 4, 5}, std::vector<double>{0, 0, 0}).value, 4u);
}

}  // namespace
}  // namespace espalier::ensemble

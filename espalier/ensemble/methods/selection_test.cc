#include "espalier/ensemble/methods/selection.h"

#include <gtest/gtest.h>

#include <map>

#include "espalier/ensemble/votes/random_votes.h"

namespace espalier::ensemble {
namespace {

/// The vote of a list of experts at an item, by its definition.
Value voted(std::span<const Value> item, const std::vector<uint32_t>& added) {
  std::map<Value, int> count;
  for (const uint32_t j : added)
    if (item[j] != kAbsent) ++count[item[j]];
  int most = 0;
  for (const auto& [value, n] : count) most = std::max(most, n);
  for (const uint32_t j : added)
    if (item[j] != kAbsent && count[item[j]] == most) return item[j];
  return kAbsent;
}

double loss_of(const VoteBatch& batch, const std::vector<uint32_t>& added) {
  HammingMean loss;
  for (size_t s = 0; s < batch.sequences(); ++s) {
    size_t wrong = 0;
    for (size_t i = 0; i < batch[s].items(); ++i) wrong += voted(batch[s].item(i), added) != batch[s].gold[i];
    loss.add(wrong, batch[s].items());
  }
  return loss.mean();
}

TEST(Sle, EqualsForwardSelectionByItsDefinition) {
  for (uint64_t seed = 1; seed <= 15; ++seed) {
    RandomVotesOptions shape;
    shape.experts = 4;
    shape.sequences = 40;
    shape.silence = seed % 2 == 0 ? 0.1 : 0;
    const VoteBatch batch = random_votes(shape, seed);
    BatchSource source(batch);
    const auto result = learn_sle(source, {.rounds = 8});
    ASSERT_TRUE(result.ok());
    std::vector<uint32_t> added, best;
    double best_loss = 2;
    for (int t = 0; t < 8; ++t) {
      double least = 2;
      uint32_t chosen = 0;
      const auto addable = [&] {  // those added before, in their order, and then the others
        std::vector<uint32_t> out = added;
        for (uint32_t j = 0; j < 4; ++j) out.push_back(j);
        return out;
      }();
      for (const uint32_t j : addable) {
        std::vector<uint32_t> trial = added;
        trial.push_back(j);
        const double loss = loss_of(batch, trial);
        if (loss < least - 1e-12) {
          least = loss;
          chosen = j;
        }
      }
      added.push_back(chosen);
      if (least < best_loss - 1e-12) {
        best_loss = least;
        best = added;
      }
    }
    EXPECT_EQ(result->added, best) << "seed " << seed;
    EXPECT_NEAR(result->error, best_loss, 1e-12);
    if (shape.silence == 0) {
      EXPECT_NEAR(evaluate(source, result->table)->mean(), best_loss, 1e-12);
    }
  }
}

TEST(Sle, AddsAnExpertAgainRatherThanAnotherThatIsNoBetter) {
  // The second expert is the best alone. Adding another changes no vote (ties go to the first added), and
  // neither does adding it again, so it stays alone, although all three together would never be wrong.
  VoteBatch batch(3);
  for (int s = 0; s < 10; ++s) {
    const Value first = s < 3 ? 0 : 1, second = s < 8 ? 1 : 0, third = s >= 3 && s < 6 ? 0 : 1;
    batch.add_item(0, 1, std::vector<Value>{first, second, third});
    batch.end_sequence();
  }
  EXPECT_EQ(loss_of(batch, {1, 0, 2}), 0);
  BatchSource source(batch);
  const auto result = learn_sle(source, {.rounds = 10});
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->added, std::vector<uint32_t>{1});
  EXPECT_NEAR(result->error, 0.2, 1e-12);
}

TEST(BestExpert, IsTheOneWithTheLowestLossTheFirstOfEquals) {
  VoteBatch batch(3);
  batch.add_item(0, 1, std::vector<Value>{0, 1, 1});
  batch.end_sequence();
  BatchSource source(batch);
  const auto best = best_expert(source);
  ASSERT_TRUE(best.ok());
  EXPECT_EQ(best->expert, 1u);
  EXPECT_EQ(best->loss, 0);
}

}  // namespace
}  // namespace espalier::ensemble

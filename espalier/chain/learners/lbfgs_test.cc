#include "espalier/chain/learners/lbfgs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "espalier/chain/learners/learner_bench.h"
#include "espalier/chain/learners/objective.h"

namespace espalier::chain {
namespace {

struct Objective {
  double value = 0;
  WeightGradient gradient;  ///< of the loss alone
};
Objective objective(const ChainWeights& w, const linear::Dataset& data, double l1, double l2,
                    LogLoss loss = LogLoss::kSequence) {
  const Workers workers(1);
  Objective result;
  result.value = DataLoss(data, workers, loss, {}).evaluate(w, result.gradient);
  const auto penalise = [&](const AlignedVector<float>& weights) {
    for (const float x : weights) {
      const double size = std::abs(static_cast<double>(x));
      result.value += l1 * size + l2 * size * size;
    }
  };
  penalise(w.state);
  penalise(w.trans);
  penalise(w.edge);
  return result;
}

auto lbfgs(LbfgsOptions options) {
  return [options](TrainingContext context) { return train_lbfgs(std::move(context), options); };
}
auto stochastic(StochasticOptions options) {
  return [options](TrainingContext context) { return train_stochastic(std::move(context), options); };
}
size_t zeros(const ChainWeights& w) {
  return static_cast<size_t>(std::count(w.state.data(), w.state.data() + w.state_rows.weights(), 0.0f));
}

const ToyOptions kNoisy{.sequences = 80, .noise = 0.3, .values = true, .edges = true};

TEST(LbfgsTest, EndsWhereTheGradientVanishes) {
  const linear::EncodedTraining training = toy_data(1, kNoisy);
  for (const LogLoss loss : {LogLoss::kSequence, LogLoss::kPosition}) {
    const ChainWeights w = Session{training}.run(lbfgs({.loss = loss, .l2 = 0.5, .delta = 1e-9}));
    const Objective at = objective(w, training.data, 0, 0.5, loss);
    for (size_t k = 0; k < at.gradient.state.size(); ++k)
      ASSERT_NEAR(at.gradient.state[k] + 2 * 0.5 * static_cast<double>(w.state[k]), 0, 5e-3);
    for (size_t k = 0; k < at.gradient.trans.size(); ++k)
      ASSERT_NEAR(at.gradient.trans[k] + 2 * 0.5 * static_cast<double>(w.trans[k]), 0, 5e-3);
    for (size_t k = 0; k < at.gradient.edge.size(); ++k)
      ASSERT_NEAR(at.gradient.edge[k] + 2 * 0.5 * static_cast<double>(w.edge[k]), 0, 5e-3);
  }
}

TEST(LbfgsTest, ReportsTheWholeObjectivePerTokenAndItFalls) {
  const linear::EncodedTraining training = toy_data(1, kNoisy);
  std::vector<double> reported;
  Session session{training};
  session.round_ended = [&](const Round& round) {
    reported.push_back(*round.objective);
    return true;
  };
  const ChainWeights w = session.run(lbfgs({.l1 = 0.1, .l2 = 0.3, .passes = 12}));
  EXPECT_NEAR(reported.back(),
              objective(w, training.data, 0.1, 0.3).value / static_cast<double>(training.data.tokens()),
              1e-5);
  EXPECT_TRUE(std::is_sorted(reported.rbegin(), reported.rend()));
}

TEST(LbfgsTest, L1LeavesExactZerosWhereTheGradientCannotLiftThem) {
  const linear::EncodedTraining training = toy_data(1, kNoisy);
  const double l1 = 1;
  const ChainWeights w = Session{training}.run(lbfgs({.l1 = l1, .l2 = 0, .passes = 500, .delta = 1e-9}));
  const ChainWeights smooth = Session{training}.run(lbfgs({.l2 = 0.1}));
  EXPECT_EQ(zeros(smooth), 0u);
  EXPECT_GT(zeros(w), w.state_rows.weights() / 4);
  EXPECT_LT(zeros(w), w.state_rows.weights());
  const Objective at = objective(w, training.data, l1, 0);
  for (size_t k = 0; k < at.gradient.state.size(); ++k) {
    const double g = at.gradient.state[k];
    if (w.state[k] == 0) {
      EXPECT_LE(std::abs(g), l1 + 0.02);
    } else {
      EXPECT_NEAR(g, w.state[k] > 0 ? -l1 : l1, 0.02);
    }
  }
}

TEST(LbfgsTest, StopsWhenTheObjectiveHardlyFalls) {
  const linear::EncodedTraining training = toy_data(1, kNoisy);
  int patient = 0, hasty = 0;
  Session session{training};
  session.round_ended = [&](const Round&) { return ++patient > 0; };
  session.run(lbfgs({.passes = 500, .delta = 1e-7}));
  session.round_ended = [&](const Round&) { return ++hasty > 0; };
  session.run(lbfgs({.passes = 500, .period = 3, .delta = 0.05}));
  EXPECT_LT(hasty, patient);
  EXPECT_LT(patient, 500);
}

TEST(LbfgsTest, SettingsTheLibraryRefusesAreAnError) {
  const linear::EncodedTraining training = toy_data(1, kNoisy);
  const Result<ChainWeights> refused = Session{training}.try_run(lbfgs({.epsilon = -1}));
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("epsilon -1"), std::string::npos) << refused.error().message;
}

TEST(LbfgsTest, AnExceptionOfTheCallerPassesTheLibraryByAndComesBack) {
  const linear::EncodedTraining training = toy_data(1, kNoisy);
  Session session{training};
  session.round_ended = [](const Round& round) -> bool {
    if (round.number == 2) throw std::runtime_error("disk full");
    return true;
  };
  EXPECT_THROW((void)session.try_run(lbfgs({})), std::runtime_error);
}

TEST(LbfgsTest, AWeightOfTwoIsASequenceSeenTwice) {
  linear::EncodedTraining weighted = toy_data(4, {.sequences = 30, .noise = 0.3});
  linear::EncodedTraining repeated = weighted;
  for (size_t s = 0; s < 10; ++s) {
    weighted.data.weight[s] = 2;
    for (size_t t = weighted.data.sequence_begin[s]; t < weighted.data.sequence_begin[s + 1]; ++t) {
      repeated.data.state.append(weighted.data.state[t]);
      repeated.data.edge.close();
      repeated.data.gold.push_back(weighted.data.gold[t]);
    }
    repeated.data.sequence_begin.push_back(repeated.data.gold.size());
    repeated.data.weight.push_back(1);
  }
  const ChainWeights a = Session{weighted}.run(lbfgs({.delta = 1e-9}));
  const ChainWeights b = Session{repeated}.run(lbfgs({.delta = 1e-9}));
  for (size_t k = 0; k < a.state.size(); ++k) ASSERT_NEAR(a.state[k], b.state[k], 2e-3);
  for (size_t k = 0; k < a.trans.size(); ++k) ASSERT_NEAR(a.trans[k], b.trans[k], 2e-3);

  // The stochastic learner aims at the same optimum.
  const auto steps = stochastic({.l2 = 1, .passes = 300, .ignore = 0});
  const double best = objective(b, repeated.data, 0, 1).value;
  EXPECT_NEAR(objective(Session{weighted}.run(steps), repeated.data, 0, 1).value, best, 0.01 * best);
  // The perceptron makes the same updates where all of it is one batch.
  const auto decode_batch = [](TrainingContext context) {
    return train_perceptron(std::move(context), {.passes = 5, .batch = 1000});
  };
  EXPECT_TRUE(same_bytes(Session{weighted}.run(decode_batch), Session{repeated}.run(decode_batch)));
}

TEST(LbfgsTest, AResumedRunEndsNearTheSameOptimum) {
  const linear::EncodedTraining training = toy_data(1, kNoisy);
  std::vector<std::byte> saved;
  Session first{training};
  first.round_ended = [&](const Round& round) {
    SectionWriter writer;
    round.save(writer);
    saved = writer.to_bytes();
    return round.number < 5;
  };
  first.run(lbfgs({}));
  const Result<SectionFile> file = SectionFile::from_bytes(saved, "checkpoint");
  ASSERT_TRUE(file.ok());
  Session second{training};
  second.resume = &*file;
  const double resumed = objective(second.run(lbfgs({.delta = 1e-8})), training.data, 0, 1).value;
  const double whole = objective(Session{training}.run(lbfgs({.delta = 1e-8})), training.data, 0, 1).value;
  EXPECT_NEAR(resumed, whole, 1e-3 * whole);
}

TEST(StochasticTest, ComesWithinAPercentOfTheOptimumGivenManyPasses) {
  const linear::EncodedTraining training = toy_data(2, {.sequences = 300, .noise = 0.3});
  for (const LogLoss loss : {LogLoss::kSequence, LogLoss::kPosition}) {
    const double best = objective(Session{training}.run(lbfgs({.loss = loss, .l2 = 0.2, .delta = 1e-8})),
                                  training.data, 0, 0.2, loss)
                            .value;
    const ChainWeights w = Session{training}.run(stochastic({.loss = loss, .l2 = 0.2, .passes = 150}));
    const double reached = objective(w, training.data, 0, 0.2, loss).value;
    EXPECT_GE(reached, best * 0.9999);
    EXPECT_LE(reached, best * 1.01);
  }
}

TEST(StochasticTest, L1LeavesExactZeros) {
  const linear::EncodedTraining training = toy_data(2, {.sequences = 300, .noise = 0.3});
  EXPECT_EQ(zeros(Session{training}.run(stochastic({.l1 = 0}))), 0u);
  const ChainWeights w = Session{training}.run(stochastic({.l1 = 3, .l2 = 0, .passes = 40}));
  EXPECT_GT(zeros(w), w.state_rows.weights() / 10);
  EXPECT_LT(zeros(w), w.state_rows.weights());
}

}  // namespace
}  // namespace espalier::chain

#include "espalier/constrain/training.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "espalier/chain/learners/learner_bench.h"
#include "espalier/chain/learners/svm.h"
#include "espalier/chain/random_chain.h"
#include "espalier/constrain/random_constraints.h"

namespace espalier::constrain {
namespace {

using data::Label;
using testing::HasSubstr;

Constraints resolved_for(const std::string& text, const data::LabelSet& labels) {
  const ConstraintScope shape{.name = "label", .neighbours = true, .columns = 1};
  auto out = Constraints::resolve(
      text, "c", shape, labels,
      [](const std::string& name) -> Result<std::string> { return fail("{}: no such file", name); });
  EXPECT_TRUE(out.ok()) << (out.ok() ? "" : out.error().message);
  return std::move(out).value();
}

std::vector<Instance> plain_instances(const Constraints& constraints, const linear::Dataset& data) {
  std::vector<Instance> out;
  for (size_t s = 0; s < data.sequences(); ++s)
    out.push_back(constraints.instance(data.length(s), [](size_t, size_t) { return std::string_view(); }));
  return out;
}

/// One sequence with this gold labelling.
linear::Dataset one_sequence(std::vector<Label> gold) {
  linear::Dataset data;
  data.sequence_begin.push_back(gold.size());
  data.gold = std::move(gold);
  data.weight = {1};
  return data;
}

TEST(TrainingRestriction, SumsRunOverTheLabellingsThatMayBe) {
  Random random(23);
  size_t checked = 0;
  for (int trial = 0; trial < 150; ++trial) {
    const size_t K = 2 + random.below(3), T = 1 + random.below(4);
    std::string text;
    for (size_t i = 0, n = 1 + random.below(3); i < n; ++i) text += random_constraint(random, K, {});
    const Constraints constraints = resolved_for(text, letters(K));
    const bool edges = random.below(2) == 0;
    const chain::RandomChain chain(static_cast<uint64_t>(trial), T, K, 1.0f, edges);
    const Instance instance = constraints.instance(T, [](size_t, size_t) { return std::string_view(); });
    std::vector<Label> gold;
    if (best_of_all(constraints, instance, chain.view(), &gold) == chain::kMinusInfinity) continue;
    ++checked;
    const linear::Dataset data = one_sequence(gold);
    const TrainingRestriction restriction(constraints, {instance}, data, {});
    ASSERT_TRUE(restriction.applies(0));

    // All labellings, one by one.
    std::vector<double> node(T * chain.S, 0), pairs(K * chain.S, 0);
    double z = 0;
    std::vector<Label> y(T, 0);
    for (bool more = true; more;) {
      const double penalty = constraints.penalty(instance, y);
      if (penalty != kHard) {
        const double weight = std::exp(score_labels(chain.view(), y) - penalty);
        z += weight;
        for (size_t t = 0; t < T; ++t) {
          node[t * chain.S + y[t]] += weight;
          if (t > 0) pairs[y[t - 1] * chain.S + y[t]] += weight;
        }
      }
      size_t t = 0;
      while (t < T && ++y[t] == K) y[t++] = 0;
      more = t < T;
    }
    chain::ChainScratch scratch;
    AlignedVector<float> found(T * chain.S, 0.0f), found_pairs(K * chain.S, 0.0f),
        found_edges(edges ? T * K * chain.S : 0, 0.0f);
    const double log_z = restriction.sums(0, chain.view(), scratch, found.data(), found_pairs.data(),
                                          edges ? found_edges.data() : nullptr);
    EXPECT_NEAR(log_z, std::log(z), 1e-4) << text;
    for (size_t t = 0; t < T; ++t)
      for (size_t k = 0; k < K; ++k)
        EXPECT_NEAR(found[t * chain.S + k], node[t * chain.S + k] / z, 1e-4) << text;
    for (size_t i = 0; i < K; ++i)
      for (size_t j = 0; j < K; ++j) {
        double sum = edges ? 0 : found_pairs[i * chain.S + j];
        for (size_t t = 1; t < T && edges; ++t) sum += found_edges[(t * K + i) * chain.S + j];
        EXPECT_NEAR(sum, pairs[i * chain.S + j] / z, 1e-4) << text;
      }
    std::vector<Label> best(T);
    restriction.best(0, chain.view(), scratch, best.data());
    EXPECT_NEAR(score_labels(chain.view(), best) - constraints.penalty(instance, best),
                score_labels(chain.view(), gold) - constraints.penalty(instance, gold), 1e-4);
  }
  EXPECT_GT(checked, 80u);
}

TEST(TrainingRestriction, SequencesThatBreakConstraintsAreCountedAndNamed) {
  const data::LabelSet labels = letters(3);
  const Constraints constraints = resolved_for("start: require A at start\nfew: at most 1 of B\n", labels);
  linear::Dataset data;
  const std::vector<std::vector<Label>> golds = {
      {0, 1, 2}, {1, 0, 0}, {0, 1, 1}, {data::kNoLabel, 1, 2}, {data::kNoLabel, 1, 1}};
  for (const auto& gold : golds) {
    data.gold.insert(data.gold.end(), gold.begin(), gold.end());
    data.sequence_begin.push_back(data.gold.size());
    data.weight.push_back(1);
  }
  const TrainingRestriction restriction(constraints, plain_instances(constraints, data), data, {});
  EXPECT_TRUE(restriction.applies(0));
  EXPECT_FALSE(restriction.applies(1));
  EXPECT_FALSE(restriction.applies(2));
  EXPECT_TRUE(restriction.applies(3));
  EXPECT_FALSE(restriction.applies(4));
  EXPECT_EQ(restriction.unrestricted(), 3u);
  EXPECT_THAT(restriction.note(), HasSubstr("3 of 5 sequences"));
  EXPECT_THAT(restriction.note(), HasSubstr("start (1), few (1)"));
  const std::vector<uint32_t> some = {1, 3};
  const TrainingRestriction part = restriction.subset(some);
  EXPECT_FALSE(part.applies(0));
  EXPECT_TRUE(part.applies(1));
}

TEST(TrainingRestriction, EveryLearnerThatTakesConstraintsLearnsUnderThem) {
  // Labels of the toy data like to come in order; forbidding what never occurs must not keep anyone from
  // learning.
  const linear::EncodedTraining training = chain::toy_data(3, {.sequences = 60, .noise = 0.3});
  const Constraints constraints =
      resolved_for("at most 8 of L0\nforbid L0 at end soft 0.5\n", training.labels);
  const TrainingRestriction soft(constraints, plain_instances(constraints, training.data), training.data, {});
  for (const chain::ChainLearner& learner : chain::chain_learners()) {
    if (learner.name != "crf" && learner.name != "perceptron" && learner.name != "lbfgs_crf" &&
        learner.name != "svm")
      continue;
    const auto train = [&](const chain::Restriction* restriction, int threads) {
      const Workers workers(threads);
      const Monitor monitor;
      chain::TrainingContext context{{monitor, [](const chain::Round&) { return Verdict(); }},
                                     training,
                                     chain::make_weights(training, true, {}),
                                     workers};
      context.restriction = restriction;
      auto weights = learner.train(std::move(context), 8);
      EXPECT_TRUE(weights.ok());
      return std::move(weights).value();
    };
    const TrainingRestriction& restriction = soft;
    const chain::ChainWeights one = train(&restriction, 1), two = train(&restriction, 2),
                              free = train(nullptr, 1);
    EXPECT_EQ(one.state, two.state) << learner.name;
    EXPECT_EQ(one.trans, two.trans) << learner.name;
    EXPECT_NE(one.trans, free.trans) << learner.name;
    size_t right = 0, all = 0;
    chain::SequenceScores scores;
    chain::ChainScratch scratch;
    for (size_t s = 0; s < training.data.sequences(); ++s) {
      chain::score_sequence(one, training.data, s, scores);
      std::vector<Label> best(training.data.length(s));
      restriction.best(s, scores.view, scratch, best.data());
      for (size_t t = 0; t < best.size(); ++t) right += best[t] == training.data.gold_of(s)[t];
      all += best.size();
    }
    EXPECT_GT(static_cast<double>(right), 0.85 * static_cast<double>(all)) << learner.name;
  }
}

TEST(TrainingRestriction, SoftConstraintsStandBesideTheLossInTheDualOfAMarginLearner) {
  const linear::EncodedTraining training = chain::toy_data(3, {.sequences = 40, .noise = 0.3});
  const Constraints constraints =
      resolved_for("at most 2 of L0 soft 0.7\nforbid L1 then L1 soft 0.4\n", training.labels);
  const TrainingRestriction soft(constraints, plain_instances(constraints, training.data), training.data, {});
  std::vector<chain::DualityGap> gaps;
  chain::SvmOptions options{.c = 0.3, .passes = 300, .tolerance = 0.02, .gap_every = 1, .average = false};
  options.gap_measured = [&](const chain::DualityGap& gap) { gaps.push_back(gap); };
  const Workers workers(1);
  const Monitor monitor;
  chain::TrainingContext context{{monitor, [](const chain::Round&) { return Verdict(); }},
                                 training,
                                 chain::make_weights(training, true, {}),
                                 workers};
  context.restriction = &soft;
  ASSERT_TRUE(chain::train_svm(std::move(context), options).ok());
  ASSERT_GE(gaps.size(), 3u);
  EXPECT_LT(gaps.back().per_sequence, 0.02) << "primal and dual meet";
  for (size_t i = 1; i < gaps.size(); ++i)
    EXPECT_GE(gaps[i].dual, gaps[i - 1].dual - 1e-3) << "exact line search never loses";
  for (const chain::DualityGap& a : gaps)
    for (const chain::DualityGap& b : gaps) ASSERT_LE(a.dual, b.primal + 1e-3);
}

}  // namespace
}  // namespace espalier::constrain

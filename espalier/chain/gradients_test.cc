#include "espalier/chain/gradients.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "espalier/chain/learners/importance.h"
#include "espalier/chain/learners/objective.h"
#include "espalier/chain/learners/toy_data.h"
#include "espalier/chain/random_chain.h"

namespace espalier::chain {
namespace {

using data::kNoLabel;
using data::Label;

struct GradientCase {
  const char* name;
  LogLoss loss;
  bool transitions;
  ToyOptions data;
  bool copies = false;  ///< sequences with weights other than 1
  bool label_weights = false;
};
std::ostream& operator<<(std::ostream& out, const GradientCase& c) { return out << c.name; }

std::vector<GradientCase> gradient_cases() {
  ToyOptions plain{.sequences = 6, .longest = 6, .labels = 3, .features = 18, .noise = 0.2};
  ToyOptions partial = plain, edges = plain, values = plain, everything = plain;
  partial.unknown = 0.4;
  edges.edges = true;
  values.values = true;
  everything.unknown = 0.3;
  everything.edges = everything.values = true;
  return {{"crf", LogLoss::kSequence, true, plain},
          {"crf_without_transitions", LogLoss::kSequence, false, plain},
          {"crf_partial", LogLoss::kSequence, true, partial},
          {"crf_edges", LogLoss::kSequence, true, edges},
          {"crf_values", LogLoss::kSequence, true, values},
          {"crf_everything", LogLoss::kSequence, true, everything, true, true},
          {"memm", LogLoss::kPosition, true, plain},
          {"memm_partial", LogLoss::kPosition, true, partial},
          {"memm_edges", LogLoss::kPosition, true, edges},
          {"memm_everything", LogLoss::kPosition, true, everything, true, true},
          {"logistic", LogLoss::kPosition, false, plain},
          {"logistic_partial_values", LogLoss::kPosition, false, values, true, true}};
}

class GradientTest : public testing::TestWithParam<GradientCase> {};

TEST_P(GradientTest, MatchesFiniteDifferences) {
  const GradientCase& c = GetParam();
  linear::EncodedTraining training = toy_data(17, c.data);
  if (c.copies) training.data.weight = {1, 2, 0, 0.5f, 3, 1};
  const std::vector<float> label_weight =
      c.label_weights ? std::vector<float>{1, 2.5f, 0.5f} : std::vector<float>{};
  ChainWeights w = random_weights(training, c.transitions, 23);
  const Workers workers(1);
  DataLoss loss(training.data, workers, c.loss, label_weight);
  WeightGradient gradient, ignored;
  loss.evaluate(w, gradient);
  // Losses are sums of float scores: steps much smaller than this drown in their rounding.
  constexpr float kStep = 0.02f;
  const auto check = [&](float& weight, double expected) {
    const float before = weight;
    const float up = before + kStep, down = before - kStep;
    weight = up;
    const double above = loss.evaluate(w, ignored);
    weight = down;
    const double below = loss.evaluate(w, ignored);
    weight = before;
    EXPECT_NEAR((above - below) / static_cast<double>(up - down), expected,
                2e-3 * std::max(1.0, std::abs(expected)));
  };
  double largest = 0;
  for (size_t k = 0; k < gradient.state.size(); ++k) {
    check(w.state[k], gradient.state[k]);
    largest = std::max(largest, std::abs(gradient.state[k]));
  }
  for (size_t i = 0; i < w.labels && c.transitions; ++i)
    for (size_t j = 0; j < w.labels; ++j) check(w.trans[i * w.stride + j], gradient.trans[i * w.stride + j]);
  for (size_t k = 0; k < gradient.edge.size() && c.transitions; ++k) check(w.edge[k], gradient.edge[k]);
  EXPECT_GT(largest, 0.1) << "a gradient of nothing proves nothing";
}

INSTANTIATE_TEST_SUITE_P(Losses, GradientTest, testing::ValuesIn(gradient_cases()),
                         [](const auto& test) { return std::string(test.param.name); });

/// The places a gradient is written to, and scores made from a random chain.
struct Bench {
  SequenceScores scores;
  AlignedVector<float> node, pairs, edge;
  std::vector<uint8_t> active;
  explicit Bench(const RandomChain& c)
      : node(c.T * c.S, 0.0f), pairs(c.K * c.S, 0.0f), edge(c.edge.size(), 0.0f), active(c.T, 0) {
    scores.node = c.node;
    scores.edge = c.edge;
    scores.view = c.view();
    scores.view.node = scores.node.data();
    if (!c.edge.empty()) scores.view.edge = scores.edge.data();
  }
  ScoreGradient out() {
    return {node.data(), pairs.data(), edge.empty() ? nullptr : edge.data(), active.data()};
  }
};

TEST(LogLossTest, IsMinusTheLogProbabilityOfTheGoldLabels) {
  const RandomChain c(3, 5, 3, 1.5f);
  const std::vector<Label> gold = {0, 2, 1, 1, 0};
  Bench bench(c);
  ChainScratch scratch;
  const double loss = log_loss_gradient(bench.scores, gold, scratch, c.potentials(), 0, bench.out());
  EXPECT_NEAR(loss, BruteForce(c).log_z - c.score(gold), 1e-4);
}

TEST(LogLossTest, SumsOverLabelsThatAreNotKnown) {
  const RandomChain c(4, 5, 3, 1.5f, true);
  const std::vector<Label> gold = {0, kNoLabel, 1, kNoLabel, kNoLabel};
  const BruteForce truth(c);
  double agreeing = 0;
  c.for_each_labelling([&](const std::vector<uint16_t>& y) {
    for (size_t t = 0; t < c.T; ++t)
      if (gold[t] != kNoLabel && gold[t] != y[t]) return;
    agreeing += std::exp(c.score(y) - truth.log_z);
  });
  Bench bench(c);
  ChainScratch scratch;
  const double loss = log_loss_gradient(bench.scores, gold, scratch, c.potentials(), 0, bench.out());
  EXPECT_NEAR(loss, -std::log(agreeing), 1e-4);
}

TEST(LogLossTest, NothingKnownCostsNothing) {
  const RandomChain c(5, 6, 4, 2);
  Bench bench(c);
  ChainScratch scratch;
  EXPECT_NEAR(log_loss_gradient(bench.scores, std::vector<Label>(6, kNoLabel), scratch, c.potentials(), 1e-4f,
                                bench.out()),
              0, 1e-5);
  for (const uint8_t active : bench.active) EXPECT_EQ(active, 0);
}

TEST(LogLossTest, TokensBelowTheThresholdAreNotActive) {
  RandomChain c(6, 3, 3, 0);
  for (const size_t t : {0, 2}) c.node[t * c.S + 1] = 20;  // certain and right
  Bench bench(c);
  ChainScratch scratch;
  log_loss_gradient(bench.scores, std::vector<Label>{1, 1, 1}, scratch, c.potentials(), 1e-3f, bench.out());
  EXPECT_EQ(bench.active, (std::vector<uint8_t>{0, 1, 0}));
}

TEST(LocalLogLossTest, LeavesOutPositionsWhoseContextIsNotKnown) {
  const RandomChain c(7, 4, 3, 1);
  const std::vector<Label> gold = {0, kNoLabel, 2, 1};
  Bench bench(c);
  const double loss = local_log_loss_gradient(bench.scores, gold, true, 0, bench.out());
  const auto log_sum = [&](size_t t, int before) {
    double sum = 0;
    for (size_t j = 0; j < c.K; ++j)
      sum +=
          std::exp(static_cast<double>(c.node[t * c.S + j]) +
                   (before < 0 ? 0.0 : static_cast<double>(c.trans[static_cast<size_t>(before) * c.S + j])));
    return std::log(sum);
  };
  const double expected = log_sum(0, -1) - static_cast<double>(c.node[0]) + log_sum(3, 2) -
                          static_cast<double>(c.node[3 * c.S + 1] + c.trans[2 * c.S + 1]);
  EXPECT_NEAR(loss, expected, 1e-4);
  EXPECT_EQ(bench.active, (std::vector<uint8_t>{1, 0, 0, 1}));
}

TEST(StructureDifferenceTest, IsTheDifferenceOfIndicators) {
  const RandomChain c(8, 4, 3, 1, true);
  const std::vector<Label> gold = {0, 1, 2, 0}, predicted = {0, 2, 2, 0};
  Bench bench(c);
  EXPECT_EQ(structure_difference(bench.scores.view, gold, predicted, bench.out()), 1);
  double change = 0;  // the change of the score difference along the gradient is what a perceptron relies on
  for (size_t i = 0; i < bench.node.size(); ++i)
    if (bench.node[i] != 0) change += static_cast<double>(bench.node[i] * c.node[i]);
  for (size_t t = 1; t < c.T; ++t)
    for (size_t i = 0; i < c.K; ++i)
      for (size_t j = 0; j < c.K; ++j) {
        const size_t at = (t * c.K + i) * c.S + j;
        change += static_cast<double>(bench.edge[at] * c.edge[at]);
      }
  EXPECT_NEAR(change, c.score(predicted) - c.score(gold), 1e-4);
  EXPECT_EQ(bench.active, (std::vector<uint8_t>{0, 1, 0, 0}));
  EXPECT_EQ(bench.pairs[0 * c.S + 1], -1);
  EXPECT_EQ(bench.pairs[0 * c.S + 2], 1);
  EXPECT_EQ(bench.pairs[2 * c.S + 0], 0) << "both have the last pair";
}

TEST(CompleteGoldTest, IsTheBestLabellingThatAgrees) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const RandomChain c(seed, 5, 3, 1, seed % 2 == 0);
    const std::vector<Label> gold = {kNoLabel, 1, kNoLabel, kNoLabel, 2};
    Bench bench(c);
    ChainScratch scratch;
    std::vector<Label> completed;
    complete_gold(bench.scores, gold, scratch, completed);
    double best = kImpossible;
    c.for_each_labelling([&](const std::vector<uint16_t>& y) {
      if (y[1] == 1 && y[4] == 2) best = std::max(best, c.score(y));
    });
    EXPECT_EQ(completed[1], 1);
    EXPECT_EQ(completed[4], 2);
    EXPECT_NEAR(c.score(completed), best, 1e-4);
    EXPECT_EQ(bench.scores.node, c.node) << "the scores stand as they were";
  }
}

TEST(CostsTest, RaiseTheWrongLabelsOfKnownTokens) {
  RandomChain c(1, 3, 3, 0);
  Bench bench(c);
  add_costs(bench.scores, std::vector<Label>{2, kNoLabel, 0}, std::vector<float>{1, 1, 4}, 1);
  const auto row = [&](size_t t) {
    return std::vector<float>(bench.scores.node.begin() + static_cast<ptrdiff_t>(t * c.S),
                              bench.scores.node.begin() + static_cast<ptrdiff_t>(t * c.S + c.K));
  };
  EXPECT_EQ(row(0), (std::vector<float>{3, 3, 0}));
  EXPECT_EQ(row(1), (std::vector<float>{0, 0, 0})) << "nothing is known here";
  EXPECT_EQ(row(2), (std::vector<float>{0, 0, 0})) << "weight 1 costs nothing beyond the base";
  EXPECT_EQ(bench.scores.node[c.K], kImpossible) << "padding stays out of the game";
}

TEST(CostsTest, WithoutWeightsAndBaseZeroAreTheHammingLoss) {
  RandomChain c(1, 2, 3, 0);
  Bench bench(c);
  add_costs(bench.scores, std::vector<Label>{1, 0}, {}, 0);
  ChainScratch scratch;
  std::vector<uint16_t> y(2);
  EXPECT_EQ(viterbi(bench.scores.view, scratch, y.data()), 2) << "the most wrong labelling has two mistakes";
}

TEST(DataLossTest, IsTheSameAtAnyNumberOfThreads) {
  const linear::EncodedTraining training = toy_data(
      5, {.sequences = 700, .labels = 5, .noise = 0.3, .unknown = 0.1, .values = true, .edges = true});
  const ChainWeights w = random_weights(training, true, 2);
  WeightGradient one, many;
  const Workers single(1);
  const double loss = DataLoss(training.data, single, LogLoss::kSequence, {}).evaluate(w, one);
  for (const int threads : {2, 3}) {
    const Workers workers(threads);
    EXPECT_EQ(DataLoss(training.data, workers, LogLoss::kSequence, {}).evaluate(w, many), loss);
    EXPECT_EQ(many.state, one.state);
    EXPECT_EQ(many.trans, one.trans);
    EXPECT_EQ(many.edge, one.edge);
  }
}

TEST(DataLossTest, ASequencesWeightCountsItsCopies) {
  linear::EncodedTraining once = toy_data(5, {.sequences = 1, .noise = 0.3, .edges = true});
  linear::EncodedTraining doubled = once;
  doubled.data.weight = {2};
  const ChainWeights w = random_weights(once, true, 2);
  const Workers workers(1);
  WeightGradient a, b;
  const double loss = DataLoss(once.data, workers, LogLoss::kSequence, {}).evaluate(w, a);
  EXPECT_DOUBLE_EQ(DataLoss(doubled.data, workers, LogLoss::kSequence, {}).evaluate(w, b), 2 * loss);
  for (size_t k = 0; k < a.state.size(); ++k) EXPECT_NEAR(b.state[k], 2 * a.state[k], 1e-6);
  for (size_t k = 0; k < a.trans.size(); ++k) EXPECT_NEAR(b.trans[k], 2 * a.trans[k], 1e-6);
  for (size_t k = 0; k < a.edge.size(); ++k) EXPECT_NEAR(b.edge[k], 2 * a.edge[k], 1e-6);
}

}  // namespace
}  // namespace espalier::chain

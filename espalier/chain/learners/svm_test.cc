#include "espalier/chain/learners/svm.h"

#include <gtest/gtest.h>

#include <cmath>

#include "espalier/chain/learners/importance.h"
#include "espalier/chain/learners/learner_bench.h"
#include "espalier/chain/learners/svm_dual.h"

namespace espalier::chain {
namespace {

auto svm(SvmOptions options) {
  return [options](TrainingContext context) { return train_svm(std::move(context), options); };
}

double square(const ChainWeights& w) {
  double sum = 0;
  for (const AlignedVector<float>* part : {&w.state, &w.trans, &w.edge})
    for (const float x : *part) sum += static_cast<double>(x) * static_cast<double>(x);
  return sum;
}

/// |w|²/2C + Σ weight·hinge, from scratch.
double primal(const ChainWeights& w, const linear::Dataset& data, double c,
              const std::vector<float>& label_weight) {
  double sum = square(w) / (2 * c);
  SequenceScores scores;
  ChainScratch scratch;
  for (size_t s = 0; s < data.sequences(); ++s) {
    score_sequence(w, data, s, scores);
    const double gold = score_of(scores.view, data.gold_of(s));
    add_costs(scores, data.gold_of(s), label_weight, 0);
    std::vector<data::Label> y(data.length(s));
    sum += static_cast<double>(data.weight[s]) * (viterbi(scores.view, scratch, y.data()) - gold);
  }
  return sum;
}

struct SvmCase {
  const char* name;
  bool transitions;
  ToyOptions data;
  bool weights;  ///< of sequences and labels
};
std::ostream& operator<<(std::ostream& out, const SvmCase& c) { return out << c.name; }

class SvmGapTest : public testing::TestWithParam<SvmCase> {};

TEST_P(SvmGapTest, ClosesTheDualityGap) {
  const SvmCase& c = GetParam();
  linear::EncodedTraining training = toy_data(3, c.data);
  std::vector<float> label_weight;
  if (c.weights) {
    label_weight = {1, 2, 0.5f, 1};
    for (size_t s = 0; s < training.data.sequences(); ++s)
      training.data.weight[s] = static_cast<float>(s % 4) * 0.5f;
  }
  std::vector<DualityGap> gaps;
  SvmOptions options{.c = 0.3, .passes = 400, .tolerance = 0.01, .gap_every = 1, .average = false};
  options.gap_measured = [&](const DualityGap& gap) { gaps.push_back(gap); };
  const ChainWeights w = Session{training, c.transitions, 1, label_weight}.run(svm(options));
  ASSERT_GE(gaps.size(), 3u);
  EXPECT_LT(gaps.back().per_sequence, 0.01);
  EXPECT_LT(gaps.size(), 400u) << "ended by the gap, not by the passes";
  EXPECT_LT(gaps.back().per_sequence, gaps.front().per_sequence / 5);
  for (size_t i = 1; i < gaps.size(); ++i)
    EXPECT_GE(gaps[i].dual, gaps[i - 1].dual - 1e-3) << "exact line search never loses";
  // Any dual value is below any primal one: the measured numbers are what they are called.
  for (const DualityGap& a : gaps)
    for (const DualityGap& b : gaps) ASSERT_LE(a.dual, b.primal + 1e-3);
  EXPECT_NEAR(primal(w, training.data, 0.3, label_weight), gaps.back().primal, 1e-3 * gaps.back().primal);
}

INSTANTIATE_TEST_SUITE_P(
    Svm, SvmGapTest,
    testing::Values(
        SvmCase{"chain", true, {.sequences = 60, .noise = 0.3}, false},
        SvmCase{"tokens", false, {.sequences = 60, .noise = 0.3}, false},
        SvmCase{
            "values_and_edges", true, {.sequences = 60, .noise = 0.3, .values = true, .edges = true}, false},
        SvmCase{"weights", true, {.sequences = 60, .noise = 0.3, .edges = true}, true},
        SvmCase{"token_weights", false, {.sequences = 60, .noise = 0.3}, true},
        SvmCase{"many_labels", true, {.sequences = 40, .labels = 70, .features = 280, .noise = 0.2}, false}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(SvmTest, ALargerCFitsMore) {
  const linear::EncodedTraining training = toy_data(3, {.sequences = 80, .noise = 0.3});
  const ChainWeights loose = Session{training}.run(svm({.c = 0.001})),
                     tight = Session{training}.run(svm({.c = 1}));
  EXPECT_LT(square(loose), square(tight));
  EXPECT_LT(accuracy(loose, training.data), accuracy(tight, training.data));
}

TEST(SvmTest, TheAverageIsCloserToTheOptimumThanTheLastWeights) {
  const linear::EncodedTraining training = toy_data(3, {.sequences = 300, .noise = 0.4});
  const double c = 0.1;
  SvmOptions options{.c = c, .passes = 4, .tolerance = 0, .average = true};
  const double averaged = primal(Session{training}.run(svm(options)), training.data, c, {});
  options.average = false;
  const double last = primal(Session{training}.run(svm(options)), training.data, c, {});
  EXPECT_LT(averaged, last);
}

TEST(SvmTest, AWarmStartIsTheOriginOfThePenalty) {
  const linear::EncodedTraining training = toy_data(3, {.sequences = 60, .noise = 0.3});
  const Workers workers(1);
  const Monitor monitor;
  const ChainWeights start = random_weights(training, true, 5);
  std::vector<DualityGap> gaps;
  const auto run = [&](double c, int passes) {
    SvmOptions options{.c = c, .passes = passes, .tolerance = 0.01, .gap_every = 1, .average = false};
    options.gap_measured = [&](const DualityGap& gap) { gaps.push_back(gap); };
    auto result =
        train_svm({{monitor, [](const Round&) { return Verdict(); }}, training, start, workers}, options);
    EXPECT_TRUE(result.ok());
    return std::move(result).value();
  };
  const ChainWeights near = run(1e-6, 3);
  for (size_t i = 0; i < start.state.size(); ++i) EXPECT_NEAR(near.state[i], start.state[i], 1e-3);
  gaps.clear();
  run(0.3, 400);
  EXPECT_LT(gaps.back().per_sequence, 0.01) << "the gap closes with the origin in both values";
  for (const DualityGap& gap : gaps) EXPECT_LE(gap.dual, gap.primal + 1e-3);
}

TEST(SvmTest, ADoctoredCheckpointIsRefused) {
  const linear::EncodedTraining training = toy_data(3, {.sequences = 20, .noise = 0.3});
  std::vector<BlockDual> duals(2);
  duals[0].nodes = {{dual_key(0, 1), 1}, {dual_key(1, 2), -1}};
  const auto load = [&](const std::vector<uint32_t>& lengths, uint64_t indices) {
    SectionWriter writer;
    save_terms(writer, "nodes", duals, &BlockDual::nodes);
    const Result<SectionFile> file = SectionFile::from_bytes(writer.to_bytes(), "checkpoint");
    std::vector<BlockDual> loaded;
    const Status status = load_terms(*file, "nodes", lengths, indices, loaded, &BlockDual::nodes);
    if (status.ok()) {
      EXPECT_EQ(loaded[0].nodes.size(), duals[0].nodes.size());
    }
    return status.ok();
  };
  const std::vector<uint32_t> lengths = {2, 3};
  EXPECT_TRUE(load(lengths, 3));
  EXPECT_FALSE(load({2}, 3)) << "another number of blocks";
  EXPECT_FALSE(load({1, 3}, 3)) << "a token past the end of the block";
  EXPECT_FALSE(load(lengths, 2)) << "a label that does not exist";
  std::swap(duals[0].nodes[0], duals[0].nodes[1]);
  EXPECT_FALSE(load(lengths, 3)) << "keys out of order";
  duals[0].nodes = {{dual_key(0, 1), std::nan("")}};
  EXPECT_FALSE(load(lengths, 3)) << "not a number";
}

TEST(SvmDualTest, TermsOfADifferenceSumPerPosition) {
  BlockDual d;
  const std::vector<data::Label> gold = {0, 1, 1, 1}, y = {0, 2, 1, 1};
  difference(gold, y, 8, false, d);
  ASSERT_EQ(d.nodes.size(), 2u);
  EXPECT_EQ(d.nodes[0].key, dual_key(1, 1));
  EXPECT_EQ(d.nodes[0].value, 1);
  EXPECT_EQ(d.nodes[1].value, -1);
  ASSERT_EQ(d.pairs.size(), 4u) << "0→1 and 1→1 lost, 0→2 and 2→1 gained";
  difference(gold, gold, 8, true, d);
  EXPECT_TRUE(d.nodes.empty() && d.pairs.empty());
}

TEST(SvmDualTest, CombiningWithItselfCancels) {
  const DualTerms x = {{1, 0.5}, {4, -2}}, y = {{2, 1}, {4, 1}};
  DualTerms out;
  combine(1, x, -1, x, out);
  EXPECT_TRUE(out.empty());
  combine(1, x, 2, y, out);
  ASSERT_EQ(out.size(), 2u) << "the terms at 4 cancel";
  EXPECT_EQ(out[1].key, 2u);
  EXPECT_EQ(out[1].value, 2);
}

TEST(SparseDirectionTest, AddsUpWhatPassesThroughZero) {
  SparseDirection d(10);
  d.add(3, 1);
  d.add(3, -1);
  d.add(3, 2);
  d.add(7, 1);
  d.close();
  EXPECT_EQ(d.square(), 5);
  AlignedVector<float> w(10, 1.0f), lag(10, 0.0f);
  EXPECT_EQ(d.dot(w), 3);
  d.apply(0.5, 10, w, lag);
  EXPECT_EQ(w[3], 2);
  EXPECT_EQ(w[7], 1.5f);
  EXPECT_EQ(lag[3], 10);
  d.clear();
  d.close();
  EXPECT_EQ(d.square(), 0);
}

}  // namespace
}  // namespace espalier::chain

// What holds for every chain learner.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <optional>
#include <set>

#include "espalier/chain/learners/learner_bench.h"

namespace espalier::chain {
namespace {

class LearnerTest : public testing::TestWithParam<ChainLearner> {
 protected:
  auto passes(int n) const {
    return [n](TrainingContext context) { return GetParam().train(std::move(context), n); };
  }
  bool transitions() const { return GetParam().transitions; }
  /// What a run of `of` passes saves after one of them, as a file of this name.
  Result<SectionFile> saved_after(int round, int of, const linear::EncodedTraining& training,
                                  const char* name) const {
    std::vector<std::byte> saved;
    Session session{training, transitions()};
    session.round_ended = [&](const Round& ended) {
      if (ended.number != round) return true;
      SectionWriter writer;
      ended.save(writer);
      saved = writer.to_bytes();
      return false;
    };
    session.run(passes(of));
    return SectionFile::from_bytes(saved, name);
  }
  /// Curvature is not saved: a resumed run takes other steps.
  bool is_lbfgs() const { return GetParam().name.starts_with("lbfgs"); }
};

/// Everything a data set can have at once.
const ToyOptions kHard{.sequences = 90, .noise = 0.3, .unknown = 0.15, .values = true, .edges = true};

TEST_P(LearnerTest, FitsASeparableSet) {
  const linear::EncodedTraining training = toy_data(1, {.sequences = 60});
  const ChainWeights w = Session{training, transitions()}.run(passes(100));
  // A perceptron is content with a tie that falls its way, and the average may break it the other way. What
  // learns with dropout does not trust any one of these few features.
  const bool near = GetParam().name.ends_with("perceptron") || GetParam().name.ends_with("dropout");
  EXPECT_GE(accuracy(w, training.data), near ? 0.99 : 1);
}

TEST_P(LearnerTest, GeneralisesToFreshData) {
  const linear::EncodedTraining training = toy_data(2, {.sequences = 300, .noise = 0.1});
  const linear::EncodedTraining fresh = toy_data(3, {.sequences = 300, .noise = 0.1});
  const ChainWeights w = Session{training, transitions()}.run(passes(15));
  EXPECT_GT(accuracy(w, fresh.data), 0.9);
}

TEST_P(LearnerTest, LearnsFromRealValuesAndEdgeFeatures) {
  const linear::EncodedTraining training =
      toy_data(4, {.sequences = 60, .values = true, .edges = transitions()});
  const ChainWeights w = Session{training, transitions()}.run(passes(25));
  EXPECT_GT(accuracy(w, training.data), GetParam().name.ends_with("dropout") ? 0.96 : 0.99);
  if (transitions()) {
    EXPECT_TRUE(std::any_of(w.edge.begin(), w.edge.end(), [](float x) { return x != 0; }));
  }
}

TEST_P(LearnerTest, GivesTheSameBytesAtAnyNumberOfThreads) {
  const linear::EncodedTraining training = toy_data(5, kHard);
  const ChainWeights one = Session{training, transitions(), 1}.run(passes(6));
  for (const int threads : {2, 3, 5, 8})
    EXPECT_TRUE(same_bytes(one, Session{training, transitions(), threads}.run(passes(6))))
        << threads << " threads";
}

TEST_P(LearnerTest, ReportsEveryRoundAndTheLastIsWhatItReturns) {
  const linear::EncodedTraining training = toy_data(5, kHard);
  std::vector<int> numbers;
  std::optional<ChainWeights> last;
  Session session{training, transitions()};
  session.round_ended = [&](const Round& round) {
    numbers.push_back(round.number);
    EXPECT_TRUE(std::isfinite(*round.objective) && *round.objective > 0) << *round.objective;
    last = round.model();
    return true;
  };
  const ChainWeights w = session.run(passes(4));
  EXPECT_EQ(numbers, (std::vector<int>{1, 2, 3, 4}));
  EXPECT_TRUE(same_bytes(w, *last));
}

TEST_P(LearnerTest, EndsWhenTheCallerHasSeenEnough) {
  const linear::EncodedTraining training = toy_data(5, kHard);
  int rounds = 0;
  Session session{training, transitions()};
  session.round_ended = [&](const Round&) { return ++rounds < 2; };
  session.run(passes(10));
  EXPECT_EQ(rounds, 2);
}

TEST_P(LearnerTest, AnInterruptLeavesUsableWeights) {
  const linear::EncodedTraining training = toy_data(1, {.sequences = 60});
  std::atomic<bool> stop = false;
  Session session{training, transitions()};
  session.monitor.stop = &stop;
  session.round_ended = [&](const Round& round) {
    stop = round.number >= 6;
    return true;
  };
  EXPECT_GT(accuracy(session.run(passes(1000)), training.data), 0.8);
}

TEST_P(LearnerTest, AResumedRunEndsAsAnUninterruptedOne) {
  const linear::EncodedTraining training = toy_data(6, kHard);
  const ChainWeights whole = Session{training, transitions()}.run(passes(8));
  for (const int interrupted_after : {1, 5}) {
    const Result<SectionFile> file = saved_after(interrupted_after, 8, training, "checkpoint");
    ASSERT_TRUE(file.ok());
    Session second{training, transitions(), 2};
    second.resume = &*file;
    std::vector<int> rounds;
    second.round_ended = [&](const Round& round) {
      rounds.push_back(round.number);
      return true;
    };
    const ChainWeights resumed = second.run(passes(8));
    EXPECT_EQ(rounds.front(), interrupted_after + 1);
    EXPECT_EQ(rounds.back(), 8);
    if (!is_lbfgs()) {
      EXPECT_TRUE(same_bytes(whole, resumed)) << "interrupted after " << interrupted_after;
    }
  }
}

TEST_P(LearnerTest, RefusesTheStateOfARunOnOtherData) {
  const linear::EncodedTraining training = toy_data(6, kHard), other = toy_data(7, kHard);
  const Result<SectionFile> file = saved_after(1, 3, training, "old.checkpoint");
  ASSERT_TRUE(file.ok());
  Session second{other, transitions()};
  second.resume = &*file;
  const Result<ChainWeights> refused = second.try_run(passes(3));
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().message.find("old.checkpoint"), 0u) << refused.error().message;
}

TEST_P(LearnerTest, RefusesTheStateOfAnotherKindOfLearner) {
  const linear::EncodedTraining training = toy_data(6, kHard);
  for (const ChainLearner& other : chain_learners()) {
    const auto kind = [](const std::string& name) {
      return name.starts_with("lbfgs")      ? 'l'
             : name.ends_with("svm")        ? 's'
             : name.ends_with("perceptron") ? 'p'
                                            : 'c';
    };
    if (kind(other.name) == kind(GetParam().name) || other.transitions != transitions()) continue;
    std::vector<std::byte> saved;
    Session first{training, transitions()};
    first.round_ended = [&](const Round& round) {
      SectionWriter writer;
      round.save(writer);
      saved = writer.to_bytes();
      return false;
    };
    first.run([&](TrainingContext context) { return other.train(std::move(context), 2); });
    const Result<SectionFile> file = SectionFile::from_bytes(saved, "checkpoint");
    ASSERT_TRUE(file.ok());
    Session second{training, transitions()};
    second.resume = &*file;
    EXPECT_FALSE(second.try_run(passes(3)).ok()) << "took the state of " << other.name;
  }
}

TEST_P(LearnerTest, ASequenceOfWeightZeroIsNotThere) {
  const ToyOptions options{.sequences = 60, .noise = 0.2, .values = true, .edges = true};
  linear::EncodedTraining training = toy_data(8, options);
  linear::EncodedTraining disturbed = training;
  const size_t victim = 11;
  training.data.weight[victim] = disturbed.data.weight[victim] = 0;
  for (size_t t = training.data.sequence_begin[victim]; t < training.data.sequence_begin[victim + 1]; ++t)
    disturbed.data.gold[t] = static_cast<data::Label>((disturbed.data.gold[t] + 1) % training.labels.size());
  // Start from the same layout; only the labels of the sequence that does not count differ.
  const Workers workers(1);
  const Monitor monitor;
  const auto run = [&](const linear::EncodedTraining& on) {
    return GetParam().train(TrainingContext{{monitor, [](const Round&) { return Verdict(); }},
                                            on,
                                            make_weights(training, transitions(), {}),
                                            workers,
                                            7},
                            5);
  };
  const auto a = run(training), b = run(disturbed);
  ASSERT_TRUE(a.ok() && b.ok());
  EXPECT_TRUE(same_bytes(*a, *b));
}

TEST_P(LearnerTest, PartlyLabelledSequencesHelp) {
  // A few sequences with all labels, and many that tell only some: more is right than with the few alone.
  const linear::EncodedTraining fresh = toy_data(50, {.sequences = 400, .noise = 0.1});
  const linear::EncodedTraining both = toy_data(10, {.sequences = 150, .noise = 0.1, .unknown = 0.5});
  linear::EncodedTraining few = both;
  for (size_t s = 8; s < few.data.sequences(); ++s) few.data.weight[s] = 0;
  const ChainWeights with = Session{both, transitions()}.run(passes(12));
  const ChainWeights without = Session{few, transitions()}.run(passes(12));
  EXPECT_GT(accuracy(with, fresh.data), accuracy(without, fresh.data) + 0.05);
}

TEST_P(LearnerTest, ALabelWithMoreWeightGetsAWiderMargin) {
  const linear::EncodedTraining training = toy_data(12, {.sequences = 200});
  const auto margin_of_two = [&](const std::vector<float>& label_weight) {
    const ChainWeights w = Session{training, transitions(), 1, label_weight}.run(passes(10));
    SequenceScores scores;
    double sum = 0, tokens = 0;
    for (size_t s = 0; s < training.data.sequences(); ++s) {
      score_sequence(w, training.data, s, scores);
      for (size_t t = 0; t < training.data.length(s); ++t) {
        if (training.data.gold_of(s)[t] != 2) continue;
        const float* node = scores.node.data() + t * w.stride;
        sum += static_cast<double>(node[2] - std::max({node[0], node[1], node[3]}));
        ++tokens;
      }
    }
    return sum / tokens;
  };
  const double plain = margin_of_two({});
  EXPECT_EQ(margin_of_two({1, 1, 1, 1}), plain) << "weights of 1 change nothing";
  EXPECT_GT(margin_of_two({1, 1, 4, 1}), 1.1 * plain);
}

/// A perceptron or SVM that is trained further is averaged with the old model, which counts by the root of
/// how many times as many tokens it has learned from; weights that it did not have take their steps in full.
TEST(FurtherPlainSteps, AnOldModelCountsTheMoreTheMoreItHasLearnedFrom) {
  const linear::EncodedTraining training = toy_data(9, {.sequences = 40, .noise = 1});
  const double tokens = static_cast<double>(training.data.tokens());
  ChainWeights old = random_weights(training, true, 3);
  for (size_t i = 0; i < old.state.size(); i += 3) old.state[i] = 0;
  for (const bool svm : {false, true}) {
    const auto further = [&](double more) {
      const Workers workers(1);
      TrainingContext context{{{}, [](const Round&) { return Verdict{}; }}, training, old, workers};
      context.learned_tokens = more * tokens;
      return svm ? train_svm(std::move(context), {.passes = 2}).value()
                 : train_perceptron(std::move(context), {.passes = 2}).value();
    };
    const ChainWeights plain = further(0), nine = further(9), hundred = further(100);
    size_t moved = 0, fresh = 0;
    for (size_t k = 0; k < old.state_rows.weights(); ++k) {
      const float change = plain.state[k] - old.state[k];
      if (change == 0) continue;
      const bool is_new = old.state[k] == 0;
      EXPECT_NEAR(nine.state[k] - old.state[k], change * (is_new ? 1 : 1.0f / 4), 1e-4) << svm;
      EXPECT_NEAR(hundred.state[k] - old.state[k], change * (is_new ? 1 : 1.0f / 11), 1e-4) << svm;
      ++(is_new ? fresh : moved);
    }
    EXPECT_GT(moved, 10u) << svm;
    EXPECT_GT(fresh, 5u) << svm;
  }
}

INSTANTIATE_TEST_SUITE_P(Chain, LearnerTest, testing::ValuesIn(chain_learners()),
                         [](const auto& test) { return test.param.name; });

TEST(StateRows, OfSeveralLabelsPerTokenAreTheUnionOfThoseOfEach) {
  const linear::EncodedTraining training = toy_data(3, {.sequences = 30, .unknown = 0.2});
  const size_t K = training.labels.size();
  const std::vector<data::Label>& first = training.data.gold;
  std::vector<data::Label> second(first.size()), both;
  for (size_t t = 0; t < first.size(); ++t) {
    second[t] = t % 5 == 0 ? data::kNoLabel : static_cast<data::Label>(t % K);
    both.insert(both.end(), {first[t], second[t]});
  }
  for (const uint32_t full_from : {0u, 3u}) {
    const linear::StateRows a = state_rows(training, first, K, {full_from}),
                            b = state_rows(training, second, K, {full_from}),
                            all = state_rows(training, both, K, {full_from});
    EXPECT_EQ(a.column, make_weights(training, true, {full_from}).state_rows.column);
    ASSERT_EQ(all.rows(), training.state.size());
    for (size_t f = 0; f < all.rows(); ++f) {
      const auto row = [f](const linear::StateRows& rows) {
        return std::set<data::Label>(rows.column.begin() + rows.begin[f],
                                     rows.column.begin() + rows.begin[f + 1]);
      };
      std::set<data::Label> wanted = row(a);
      wanted.merge(row(b));
      EXPECT_EQ(row(all), wanted);
      EXPECT_EQ(all.begin[f + 1] - all.begin[f], wanted.size());
    }
  }
}

TEST(Rows, AreThePairsThatOccurWhetherFeaturesAreRareOrFrequent) {
  // Rare features are collected in lists, frequent ones marked as bits; 70 labels take two words.
  for (const size_t sequences : {3u, 400u})
    for (const size_t labels : {4u, 70u}) {
      const linear::EncodedTraining training = toy_data(
          labels, {.sequences = sequences, .labels = labels, .features = 320, .unknown = 0.1, .edges = true});
      const linear::Dataset& data = training.data;
      std::set<std::pair<uint32_t, uint32_t>> state, edge;
      for (size_t s = 0; s < data.sequences(); ++s)
        for (size_t t = data.sequence_begin[s]; t < data.sequence_begin[s + 1]; ++t) {
          if (data.gold[t] == data::kNoLabel) continue;
          for (const uint32_t f : data.state[t]) state.emplace(f, data.gold[t]);
          if (t == data.sequence_begin[s] || data.gold[t - 1] == data::kNoLabel) continue;
          for (const uint32_t f : data.edge[t])
            edge.emplace(f, static_cast<uint32_t>(data.gold[t - 1] * labels + data.gold[t]));
        }
      const ChainWeights w = make_weights(training, true, {}, Workers(2));
      const auto pairs_of = [](const auto& rows) {
        std::vector<std::pair<uint32_t, uint32_t>> pairs;
        for (uint32_t f = 0; f + 1 < rows.begin.size(); ++f)
          for (uint32_t i = rows.begin[f]; i < rows.begin[f + 1]; ++i) pairs.emplace_back(f, rows.column[i]);
        return pairs;
      };
      EXPECT_EQ(pairs_of(w.state_rows),
                (std::vector<std::pair<uint32_t, uint32_t>>(state.begin(), state.end())));
      EXPECT_EQ(pairs_of(w.edge_rows),
                (std::vector<std::pair<uint32_t, uint32_t>>(edge.begin(), edge.end())));
    }
}

}  // namespace
}  // namespace espalier::chain

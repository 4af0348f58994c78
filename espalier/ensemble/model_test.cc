#include "espalier/ensemble/model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "espalier/base/files/temporary_directory.h"
#include "espalier/base/random.h"
#include "espalier/ensemble/learn.h"
#include "espalier/ensemble/report.h"

namespace espalier::ensemble {
namespace {

/// Sequences of ten random letters with the votes of five experts. Expert j always knows the letters whose
/// number leaves the remainder j when divided by 5, and 70 % of the others; where it errs, it votes for a
/// neighbour in the alphabet.
std::vector<TokenVotes> letter_votes(size_t sequences, data::LabelSet& labels) {
  constexpr size_t kExperts = 5, kLength = 10, kLetters = 26;
  for (size_t c = 0; c < kLetters; ++c) labels.add(std::string(1, static_cast<char>('a' + c)));
  Random random(5);
  std::vector<TokenVotes> all(sequences);
  for (TokenVotes& sequence : all) {
    sequence.reset(kExperts, kLength);
    for (size_t k = 0; k < kLength; ++k) {
      const size_t letter = random.below(kLetters);
      sequence.gold.push_back(static_cast<data::Label>(letter));
      for (size_t j = 0; j < kExperts; ++j) {
        const bool knows = letter % kExperts == j || random.uniform() < 0.7;
        const size_t up = letter + 1 < kLetters ? letter + 1 : letter - 1;
        const size_t down = letter > 0 ? letter - 1 : letter + 1;
        const size_t vote = knows ? letter : random.below(2) == 1 ? up : down;
        sequence.votes[k * kExperts + j] = static_cast<data::Label>(vote);
      }
    }
  }
  return all;
}

/// The same as a store, as learning wants it.
VoteStore stored(std::span<const TokenVotes> sample, size_t memory = VoteStore::kDefaultMemory) {
  VoteStore store(memory);
  for (const TokenVotes& votes : sample) EXPECT_TRUE(store.add(votes).ok());
  EXPECT_TRUE(store.finish().ok());
  return store;
}

LearnRequest learn_request(Method method) {
  LearnRequest request;
  request.methods = {method};
  request.betas = {0.9};
  request.options.boost.rounds = request.options.sle.rounds = 10;
  request.substructures.kind = SubstructureKind::kPositions;
  return request;
}

TEST(EnsembleModel, SavedAndLoadedItLabelsTheSame) {
  const TemporaryDirectory folder;
  data::LabelSet labels;
  const std::vector<TokenVotes> sample = letter_votes(120, labels);
  for (const MethodInfo& info : methods()) {
    auto learned = learn_ensemble(stored(sample), labels, learn_request(info.method));
    ASSERT_TRUE(learned.ok()) << learned.error().message;
    learned->model.experts = {"a", "b", "c", "d", "e"};
    const std::string path = folder.path("m.model");
    ASSERT_TRUE(learned->model.save(path).ok());
    const auto loaded = EnsembleModel::open(path);
    ASSERT_TRUE(loaded.ok()) << loaded.error().message;
    EXPECT_EQ(loaded->table, learned->model.table);
    const WeightTable best = single_expert_table(5, 0);
    data::LabelSet first = labels, second = loaded->labels;
    Substructures one(learned->model.substructures, first, data::Scheme::kNone);
    Substructures two(loaded->substructures, second, data::Scheme::kNone);
    Combiner a(learned->model.rule(true, best), one, first), b(loaded->rule(true, best), two, second);
    Combined x, y;
    for (size_t s = 0; s < sample.size(); ++s) {
      ASSERT_TRUE(a.combine(sample[s], s, x).ok() && b.combine(sample[s], s, y).ok());
      EXPECT_EQ(x.labels, y.labels);
      EXPECT_EQ(x.share, y.share);
    }
  }
}

TEST(EnsembleModel, DamageIsRefused) {
  const TemporaryDirectory folder;
  data::LabelSet labels;
  auto learned = learn_ensemble(stored(letter_votes(50, labels)), labels, learn_request(Method::kMvote));
  ASSERT_TRUE(learned.ok());
  learned->model.experts = {"a", "b", "c", "d"};  // four names for five columns of weights
  ASSERT_TRUE(learned->model.save(folder.path("m.model")).ok());
  EXPECT_FALSE(EnsembleModel::open(folder.path("m.model")).ok());
  SectionWriter other;
  other.add_text("about", "{}");
  ASSERT_TRUE(other.save(folder.path("other.model")).ok());
  const auto wrong = EnsembleModel::open(folder.path("other.model"));
  ASSERT_FALSE(wrong.ok());
  EXPECT_THAT(wrong.error().message, testing::HasSubstr("not an ensemble"));
}

TEST(LearnEnsemble, SameModelAtAnyNumberOfThreads) {
  data::LabelSet labels;
  const std::vector<TokenVotes> sample = letter_votes(80, labels);
  const TemporaryDirectory folder;
  std::string first;
  for (const int threads : {1, 2, 3}) {
    LearnRequest request = learn_request(Method::kMvote);
    request.methods = {Method::kMvote, Method::kFpl, Method::kSle, Method::kBest};
    request.betas = {0.8, 0.95};
    request.threads = threads;
    auto learned = learn_ensemble(stored(sample), labels, request);
    ASSERT_TRUE(learned.ok());
    EXPECT_EQ(learned->candidates.size(), 5u);
    learned->model.experts = {"a", "b", "c", "d", "e"};
    ASSERT_TRUE(learned->model.save(folder.path("m.model")).ok());
    const std::string bytes = folder.read("m.model");
    if (first.empty()) first = bytes;
    EXPECT_EQ(bytes, first);
  }
}

TEST(LearnEnsemble, AStoreOnDiskGivesTheModelOfOneInMemory) {
  const TemporaryDirectory folder;
  data::LabelSet labels;
  const std::vector<TokenVotes> sample = letter_votes(80, labels);
  for (const SubstructureKind kind : {SubstructureKind::kPositions, SubstructureKind::kNgrams}) {
    std::string first;
    for (const size_t memory : {VoteStore::kDefaultMemory, size_t{0}}) {
      LearnRequest request = learn_request(Method::kMvote);
      request.methods = {Method::kMvote, Method::kFpl, Method::kEspboost, Method::kBest};
      request.betas = {0.8, 0.95};
      request.substructures.kind = kind;
      request.threads = 2;
      const VoteStore store = stored(sample, memory);
      EXPECT_EQ(store.in_memory(), memory > 0);
      auto learned = learn_ensemble(store, labels, request);
      ASSERT_TRUE(learned.ok()) << learned.error().message;
      learned->model.experts = {"a", "b", "c", "d", "e"};
      ASSERT_TRUE(learned->model.save(folder.path("m.model")).ok());
      const std::string bytes = folder.read("m.model");
      if (first.empty()) first = bytes;
      EXPECT_EQ(bytes, first);
    }
  }
}

TEST(LearnEnsemble, ConfidencesAreCalibratedOnHeldOutSequences) {
  data::LabelSet labels;
  const std::vector<TokenVotes> sample = letter_votes(1000, labels);
  const std::vector<TokenVotes> train(sample.begin(), sample.begin() + 500);
  auto learned = learn_ensemble(stored(train), labels, learn_request(Method::kMvote));
  ASSERT_TRUE(learned.ok());
  ASSERT_TRUE(learned->model.calibrated);
  learned->model.experts = {"a", "b", "c", "d", "e"};
  data::LabelSet growing = labels;
  Reporter reporter(learned->model, true, growing, 1);
  for (size_t s = 500; s < 1000; ++s) ASSERT_TRUE(reporter.add(sample[s]).ok());
  const auto report = reporter.finish();
  ASSERT_TRUE(report.ok());
  EXPECT_LT(report->ensemble.calibration().expected_calibration_error(), 0.03);
  EXPECT_LT(report->sequence_calibration.expected_calibration_error(), 0.1);
  EXPECT_LT(report->loss, report->expert_loss[report->best_expert] / 2);
  EXPECT_LT(report->against_best.p_value, 0.01);
  double weight = 0;
  for (const ExpertReport& expert : report->experts) {
    weight += expert.weight;
    EXPECT_GT(expert.left_out_loss, 0);  // every one of them knows letters that no other does
  }
  EXPECT_NEAR(weight, 1, 1e-9);
  for (size_t j = 0; j < 5; ++j) EXPECT_EQ(report->agreement[j * 5 + j].percent(), 100);
}

TEST(ConfidenceMap, IsMonotoneAndFollowsTheCounts) {
  ConfidenceMap::Counts counts;
  for (int i = 0; i < 1000; ++i) {
    counts.add(1, i % 50 != 0);
    counts.add(0.6, i % 2 == 0);
    counts.add(0.4, i % 3 == 0);
  }
  const ConfidenceMap map = ConfidenceMap::fit(counts);
  EXPECT_NEAR(map(1), 0.98, 0.005);
  EXPECT_NEAR(map(0.6), 0.5, 0.005);
  EXPECT_NEAR(map(0.4), 1 / 3.0, 0.005);
  for (size_t b = 1; b < ConfidenceMap::kBins; ++b) EXPECT_GE(map.values()[b], map.values()[b - 1]);
}

Candidate candidate_with(Method method, std::vector<double> losses) {
  Candidate made;
  made.method = method;
  for (const double loss : losses) made.loss += loss / static_cast<double>(losses.size());
  made.fold_losses = std::move(losses);
  return made;
}

TEST(BestCandidate, WhatNeedsNothingLearnedGivesWayOnlyToWhatIsBetterByMoreThanNoise) {
  const std::vector<double> plain{.20, .22, .18, .21, .19}, surely{.18, .20, .17, .19, .17},
      perhaps{.10, .28, .15, .25, .19}, more_surely{.15, .18, .14, .16, .15};
  for (const Method method : {Method::kMajority, Method::kBest}) {
    const Candidate first = candidate_with(method, plain);
    EXPECT_EQ(best_candidate(std::vector{candidate_with(Method::kMvote, surely), first}).method,
              Method::kMvote);
    EXPECT_EQ(best_candidate(std::vector{candidate_with(Method::kMvote, perhaps), first}).method, method);
  }
  // A dominant expert is taken where majority is surely worse, and stays unless a vote is surely better
  // still.
  const Candidate majority = candidate_with(Method::kMajority, plain);
  const Candidate expert = candidate_with(Method::kBest, surely);
  EXPECT_EQ(best_candidate(std::vector{majority, expert}).method, Method::kBest);
  EXPECT_EQ(
      best_candidate(std::vector{majority, expert, candidate_with(Method::kMvote, {.12, .25, .14, .22, .15})})
          .method,
      Method::kBest);
  EXPECT_EQ(best_candidate(std::vector{majority, expert, candidate_with(Method::kMvote, more_surely)}).method,
            Method::kMvote);
  // An expert that is not surely better than majority does not keep a vote from being taken.
  EXPECT_EQ(best_candidate(std::vector{majority, candidate_with(Method::kBest, perhaps),
                                       candidate_with(Method::kMvote, surely)})
                .method,
            Method::kMvote);
  const std::vector<Candidate> neither{candidate_with(Method::kCv, perhaps),
                                       candidate_with(Method::kMvote, surely)};
  EXPECT_EQ(best_candidate(neither).method, Method::kMvote);
}

TEST(BestCandidate, SaysInOneLineWhyItWasTaken) {
  Candidate mvote = candidate_with(Method::kMvote, {.15, .18, .14, .16, .15});
  mvote.beta = 0.9;
  const std::vector<Candidate> won{mvote, candidate_with(Method::kMajority, {.20, .22, .18, .21, .19})};
  EXPECT_EQ(
      choice_in_words(won, best_candidate(won)),
      "chosen by cross-validation: mvote with β = 0.9, 15.60 % wrong, majority 20.00 %; the lowest of all");
  const std::vector<Candidate> stayed{candidate_with(Method::kCv, {.10, .28, .15, .25, .19}),
                                      candidate_with(Method::kMajority, {.20, .22, .18, .21, .19})};
  EXPECT_EQ(choice_in_words(stayed, best_candidate(stayed)),
            "chosen by cross-validation: majority, 20.00 % wrong; cv has 19.40 %, which is no better by more "
            "than noise");
}

TEST(BestCandidate, IsSureByTheDifferencesOfSequences) {
  Candidate plain, ensemble;
  plain.method = Method::kMajority;
  plain.loss = 0.20;
  ensemble.loss = 0.18;
  for (int s = 0; s < 100; ++s) {  // the same gain in the mean: on every sequence, or back and forth
    plain.sequence_losses.push_back(0.20f);
    ensemble.sequence_losses.push_back(s % 2 == 0 ? 0.17f : 0.19f);
  }
  EXPECT_EQ(best_candidate(std::vector{ensemble, plain}).method, Method::kMvote);
  for (size_t s = 0; s < 100; ++s) ensemble.sequence_losses[s] = s % 2 == 0 ? 0.58f : -0.22f;
  EXPECT_EQ(best_candidate(std::vector{ensemble, plain}).method, Method::kMajority);
  Candidate failed = ensemble;
  failed.failure = "it could not";
  EXPECT_EQ(best_candidate(std::vector{failed, plain}).method, Method::kMajority);
}

TEST(BestCandidate, IsBolderWithMoreSequences) {
  EXPECT_DOUBLE_EQ(sure_by(10), 1.8);
  EXPECT_DOUBLE_EQ(sure_by(100), 1.8);
  EXPECT_NEAR(sure_by(1000), 0.64, 0.005);
  // A gain of one standard error of the difference: not enough with 100 sequences, enough with 1,600.
  const auto choice = [](size_t sequences) {
    Candidate plain, ensemble;
    plain.method = Method::kMajority;
    const float swing = 0.01f * std::sqrt(static_cast<float>(sequences));
    for (size_t s = 0; s < sequences; ++s) {
      plain.sequence_losses.push_back(0.5f);
      ensemble.sequence_losses.push_back(0.49f + (s % 2 == 0 ? swing : -swing));
    }
    plain.loss = 0.5;
    ensemble.loss = 0.49;
    return best_candidate(std::vector{ensemble, plain}).method;
  };
  EXPECT_EQ(choice(100), Method::kMajority);
  EXPECT_EQ(choice(1600), Method::kMvote);
}

TEST(ChooseSwitch, FindsTheLengthFromWhichTheEnsembleIsBetter) {
  LengthLosses losses;
  for (size_t length = 1; length <= 10; ++length)
    for (int i = 0; i < 10; ++i) losses.add(length, 0.1 + 0.01 * static_cast<double>(length), 0.155);
  EXPECT_EQ(choose_switch(losses), 6u);
  EXPECT_EQ(losses.sequences_below(6), 50u);
  EXPECT_EQ(losses.sequences_below(SIZE_MAX), 100u);
  LengthLosses never;
  never.add(3, 0.2, 0.1);
  EXPECT_EQ(choose_switch(never), 0u);
}

TEST(Bounds, PropositionTwoAndTheoremOneAreReported) {
  data::LabelSet labels;
  const std::vector<TokenVotes> sample = letter_votes(200, labels);
  auto learned = learn_ensemble(stored(sample), labels, learn_request(Method::kMvote));
  ASSERT_TRUE(learned.ok());
  learned->model.experts = {"a", "b", "c", "d", "e"};
  Substructures substructures(learned->model.substructures, labels, data::Scheme::kNone);
  VoteBatch batch(5);
  for (const TokenVotes& tokens : sample) batch.add(substructures.encode(tokens));
  BatchSource source(batch);
  const auto lines = paper_bounds(source, learned->model, 0.1);
  ASSERT_TRUE(lines.ok());
  ASSERT_EQ(lines->size(), 2u);
  for (const BoundLine& line : *lines) EXPECT_LE(line.measured, line.bound) << line.name;
}

}  // namespace
}  // namespace espalier::ensemble

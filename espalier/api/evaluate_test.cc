#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "espalier/api/api_test_support.h"

namespace espalier {
namespace {

using testing::HasSubstr;

TEST(Evaluate, ScoresAModel) {
  const Tagger tagger = train(phrases(40)).value();
  const Scores scores = evaluate(tagger, phrases(20, 100)).value();
  EXPECT_EQ(scores.sequences, 20u);
  EXPECT_DOUBLE_EQ(scores.accuracy, 100);
  EXPECT_DOUBLE_EQ(scores.f1, 100);
  EXPECT_FALSE(scores.by_label.empty());
  EXPECT_THAT(scores.report(), HasSubstr("accuracy"));
  EXPECT_THAT(scores.json(), HasSubstr("\"sequence_accuracy\":100"));
}

TEST(Evaluate, LabelsFromElsewhereAreCountedAsConllevalDoes) {
  const Scores scores =
      evaluate_labels({{"B-NP", "I-NP", "O", "B-VP"}}, {{"B-NP", "O", "O", "B-VP"}}).value();
  EXPECT_DOUBLE_EQ(scores.accuracy, 75);
  EXPECT_DOUBLE_EQ(scores.precision, 50);
  EXPECT_DOUBLE_EQ(scores.recall, 50);
  EXPECT_FALSE(evaluate_labels({{"O"}}, {{"O", "O"}}).ok());
  EXPECT_FALSE(evaluate_labels({{"O"}}, {}).ok());
}

TEST(Evaluate, DataWithoutLabelsIsAnError) {
  const Tagger tagger = train(phrases(40)).value();
  Corpus bare({.columns = {"word", "tag"}});
  bare.add_rows(a_sentence());
  const auto scores = evaluate(tagger, bare);
  ASSERT_FALSE(scores.ok());
  EXPECT_THAT(scores.error().message, HasSubstr("no labels"));
}

TEST(Evaluate, CountsLabellingsThatBreakRules) {
  const Tagger tagger = train(phrases(40)).value();
  EvaluateOptions options;
  options.check_rules = Constraints::parse("quiet: at most 0 of B-VP\n").value();
  const Scores scores = evaluate(tagger, phrases(20, 100), options).value();
  ASSERT_TRUE(scores.legal_percent.has_value());
  EXPECT_DOUBLE_EQ(*scores.legal_percent, 0);
}

TEST(Evaluate, TellsWhatBecameOfEachSequence) {
  const Tagger tagger = train(phrases(40)).value();
  EvaluateOptions options;
  options.calibration = true;
  std::vector<ScoredSequence> seen;
  options.on_sequence = [&](const ScoredSequence& sequence) { seen.push_back(sequence); };
  ASSERT_TRUE(evaluate(tagger, phrases(3, 100), options).ok());
  ASSERT_EQ(seen.size(), 3u);
  EXPECT_THAT(seen[1].words, testing::ElementsAre("the", "dog", "ate", "."));
  EXPECT_THAT(seen[1].gold, testing::ElementsAre("B-NP", "I-NP", "B-VP", "O"));
  EXPECT_EQ(seen[1].predicted, seen[1].gold);
  EXPECT_EQ(seen[1].probability.size(), 4u);
  EXPECT_EQ(seen[1].lines.size(), 4u);
}

TEST(Suspicious, ALabelThatAllOthersContradictComesFirst) {
  Corpus corpus = phrases(40);
  Sequence wrong = corpus[4];
  wrong.labels[2] = "B-NP";  // the verb
  corpus.add(wrong);
  const auto found = find_suspicious(corpus, {}, 4, 5).value();
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].sequence, 40u);
  EXPECT_EQ(found[0].token, 2u);
  EXPECT_EQ(found[0].gold, "B-NP");
  EXPECT_EQ(found[0].predicted, "B-VP");
  EXPECT_GT(found[0].probability, 0.5);
  EXPECT_LE(found.size(), 5u);
  TrainOptions search;
  search.learner = Learner("laso-br", {{"passes", "1"}});
  EXPECT_THAT(find_suspicious(corpus, search, 2).error().message, HasSubstr("no probabilities"));
}

TEST(CrossValidation, EveryFoldIsScoredByAModelThatDidNotSeeIt) {
  TrainOptions options;
  options.learner = Learner("perceptron", {{"passes", "3"}});
  size_t told = 0;
  const CrossValidation cv =
      cross_validate(phrases(30), options, 3, [&](const auto&) { return ++told > 0; }).value();
  EXPECT_EQ(cv.folds.size(), 3u);
  EXPECT_EQ(told, 3u);
  EXPECT_EQ(cv.pooled.sequences, 30u);
  EXPECT_GT(cv.mean(&Scores::accuracy), 90);
  EXPECT_FALSE(cross_validate(phrases(30), options, 1).ok());
  const auto too_many = cross_validate(phrases(2), options, 3);
  ASSERT_FALSE(too_many.ok());
  EXPECT_THAT(too_many.error().message, testing::HasSubstr("2 sequences cannot be dealt into 3 folds"));
  EXPECT_FALSE(cross_validate(phrases(30), options, 3, [](const auto&) { return false; }).ok());
}

TEST(CrossValidation, UsesTheFoldsOfSequencesInMemory) {
  const Corpus plain = phrases(30);
  Corpus folded;
  for (size_t s = 0; s < plain.size(); ++s) {
    Sequence sequence = plain[s];
    sequence.fold = s < 10 ? 3 : 7;
    folded.add(sequence);
  }
  EXPECT_EQ(folded[0].fold, 3);
  const CrossValidation cv =
      cross_validate(folded, {.learner = Learner("perceptron", {{"passes", "2"}})}).value();
  EXPECT_TRUE(cv.own_folds);
  ASSERT_EQ(cv.folds.size(), 2u);
  EXPECT_EQ(cv.folds[0].scores.sequences, 10u);
  EXPECT_EQ(cv.folds[1].fold, 7);
}

TEST(Tune, ChoosesThresholdsOfACascadeOnly) {
  const auto refused = tune(train(phrases(20)).value(), phrases(20));
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message, HasSubstr("only a cascade has thresholds"));
  const Tagger cascade = train(phrases(60), Learner("cascade", {{"passes", "2"}})).value();
  const Tuned tuned = tune(cascade, phrases(60), {.filter_loss = {0.01}}).value();
  EXPECT_EQ(tuned.sequences, 60u);
  EXPECT_EQ(tuned.levels.size(), 2u);
  EXPECT_EQ(tuned.tagger.tag_rows(a_sentence()).value()[2].label, "B-VP");
}

TEST(Decoder, FindsTheBestLegalLabelling) {
  const Constraints rules = Constraints::parse("scheme: valid iob2\n").value();
  const std::vector<float> emissions = {2.0f, 1.5f, 0.1f, 0.2f, 0.1f, 2.0f};
  const Decoder free({"O", "B-PER", "I-PER"}), legal({"O", "B-PER", "I-PER"}, {.constraints = rules});
  EXPECT_THAT(free.decode(emissions, 2).value().labels(), testing::ElementsAre("O", "I-PER"));
  const Tagged best = legal.decode(emissions, 2, {.nbest = 2}).value();
  EXPECT_THAT(best.labels(), testing::ElementsAre("B-PER", "I-PER"));
  EXPECT_NEAR(best.score(), 3.5, 1e-5);
  EXPECT_EQ(best.alternatives().size(), 2u);
}

TEST(Decoder, ReadsFilesOfScoresInMemory) {
  const Emissions read = parse_emissions("A B\n1 2\n-inf 3\n\n5 0\n").value();
  EXPECT_THAT(read.labels, testing::ElementsAre("A", "B"));
  ASSERT_EQ(read.sequences.size(), 2u);
  const Decoder decoder(read.labels);
  EXPECT_THAT(decoder.decode(read.sequences[0], 2).value().labels(), testing::ElementsAre("B", "B"));
  EXPECT_THAT(decoder.decode(read.sequences[1], 1).value().labels(), testing::ElementsAre("A"));
  EXPECT_FALSE(parse_emissions("A B\n1 2\n", {"A", "B"}).ok());
  EXPECT_FALSE(parse_emissions("").ok());
  EXPECT_FALSE(parse_emissions("PK\3\4 no archive").ok());
}

TEST(Decoder, TransitionsAreAddedAndMistakesRefused) {
  // From B to A costs nothing, everything else 5.
  const std::vector<float> transitions = {-5, -5, 0, -5};
  const Decoder decoder({"A", "B"}, {.transitions = transitions});
  EXPECT_THAT(decoder.decode(std::vector<float>{1, 0, 0, 1}, 2).value().labels(),
              testing::ElementsAre("B", "A"));
  EXPECT_FALSE(decoder.decode(std::vector<float>{1, 0, 0}, 2).ok());
  EXPECT_FALSE(decoder.decode(std::vector<float>{1, NAN, 0, 0}, 2).ok());
  EXPECT_FALSE(Decoder({"A", "A"}).decode(std::vector<float>{1, 0}, 1).ok());
  EXPECT_FALSE(Decoder({"A", "B"}, {.transitions = {1, 2}}).decode(std::vector<float>{1, 0}, 1).ok());
}

}  // namespace
}  // namespace espalier

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <thread>

#include "espalier/api/api_test_support.h"
#include "espalier/base/files/section_file.h"
#include "espalier/base/files/temporary_directory.h"

namespace espalier {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Tagger, LabelsRowsWithProbabilities) {
  const Tagger tagger = a_tagger();
  const Tagged tagged = tagger.tag_rows(a_sentence()).value();
  EXPECT_THAT(tagged.labels(), ElementsAre("B-NP", "I-NP", "B-VP", "O"));
  for (const Token& token : tagged) {
    EXPECT_GT(token.probability, 0.5);
    EXPECT_LE(token.probability, 1.0);
  }
  ASSERT_EQ(tagged.spans().size(), 2u);
  EXPECT_EQ(tagged.spans()[0].type, "NP");
  EXPECT_EQ(tagged.spans()[0].last, 2u);
  EXPECT_EQ(tagged.outcome(), Outcome::kExact);
}

/// A model of over 64 MB, which is mapped: the sections of a small one and one that nothing reads.
std::string large_model(const TemporaryDirectory& directory) {
  const auto small = SectionFile::from_bytes(a_tagger().bytes(), "small").value();
  SectionWriter sections;
  for (const SectionFile::Entry& entry : small.entries()) sections.add(entry.name, entry.bytes);
  sections.add_text("padding", std::string(MappedFile::kCopiedUpTo, 'x'));
  const std::string path = directory.path("large.model");
  EXPECT_TRUE(sections.save(path).ok());
  return path;
}

TEST(Tagger, ALargeModelThatIsCutShortIsAnErrorAndNotASignal) {
  const TemporaryDirectory directory;
  const std::string path = large_model(directory);
  const Tagger tagger = Tagger::open(path).value();
  EXPECT_EQ(tagger.tag_rows(a_sentence()).value().labels(),
            a_tagger().tag_rows(a_sentence()).value().labels());
  std::filesystem::resize_file(path, 100);  // every byte of the weights is gone
  const auto after = tagger.tag_rows(a_sentence());
  ASSERT_FALSE(after.ok());
  EXPECT_THAT(after.error().message, HasSubstr("large.model' was changed by another program"));
  EXPECT_FALSE(tagger.tag_batch(phrases(3)).ok());
  EXPECT_FALSE(evaluate(tagger, phrases(3)).ok());
  EXPECT_FALSE(tagger.explain_rows(a_sentence()).ok());
  EXPECT_FALSE(tagger.save(directory.path("copy")).ok());
}

TEST(Tagger, ALargeModelThatIsOverwrittenGivesNoLabels) {
  const TemporaryDirectory directory;
  const std::string path = large_model(directory);
  std::this_thread::sleep_for(std::chrono::milliseconds(30));  // the grain of times of change
  const Tagger tagger = Tagger::open(path).value();
  {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file << std::string(1000, '\0');
  }
  EXPECT_FALSE(tagger.tag_rows(a_sentence()).ok());
  EXPECT_FALSE(tagger.tag_batch(phrases(3)).ok());
}

TEST(Tagger, GivesOnlyWhatIsAskedFor) {
  const Tagger tagger = a_tagger();
  const Tagged plain = tagger.tag_rows(a_sentence(), {.confidence = false}).value();
  EXPECT_TRUE(std::isnan(plain[0].probability));
  EXPECT_TRUE(plain.marginals().empty());
  EXPECT_EQ(plain.alternatives().size(), 1u);
  const Tagged all = tagger.tag_rows(a_sentence(), {.marginals = true, .nbest = 3}).value();
  EXPECT_EQ(all.marginals().size(), 4 * tagger.labels().size());
  ASSERT_EQ(all.alternatives().size(), 3u);
  EXPECT_GT(all.alternatives()[0].probability, all.alternatives()[1].probability);
  double sum = 0;
  for (size_t k = 0; k < tagger.labels().size(); ++k) sum += all.marginals()[k];
  EXPECT_NEAR(sum, 1, 1e-4);
}

TEST(Tagger, ForcedLabelsAreKept) {
  const Tagger tagger = a_tagger();
  TagOptions options;
  options.forced = {"_", "B-NP", "_", "_"};
  EXPECT_EQ(tagger.tag_rows(a_sentence(), options).value()[1].label, "B-NP");
  options.forced[1] = "B-XX";
  const auto unknown = tagger.tag_rows(a_sentence(), options);
  ASSERT_FALSE(unknown.ok());
  EXPECT_THAT(unknown.error().message, HasSubstr("no label 'B-XX' to force"));
}

TEST(Tagger, ExplainsWhatForcedLabelsMake) {
  const Tagger crf = a_tagger();
  const auto own = crf.explain_rows(a_sentence()).value();
  TrainOptions options;
  for (const char* learner : {"crf", "cascade", "searn"}) {
    options.learner = Learner(learner, {});
    const Tagger tagger = train(phrases(40), options).value();
    TagOptions tag;
    tag.forced = {"_", "_", "O", "_"};
    if (tagger.info().has_probabilities) tag.confidence = false;
    const Tagged tagged = tagger.tag_rows(a_sentence(), tag).value();
    const auto reasons = tagger.explain_rows(a_sentence(), {}, tag.forced).value();
    ASSERT_EQ(reasons.size(), tagged.size()) << learner;
    for (size_t t = 0; t < tagged.size(); ++t) EXPECT_EQ(reasons[t].label, tagged[t].label) << learner;
    EXPECT_EQ(reasons[2].runner_up, own[2].label) << learner;  // what the model would have chosen
    EXPECT_LT(reasons[2].margin, 0) << learner;
    EXPECT_FALSE(reasons[2].reasons.empty()) << learner;
    EXPECT_FALSE(tagger.explain_rows(a_sentence(), {}, {"O"}).ok()) << learner;
    EXPECT_FALSE(tagger.explain_rows(a_sentence(), {}, {"_", "XX", "_", "_"}).ok()) << learner;
  }
}

TEST(Tagger, KeepsToConstraintsAndSaysWhichChangedWhat) {
  const Tagger tagger = a_tagger();
  const Constraints rules = Constraints::parse("quiet: at most 0 of B-VP\n").value();
  TagOptions options;
  options.decode.constraints = rules;
  options.decode.why = true;
  options.confidence = false;
  const Tagged tagged = tagger.tag_rows(a_sentence(), options).value();
  for (const Token& token : tagged) EXPECT_NE(token.label, "B-VP");
  ASSERT_EQ(tagged.changes().size(), 1u);
  EXPECT_EQ(tagged.changes()[0].token, 2u);
  EXPECT_EQ(tagged.changes()[0].before, "B-VP");
  ASSERT_FALSE(tagged.changes()[0].rules.empty());
  EXPECT_EQ(tagged.changes()[0].rules[0].first, "quiet");
  EXPECT_GT(tagged.price_of_rules(), 0);
}

TEST(Tagger, AModelTrainedWithConstraintsKeepsToThemWhereverItIsUsed) {
  TrainOptions options;
  options.learner = Learner("crf", {{"passes", "8"}});
  options.constraints = Constraints::parse("quiet: at most 0 of B-VP\n").value();
  options.allow_contradictions = true;
  const Tagger tagger = train(phrases(40), options).value();
  EXPECT_TRUE(tagger.info().constrained);
  EXPECT_THAT(tagger.tag_rows(a_sentence()).value().labels(), testing::Not(testing::Contains("B-VP")));
  for (const Explanation& e : tagger.explain_rows(a_sentence()).value()) EXPECT_NE(e.label, "B-VP");
  const Tagger again = Tagger::from_bytes(tagger.bytes()).value();
  EXPECT_THAT(again.tag_rows(a_sentence()).value().labels(), testing::Not(testing::Contains("B-VP")));
  const std::vector<Tagged> batch = again.tag_batch(phrases(3)).value();
  for (const Tagged& tagged : batch) EXPECT_THAT(tagged.labels(), testing::Not(testing::Contains("B-VP")));
  TagOptions free;
  free.decode.unconstrained = true;
  EXPECT_THAT(again.tag_rows(a_sentence(), free).value().labels(), testing::Contains("B-VP"));
}

TEST(Tagger, ConstraintsThatMostOfTheDataBreaksAreRefused) {
  TrainOptions options;
  options.constraints = Constraints::parse("quiet: at most 0 of B-VP\n").value();
  const auto refused = train(phrases(40), options);
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message, HasSubstr("40 of 40 training sequences break a hard constraint"));
}

TEST(Tagger, SavedAndOpenedGivesTheSameAnswers) {
  const TemporaryDirectory directory;
  const Tagger tagger = a_tagger();
  ASSERT_TRUE(tagger.save(directory.path("a.model")).ok());
  const Tagger opened = Tagger::open(directory.path("a.model")).value();
  EXPECT_EQ(opened.bytes(), tagger.bytes());
  const Tagged one = tagger.tag_rows(a_sentence()).value(), other = opened.tag_rows(a_sentence()).value();
  EXPECT_EQ(one.labels(), other.labels());
  for (size_t t = 0; t < one.size(); ++t) EXPECT_EQ(one[t].probability, other[t].probability);
}

TEST(Tagger, OneModelServesManyThreads) {
  const Tagger tagger = a_tagger();
  const Constraints rules = Constraints::parse("quiet: at most 0 of B-VP\n").value();
  std::atomic<int> right = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&, i] {
      TagOptions options;
      if (i % 2 == 1)
        options.decode.constraints = rules;  // each call makes or finds the predictor for its rules
      for (int k = 0; k < 50; ++k) {
        const std::string label = tagger.tag_rows(a_sentence(), options).value()[2].label;
        right += (label == "B-VP") == (i % 2 == 0);
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, 400);
}

TEST(Tagger, WordsAreEnoughForAModelOfWords) {
  Corpus corpus;
  for (int i = 0; i < 20; ++i) corpus.add_words({"the", "cat", "slept"}, {"D", "N", "V"});
  const Tagger tagger = train(corpus).value();
  EXPECT_THAT(tagger.tag_words({"the", "cat", "slept"}).value().labels(), ElementsAre("D", "N", "V"));
  const auto refused = a_tagger().tag_words({"the"});
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message, HasSubstr("tag_rows"));
}

TEST(Tagger, AttributesHaveModelsOfTheirOwn) {
  Corpus corpus;
  for (int i = 0; i < 20; ++i) corpus.add_attributes({{{"a", 1}}, {{"b", 2}, {"c", 0.5}}}, {"X", "Y"});
  const Tagger tagger = train(corpus).value();
  EXPECT_THAT(tagger.tag_attributes({{{"b", 1}}, {{"a", 1}}}).value().labels(), ElementsAre("Y", "X"));
  EXPECT_FALSE(tagger.tag_rows({{"a"}}).ok());
  EXPECT_FALSE(tagger.tag_attributes({}).ok());
}

TEST(Tagger, TagsABatchInOrderOnAnyNumberOfThreads) {
  const Tagger tagger = a_tagger();
  const Corpus corpus = phrases(200);
  const std::vector<Tagged> one = tagger.tag_batch(corpus, {.threads = 1}).value();
  const std::vector<Tagged> two = tagger.tag_batch(corpus, {.threads = 2}).value();
  ASSERT_EQ(one.size(), 200u);
  for (size_t s = 0; s < one.size(); ++s) {
    EXPECT_EQ(one[s].labels(), two[s].labels());
    EXPECT_EQ(one[s].size(), corpus[s].labels.size());
  }
}

TEST(Tagger, TagsOnlyTheFoldsOfFilesThatAreAskedFor) {
  const TemporaryDirectory folder;
  const std::string path = folder.path("folds.jsonl");
  std::ofstream(path) << R"({"tokens": ["a", "b"], "labels": ["X", "Y"], "fold": 0})"
                         "\n"
                      << R"({"tokens": ["b"], "labels": ["Y"], "fold": 1})"
                         "\n"
                      << R"({"tokens": ["a", "a", "b"], "labels": ["X", "X", "Y"], "fold": 1})"
                         "\n";
  const Tagger tagger = train(Files{{path}, {.format = "jsonl", .folds = "0"}}).value();
  const auto tagged = tagger.tag_batch(Files{{path}, {.format = "jsonl", .folds = "1"}}).value();
  ASSERT_EQ(tagged.size(), 2u);
  EXPECT_EQ(tagged[1].size(), 3u);
  EXPECT_EQ(tagger.tag_batch(Files{{path}}).value().size(), 3u);
}

TEST(Tagger, ExplainsAndShowsItsWeights) {
  const Tagger tagger = a_tagger();
  const auto reasons = tagger.explain_rows(a_sentence()).value();
  ASSERT_EQ(reasons.size(), 4u);
  EXPECT_EQ(reasons[0].label, "B-NP");
  EXPECT_GT(reasons[0].margin, 0);
  EXPECT_FALSE(reasons[0].reasons.empty());
  const Inspection inside = tagger.inspect({.top = 3}).value();
  EXPECT_EQ(inside.strongest.size(), 3u);
  EXPECT_GT(inside.weights, 0u);
  EXPECT_FALSE(tagger.inspect({.label = "nothing"}).ok());
  const Tagger small = tagger.without_names().value();
  EXPECT_LT(small.bytes().size(), tagger.bytes().size());
  EXPECT_EQ(small.tag_rows(a_sentence()).value().labels(), tagger.tag_rows(a_sentence()).value().labels());
}

TEST(Tagger, DamagedBytesAreRefused) {
  std::vector<std::byte> bytes = a_tagger().bytes();
  bytes[bytes.size() / 2] ^= std::byte{1};
  EXPECT_FALSE(Tagger::from_bytes(bytes).ok());
  bytes.resize(10);
  EXPECT_FALSE(Tagger::from_bytes(bytes).ok());
  EXPECT_FALSE(Tagger::open("no/such/model").ok());
}

TEST(Tagger, RefusesDecodersThatDoNotFitTheModel) {
  const Tagger tagger = a_tagger();
  for (const char* const decoder : {"greedy", "best-first", "ilp", "beam", "vitterbi"}) {
    TagOptions options;
    options.decode.decoder = decoder;
    EXPECT_FALSE(tagger.tag_rows(a_sentence(), options).ok()) << decoder;
  }
  TagOptions options;
  options.decode.decoder = "posterior";
  EXPECT_TRUE(tagger.tag_rows(a_sentence(), options).ok());
}

}  // namespace
}  // namespace espalier

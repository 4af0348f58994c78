#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "espalier/api/api_test_support.h"
#include "espalier/base/files/temporary_directory.h"

namespace espalier {
namespace {

using testing::HasSubstr;

TEST(Train, EveryLearnerOfEveryTaskOfLabelsLearnsFromMemory) {
  for (const TaskInfo& task : all_tasks()) {
    if (task.name != "label" && task.name != "segment") continue;
    for (const std::string& name : task.learners) {
      TrainOptions options;
      options.task = task.name;
      options.learner.name = name;
      options.threads = 1;
      const auto tagger = train(phrases(40), options);
      ASSERT_TRUE(tagger.ok()) << name << ": " << tagger.error().message;
      EXPECT_EQ(tagger->tag_rows(a_sentence()).value()[2].label, "B-VP") << task.name << " " << name;
    }
  }
}

TEST(Train, MemoryAndFilesGiveTheSameModel) {
  const TemporaryDirectory directory;
  const Corpus corpus = phrases(60);
  {
    std::ofstream out(directory.path("train.txt"));
    for (size_t s = 0; s < corpus.size(); ++s) {
      const Sequence sequence = corpus[s];
      for (size_t t = 0; t < sequence.rows.size(); ++t)
        out << sequence.rows[t][0] << '\t' << sequence.rows[t][1] << '\t' << sequence.labels[t] << '\n';
      out << '\n';
    }
  }
  const Tagger from_file = train(Files{{directory.path("train.txt")}}).value();
  EXPECT_EQ(from_file.bytes(), train(corpus).value().bytes());
  EXPECT_EQ(from_file.bytes(), train(Corpus::read(directory.path("train.txt")).value()).value().bytes());
}

TEST(Train, AGeneratorGivesTheSameModelAsACorpus) {
  Corpus corpus;
  const Generator generator{[](size_t number, SequenceBuilder& sequence) -> Result<bool> {
    if (number == 40) return false;
    if (number == 7) return true;  // no tokens: left out
    for (size_t t = 0; t < 3; ++t) {
      sequence.begin_token();
      sequence.add_attribute("w" + std::to_string((number + t) % 5), 1);
      sequence.set_label((number + t) % 2 == 0 ? "A" : "B");
    }
    return true;
  }};
  for (size_t number = 0; number < 40; ++number) {
    SequenceBuilder sequence;
    ASSERT_TRUE(generator.sequence(number, sequence).value());
    if (!sequence.empty()) corpus.add(sequence);
  }
  EXPECT_EQ(train_with_report(generator).value().tagger.bytes(), train(corpus).value().bytes());
  const Generator rows{[](size_t number, SequenceBuilder& sequence) -> Result<bool> {
    sequence.begin_token();
    sequence.add_cell("word");
    return number < 2;
  }};
  EXPECT_THAT(train_with_report(rows).error().message, HasSubstr("sequence 1: rows of cells"));
  const Generator broken{[](size_t, SequenceBuilder&) -> Result<bool> { return Error{"no more disk"}; }};
  EXPECT_THAT(train_with_report(broken).error().message, HasSubstr("no more disk"));
}

TEST(Train, TheSameSeedGivesTheSameBytesAtAnyNumberOfThreads) {
  TrainOptions options;
  options.threads = 1;
  const auto one = train(phrases(60), options).value().bytes();
  options.threads = 3;
  EXPECT_EQ(train(phrases(60), options).value().bytes(), one);
}

TEST(Train, ReportsPassesAndStopsWhenToldTo) {
  TrainOptions options;
  options.dev = phrases(10, 100);
  int passes = 0;
  options.on_progress = [&](const Progress& progress) {
    if (progress.round_ended) ++passes;
    return passes < 2;
  };
  const Training run = train_with_report(phrases(60), options).value();
  EXPECT_TRUE(run.interrupted);
  ASSERT_GE(run.log.size(), 2u);
  EXPECT_TRUE(run.log[0].dev_score.has_value());
  EXPECT_EQ(run.tagger.tag_rows(a_sentence()).value().size(), 4u);
}

TEST(Train, GoesOnFromAModel) {
  const Tagger first = train(phrases(40)).value();
  TrainOptions options;
  options.start_from = first;
  options.learner = Learner("crf", {{"passes", "1"}});
  const Tagger second = train(phrases(40, 40), options).value();
  EXPECT_EQ(second.labels(), first.labels());
}

TEST(Train, WhatCannotBeIsRefusedBeforeDataIsRead) {
  const Files missing{{"no/such/file"}};
  TrainOptions options;
  options.learner = Learner("crff");
  EXPECT_THAT(check_options(missing, options).error().message, HasSubstr("crf"));
  options.learner = Learner("crf", {{"l3", "1"}});
  EXPECT_FALSE(check_options(missing, options).ok());
  options.learner = Learner("crf", {{"l2", "-1"}});
  EXPECT_FALSE(check_options(missing, options).ok());
  options.learner = {};
  options.task = "roles";
  options.feature_template = "U00:%x[0,0]";
  EXPECT_FALSE(check_options(missing, options).ok());
  options = {};
  options.feature_template = "  \n";
  EXPECT_THAT(check_options(missing, options).error().message, HasSubstr("the template is empty"));
  EXPECT_TRUE(check_options(missing, {}).ok());
}

TEST(Train, MistakesInACorpusAreErrorsOfWhateverUsesIt) {
  Corpus corpus;
  corpus.add_rows({{"a"}, {"b", "c"}}, {"X", "Y"});
  EXPECT_FALSE(corpus.status().ok());
  const auto refused = train(corpus);
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message, HasSubstr("sequence 1, token 2: 2 cells, expected 1"));
  Corpus few;
  few.add_words({"a", "b"}, {"X"});
  EXPECT_THAT(few.status().error().message, HasSubstr("2 tokens and 1 labels"));
  EXPECT_FALSE(train(Corpus()).ok());
}

TEST(Train, WeightsThatAreNotFiniteGiveAnErrorAndNoFile) {
  const TemporaryDirectory directory;
  TrainOptions options;
  options.learner = Learner("crf", {{"label-weights", "B-NP:1e300"}});
  options.save_to = directory.path("bad.model");
  const auto refused = train(phrases(40), options);
  EXPECT_FALSE(refused.ok());
  EXPECT_FALSE(std::ifstream(directory.path("bad.model")).good());
}

TEST(Corpus, GivesBackWhatWasAdded) {
  Corpus corpus({.columns = {"word", "tag"}});
  corpus.add({.rows = {{"a", "A"}, {"b", "B"}}, .attributes = {}, .labels = {"X", "_"}, .weight = 2});
  corpus.add_rows({{"c", "C"}});
  ASSERT_TRUE(corpus.status().ok()) << corpus.status().error().message;
  const Sequence first = corpus[0], second = corpus[1];
  EXPECT_EQ(first.rows[1][1], "B");
  EXPECT_EQ(first.labels[0], "X");
  EXPECT_EQ(first.weight, 2);
  EXPECT_TRUE(second.labels.empty());
  ASSERT_EQ(second.rows[0].size(), 2u);
  EXPECT_EQ(corpus.tokens(), 3u);
}

TEST(Corpus, CopiesShareUntilOneChanges) {
  Corpus one = phrases(3);
  Corpus other = one;
  other.add_rows({{"x", "y"}}, {"O"});
  EXPECT_EQ(one.size(), 3u);
  EXPECT_EQ(other.size(), 4u);
}

}  // namespace
}  // namespace espalier

#include "espalier/public/pipeline.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "espalier/api/api_test_support.h"

namespace espalier {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// A model of the tags of phrases(), from words alone; `wide`: trained on rows that also have another column.
Tagger tags_from_words() {
  Corpus corpus;
  const Corpus from = phrases(40);
  for (size_t i = 0; i < from.size(); ++i) {
    std::vector<std::string> words, tags;
    for (const auto& row : from[i].rows) {
      words.push_back(row[0]);
      tags.push_back(row[1]);
    }
    corpus.add_words(words, tags);
  }
  return train(corpus, Learner("crf", {{"passes", "8"}})).value();
}

/// A third model: word, tag and chunk, then whether the token is in a noun phrase.
Tagger yes_from_chunks() {
  Corpus corpus({.columns = {"word", "tag", "chunk"}});
  const Corpus from = phrases(40);
  for (size_t i = 0; i < from.size(); ++i) {
    Sequence sequence = from[i];
    std::vector<std::string> labels;
    for (size_t t = 0; t < sequence.rows.size(); ++t) {
      sequence.rows[t].push_back(sequence.labels[t]);
      labels.push_back(sequence.labels[t].ends_with("NP") ? "yes" : "no");
    }
    corpus.add_rows(sequence.rows, labels);
  }
  return train(corpus, Learner("crf", {{"passes", "8"}})).value();
}

Pipeline three() {
  return Pipeline::make({{"tags", tags_from_words()}, {"chunks", a_tagger()}, {"yes", yes_from_chunks()}})
      .value();
}

TEST(Pipeline, EachModelReadsTheLabelsOfThoseBeforeIt) {
  const Pipeline pipeline = three();
  EXPECT_EQ(pipeline.columns(), 1u);
  EXPECT_TRUE(pipeline.words_only());
  const Tagged tagged = pipeline.tag_words({"the", "cat", "sang", "."}, {.confidence = true}).value();
  EXPECT_THAT(tagged.labels(), ElementsAre("yes", "yes", "no", "no"));
  EXPECT_THAT(tagged[1].other_labels, ElementsAre("NN", "I-NP"));
  EXPECT_THAT(tagged[2].other_labels, ElementsAre("VB", "B-VP"));
  EXPECT_GT(tagged[0].probability, 0.5);
  // The same as the models by hand, one after the other.
  std::vector<std::vector<std::string>> rows = {{"the"}, {"cat"}, {"sang"}, {"."}};
  for (const PipelineStage& stage : pipeline.stages()) {
    const Tagged one = stage.tagger.tag_rows(rows).value();
    for (size_t t = 0; t < rows.size(); ++t) rows[t].push_back(one[t].label);
  }
  for (size_t t = 0; t < rows.size(); ++t)
    EXPECT_THAT(rows[t], ElementsAre(rows[t][0], tagged[t].other_labels[0], tagged[t].other_labels[1],
                                     tagged[t].label));
}

TEST(Pipeline, OptionsAreAboutTheLastModel) {
  const Pipeline pipeline = Pipeline::make({{"tags", tags_from_words()}, {"chunks", a_tagger()}}).value();
  const Tagged forced =
      pipeline.tag_words({"the", "cat", "sang", "."}, {.nbest = 3, .forced = {"_", "B-NP", "_", "_"}})
          .value();
  EXPECT_EQ(forced[1].label, "B-NP");
  EXPECT_EQ(forced[1].other_labels.front(), "NN");
  EXPECT_EQ(forced.alternatives().size(), 3u);
  SequenceBuilder builder;
  for (const char* word : {"the", "cat"}) {
    builder.begin_token();
    builder.add_cell(word);
  }
  const auto reasons = pipeline.explain(builder).value();
  ASSERT_EQ(reasons.size(), 2u);
  EXPECT_EQ(reasons[1].label, "I-NP");
  EXPECT_EQ(reasons[1].token, 1u);
  EXPECT_FALSE(reasons[1].reasons.empty());
}

TEST(Pipeline, SaysWhichColumnIsMissing) {
  const auto missing = Pipeline::make({{"tags", tags_from_words()}, {"yes", yes_from_chunks()}});
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().message,
            "pipeline: the model 'yes' uses column 3 of its data, but a row has 2 cells there: the word and "
            "the labels of "
            "tags; a model whose labels are that column must come before it");
  EXPECT_THAT(Pipeline::make({}).error().message, HasSubstr("needs a model"));
  EXPECT_THAT(Pipeline::make({{"a", a_tagger()}, {"a", a_tagger()}}).error().message,
              HasSubstr("two models 'a'"));
  EXPECT_THAT(three().tag_rows({{"the", "DT"}}).error().message, HasSubstr("rows of 1 cell, not of 2"));
  EXPECT_FALSE(three().tag_rows({}).ok());
}

TEST(Pipeline, AModelOfWordsCanBeAnywhere) {
  const Pipeline pipeline = Pipeline::make({{"chunks", a_tagger()}, {"tags", tags_from_words()}}).value();
  EXPECT_EQ(pipeline.columns(), 2u);
  EXPECT_FALSE(pipeline.words_only());
  EXPECT_THAT(pipeline.tag_rows(a_sentence()).value().labels(), ElementsAre("DT", "NN", "VB", "."));
}

TEST(Pipeline, TagsTextWithOffsets) {
  const auto tagged = three().tag_text("the cat sang. the dog ate.").value();
  ASSERT_FALSE(tagged.empty());
  EXPECT_EQ(tagged[0].text.tokens[1].text, "cat");
  EXPECT_EQ(tagged[0].text.tokens[1].begin, 4u);
  EXPECT_EQ(tagged[0].tagged[1].other_labels.front(), "NN");
}

TEST(Pipeline, StreamsRowsWithTheLabelsOfAllModels) {
  std::string out;
  const Pipeline pipeline = Pipeline::make({{"tags", tags_from_words()}, {"chunks", a_tagger()}}).value();
  const auto report =
      tag_stream(pipeline, {Source::text("the\ncat\nsang\n.\n\n")}, Sink::string(out)).value();
  EXPECT_EQ(out, "the DT B-NP\ncat NN I-NP\nsang VB B-VP\n. . O\n\n");
  EXPECT_EQ(report.tokens, 4u);
  out.clear();
  ASSERT_TRUE(tag_stream(pipeline, {Source::text("the cat sang")}, Sink::string(out),
                         {.text = TextSplit::words, .output_format = "json"})
                  .ok());
  EXPECT_THAT(out, HasSubstr(R"("labels":["B-NP","I-NP","B-VP"],"others":[["DT","NN","VB"]])"));
  EXPECT_FALSE(check_options(pipeline, {.output_format = "crfsuite"}).ok());
  EXPECT_FALSE(check_options(pipeline, {.forced_column = 1}).ok());
  EXPECT_TRUE(check_options(pipeline, {}).ok());
}

TEST(Pipeline, WritesConlluWithLabelsWhereTheyBelong) {
  const auto row = [](std::string_view form, std::string_view upos, std::string_view misc) {
    return fmt::format("1\t{}\t_\t{}\t_\t_\t_\t_\t_\t{}\n", form, upos, misc);
  };
  const auto streamed = [](const Pipeline& pipeline, const std::string& text, StreamOptions options) {
    std::string out;
    options.output_format = "conllu";
    EXPECT_TRUE(tag_stream(pipeline, {Source::text(text)}, Sink::string(out), options).ok());
    return out;
  };
  const Pipeline plain = Pipeline::make({{"tags", tags_from_words()}, {"chunks", a_tagger()}}).value();
  EXPECT_EQ(streamed(plain, "the\n\n", {}), row("the", "_", "tags=DT|chunks=B-NP") + "\n");
  EXPECT_THAT(streamed(plain, "the\n\n", {.tag = {.nbest = 2}}), HasSubstr("tags=DT|chunks=B-NP\n"));
  EXPECT_THAT(streamed(plain, "the\n\n", {.tag = {.confidence = true}}),
              HasSubstr("tags=DT|chunks=B-NP|confidence="));
  EXPECT_EQ(streamed(plain, "# id\n1\tthe\t_\tX\t_\t_\t_\t_\t_\tA=b\n\n", {.input_format = "conllu"}),
            "# id\n" + row("the", "X", "A=b|tags=DT|chunks=B-NP") + "\n");
  // A model that learned from CoNLL-U writes into the column that it learned from.
  std::string learned;
  for (int i = 0; i < 20; ++i)
    learned += row("the", "DT", "_") + "2" + row("cat", "NN", "_").substr(1) + "\n";
  const Corpus corpus = Corpus::parse(learned, {.format = "conllu"}).value();
  TrainOptions options;
  options.feature_columns = {2};
  const Pipeline mixed =
      Pipeline::make({{"upos", train(corpus, options).value()}, {"chunks", a_tagger()}}).value();
  EXPECT_EQ(streamed(mixed, row("the", "_", "_") + "\n", {}), row("the", "DT", "chunks=B-NP") + "\n");
}

TEST(Tagger, LabelsAsNumbersAreThoseOfTag) {
  const Tagger tagger = a_tagger();
  SequenceBuilder builder;
  for (const auto& row : a_sentence()) {
    builder.begin_token();
    for (const std::string& cell : row) builder.add_cell(cell);
  }
  std::vector<std::string> names;
  for (const uint16_t label : tagger.label(builder).value()) names.push_back(tagger.labels()[label]);
  EXPECT_EQ(names, tagger.tag_rows(a_sentence()).value().labels());
  builder.clear();
  EXPECT_FALSE(tagger.label(builder).ok());
}

}  // namespace
}  // namespace espalier

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "espalier/api/api_test_support.h"

namespace espalier {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

SequenceBuilder built_rows(const std::vector<std::vector<std::string>>& rows,
                           const std::vector<std::string>& labels = {}) {
  SequenceBuilder builder;
  for (size_t t = 0; t < rows.size(); ++t) {
    builder.begin_token();
    for (const std::string& cell : rows[t]) builder.add_cell(cell);
    if (!labels.empty()) builder.set_label(labels[t]);
  }
  return builder;
}

TEST(SequenceBuilder, MakesTheSameSequenceAsAddRows) {
  const Corpus added = phrases(30);
  Corpus built({.columns = {"word", "tag"}});
  for (size_t i = 0; i < added.size(); ++i) built.add(built_rows(added[i].rows, added[i].labels));
  ASSERT_TRUE(built.status().ok()) << built.status().error().message;
  EXPECT_EQ(built.tokens(), added.tokens());
  EXPECT_EQ(built[3].rows, added[3].rows);
  EXPECT_EQ(built[3].labels, added[3].labels);
  EXPECT_EQ(train(built).value().bytes(), train(added).value().bytes());
}

TEST(SequenceBuilder, MakesTheSameSequenceAsAddAttributes) {
  Corpus added, built;
  added.add_attributes({{{"a", 1}, {"b", 0.5}}, {}}, {"X", "Y"});
  SequenceBuilder builder;
  builder.begin_token();
  builder.add_attribute("a");
  builder.add_attribute("b", 0.5);
  builder.set_label("X");
  builder.begin_token();
  builder.set_label("Y");
  built.add(builder);
  ASSERT_TRUE(built.status().ok());
  EXPECT_EQ(built[0].labels, added[0].labels);
  ASSERT_EQ(built[0].attributes.size(), 2u);
  EXPECT_EQ(built[0].attributes[0][1].name, "b");
  EXPECT_EQ(built[0].attributes[0][1].value, 0.5);
  EXPECT_TRUE(built[0].attributes[1].empty());
  EXPECT_EQ(train(built).value().bytes(), train(added).value().bytes());
}

TEST(SequenceBuilder, ReportsTheFirstMistake) {
  const auto mistake = [](const auto& fill) {
    SequenceBuilder builder;
    fill(builder);
    const Status status = builder.status();
    return status.ok() ? std::string() : status.error().message;
  };
  EXPECT_THAT(mistake([](SequenceBuilder& b) { b.add_cell("a"); }), HasSubstr("without a token"));
  EXPECT_THAT(mistake([](SequenceBuilder& b) {
                b.begin_token();
                b.add_cell("a");
                b.add_attribute("b");
              }),
              HasSubstr("token 1: an attribute, but there are cells"));
  EXPECT_THAT(mistake([](SequenceBuilder& b) {
                b.begin_token();
                b.begin_token();
                b.add_cell("a");
              }),
              HasSubstr("token 2: a cell, but the tokens before it have attributes"));
  EXPECT_THAT(mistake([](SequenceBuilder& b) {
                b.begin_token();
                b.add_cell("a");
                b.begin_token();
                b.add_cell("a");
                b.add_cell("b");
              }),
              HasSubstr("token 2: 2 cells, expected 1"));
  EXPECT_THAT(mistake([](SequenceBuilder& b) {
                b.begin_token();
                b.set_label("X");
                b.begin_token();
              }),
              HasSubstr("2 tokens and 1 labels"));
  EXPECT_THAT(mistake([](SequenceBuilder& b) {
                b.begin_token();
                b.set_label("");
              }),
              HasSubstr("the label is empty"));
  for (const double value : {std::numeric_limits<double>::quiet_NaN(), 1e39, -1e300, 1e30})
    EXPECT_THAT(mistake([&](SequenceBuilder& b) {
                  b.begin_token();
                  b.add_attribute("x", value);
                }),
                HasSubstr("token 1: the value of attribute 'x' is"));
  EXPECT_EQ(mistake([](SequenceBuilder& b) { b.begin_token(); }), "");
}

TEST(SequenceBuilder, ClearForgetsMistakesAndTokens) {
  SequenceBuilder builder;
  builder.add_cell("lost");
  builder.clear();
  EXPECT_TRUE(builder.status().ok());
  EXPECT_TRUE(builder.empty());
  builder.begin_token();
  builder.add_attribute("a");
  EXPECT_EQ(builder.size(), 1u);
  EXPECT_TRUE(builder.status().ok());
}

TEST(SequenceBuilder, CorpusRefusesWhatDoesNotFit) {
  Corpus corpus;
  corpus.add(built_rows({{"a", "b"}}));
  corpus.add(built_rows({{"a"}}));
  EXPECT_THAT(corpus.status().error().message, HasSubstr("sequence 2: 1 cells, expected 2"));
  Corpus mixed;
  mixed.add(built_rows({{"a"}}));
  mixed.add_attributes({{{"a", 1}}});
  EXPECT_THAT(mixed.status().error().message, HasSubstr("sequence 2: attributes, but"));
  Corpus nothing;
  nothing.add(SequenceBuilder());
  EXPECT_THAT(nothing.status().error().message, HasSubstr("no tokens"));
}

TEST(SequenceBuilder, AFailedTryLeavesTheCorpusAsItWas) {
  Corpus corpus;
  ASSERT_TRUE(corpus.try_add(built_rows({{"a"}})).ok());
  EXPECT_THAT(corpus.try_add(built_rows({{"a", "b"}})).error().message, HasSubstr("2 cells, expected 1"));
  EXPECT_FALSE(corpus.try_add(SequenceBuilder()).ok());
  EXPECT_TRUE(corpus.status().ok());
  EXPECT_TRUE(corpus.try_add(built_rows({{"b"}})).ok());
  EXPECT_EQ(corpus.size(), 2u);
}

TEST(SequenceBuilder, IsTaggedAndExplainedLikeRows) {
  const Tagger tagger = a_tagger();
  const SequenceBuilder builder = built_rows(a_sentence());
  EXPECT_EQ(tagger.tag(builder).value().labels(), tagger.tag_rows(a_sentence()).value().labels());
  EXPECT_EQ(tagger.explain(builder).value().size(), tagger.explain_rows(a_sentence()).value().size());
  const auto wrong = tagger.tag(built_rows({{"the"}}));
  ASSERT_FALSE(wrong.ok());
  SequenceBuilder attributes;
  attributes.begin_token();
  attributes.add_attribute("a");
  EXPECT_THAT(tagger.tag(attributes).error().message, HasSubstr("not attributes"));
}

/// A matrix of `values.size()` tokens and `columns` columns; the value is that of the first column.
SequenceBuilder built_matrix(const std::vector<double>& values, size_t columns, const char* label = nullptr) {
  SequenceBuilder builder;
  builder.set_matrix_columns(columns);
  for (const double value : values) {
    builder.begin_token();
    builder.add_attribute("0", value);
    if (label != nullptr) builder.set_label(label);
  }
  return builder;
}

/// Columns that are missing or too many would have no effect on the labels, without anybody noticing.
TEST(SequenceBuilder, MatricesAreAsWideAsThoseOfTheTraining) {
  Corpus corpus;
  corpus.add(built_matrix({1, 2}, 3, "A")).add(built_matrix({-1}, 3, "B"));
  EXPECT_THAT(corpus.try_add(built_matrix({1}, 2)).error().message,
              HasSubstr("sequence 3: matrices of 2 columns, but those before are matrices of 3 columns"));
  SequenceBuilder attributes;
  attributes.begin_token();
  attributes.add_attribute("0", 1);
  EXPECT_THAT(corpus.try_add(attributes).error().message, HasSubstr("sequence 3: not matrices"));
  const Tagger trained = train(corpus).value();
  const Tagger tagger = Tagger::from_bytes(trained.bytes()).value();
  EXPECT_TRUE(tagger.tag(built_matrix({1}, 3)).ok());
  EXPECT_TRUE(tagger.tag(attributes).ok());
  for (const size_t columns : {2, 4}) {
    const std::string wanted =
        "a matrix of " + std::to_string(columns) + " columns; the model was trained on matrices of 3";
    const SequenceBuilder wrong = built_matrix({1}, columns, "A");
    Corpus batch;
    batch.add(wrong);
    EXPECT_EQ(tagger.tag(wrong).error().message, wanted);
    EXPECT_EQ(tagger.label(wrong).error().message, wanted);
    EXPECT_EQ(tagger.explain(wrong).error().message, wanted);
    EXPECT_EQ(tagger.tag_batch(batch).error().message, wanted);
    EXPECT_EQ(tagger.label_batch(batch).error().message, wanted);
    EXPECT_EQ(evaluate(tagger, batch).error().message, wanted);
    TrainOptions options;
    options.dev = batch;
    EXPECT_THAT(train(corpus, options).error().message, HasSubstr("development data: matrices of"));
    options = {};
    options.start_from = tagger;
    EXPECT_THAT(train(batch, options).error().message, HasSubstr("the model to start from"));
  }
  Corpus named;
  named.add_attributes({{{"a", 1}}, {{"b", 1}}}, {"A", "B"});
  EXPECT_THAT(train(named).value().tag(built_matrix({1}, 3)).error().message,
              HasSubstr("not trained on matrices"));
}

/// A model that looks at one of three columns takes words alone, in batches, too.
TEST(SequenceBuilder, BatchesAreLaidOutAsTheModelReads) {
  TrainOptions options;
  options.feature_columns = {2};
  const Corpus corpus = Corpus::parse("1\ta\tX\n2\tb\tY\n\n1\tb\tY\n2\ta\tX\n").value();
  const Tagger tagger = train(corpus, options).value();
  Corpus words;
  words.add_words({"b", "a"}).add_words({"a"});
  const auto tagged = tagger.tag_batch(words).value();
  ASSERT_EQ(tagged.size(), 2u);
  EXPECT_THAT(tagged[0].labels(), ElementsAre("Y", "X"));
  const LabelNumbers numbers = tagger.label_batch(words).value();
  EXPECT_THAT(numbers.ends, ElementsAre(2u, 3u));
  EXPECT_EQ(tagger.labels()[numbers.labels[0]], "Y");
  EXPECT_EQ(tagger.labels()[numbers.labels[2]], "X");
  Corpus rows;
  rows.add_rows({{"1", "2", "3", "4"}});
  EXPECT_THAT(tagger.tag_batch(rows).error().message, HasSubstr("sequence 1"));
  EXPECT_FALSE(tagger.label_batch(words, {.marginals = true}).ok());
}

/// The label is between the columns that features use: rows without it have the others in their order.
TEST(SequenceBuilder, RowsAreLaidOutAroundALabelInTheMiddle) {
  ReadOptions reading;
  reading.label_column = "2";
  TrainOptions options;
  options.feature_template = "U0:%x[0,2]\n";  // the third column alone decides
  const Corpus corpus = Corpus::parse("w\tX\ta\nw\tY\tb\n\nw\tY\tb\nw\tX\ta\n", reading).value();
  const Tagger tagger = train(corpus, options).value();
  const std::vector<std::vector<std::string>> rows = {{"w", "b"}, {"w", "a"}};
  EXPECT_THAT(tagger.tag_rows(rows).value().labels(), ElementsAre("Y", "X"));
  EXPECT_THAT(tagger.tag(built_rows(rows)).value().labels(), ElementsAre("Y", "X"));
  Corpus added;
  added.add_rows(rows, {"Y", "X"});
  EXPECT_THAT(tagger.tag_batch(added).value()[0].labels(), ElementsAre("Y", "X"));
  EXPECT_EQ(evaluate(tagger, added).value().accuracy, 100);
  EXPECT_EQ(evaluate(tagger, corpus).value().accuracy, 100);
}

}  // namespace
}  // namespace espalier

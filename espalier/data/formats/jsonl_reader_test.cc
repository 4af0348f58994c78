#include "espalier/data/formats/jsonl_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "espalier/data/test_data.h"

namespace espalier::data {
namespace {

using testing::HasSubstr;

ReadOptions jsonl(bool labels_required = true, size_t columns = 0) {
  ReadOptions options;
  options.format = Format::kJsonLines;
  options.labels_required = labels_required;
  options.columns = columns;
  return options;
}

TEST(JsonlReader, TokensAreWordsAndLabelsTheLastCell) {
  const auto all = read_sequences(
      "{\"tokens\": [\"a b\", \"\\u00e9\\n\"], \"labels\": [\"X\", null], \"id\": 7}\n\n"
      "{\"labels\": [\"Y\"], \"tokens\": [\"c\"], \"weight\": 2, \"fold\": 4}\n",
      jsonl());
  ASSERT_TRUE(all) << all.error().message;
  ASSERT_EQ(all->size(), 2u);
  const Sequence& s = (*all)[0];
  EXPECT_EQ(s.columns(), 2u);
  EXPECT_EQ(s.cell(0, 0), "a b");
  EXPECT_EQ(s.cell(1, 0), "é\n");
  EXPECT_EQ(s.label(0), "X");
  EXPECT_EQ(s.label(1), "_");
  EXPECT_EQ(s.label_column(), 1u);
  EXPECT_EQ((*all)[1].weight(), 2.0f);
  EXPECT_EQ((*all)[1].fold(), 4);
  EXPECT_EQ((*all)[1].line(0), 3u);
}

TEST(JsonlReader, TokensMayHaveSeveralCells) {
  const auto all =
      read_sequences(R"({"tokens": [["the", "DT"], ["cat", "NN"]], "labels": ["B", "I"]})", jsonl());
  ASSERT_TRUE(all) << all.error().message;
  EXPECT_EQ((*all)[0].columns(), 3u);
  EXPECT_EQ((*all)[0].cell(1, 1), "NN");
  EXPECT_EQ((*all)[0].label(1), "I");
}

TEST(JsonlReader, TokensMayBeAttributes) {
  const auto all =
      read_sequences(R"({"tokens": [{"w=a": 1, "len": 2.5}, {}], "labels": ["B", "I"]})", jsonl());
  ASSERT_TRUE(all) << all.error().message;
  const Sequence& s = (*all)[0];
  EXPECT_EQ(s.columns(), 0u);
  ASSERT_EQ(s.attribute_count(0), 2u);
  EXPECT_EQ(s.attribute_count(1), 0u);
  EXPECT_EQ(s.label(1), "I");
}

TEST(JsonlReader, LabelsMayBeAbsentWhereTheyAreNotRequired) {
  const auto all = read_sequences(R"({"tokens": ["a"]})", jsonl(false, 2));
  ASSERT_TRUE(all) << all.error().message;
  EXPECT_FALSE((*all)[0].has_labels());
  EXPECT_EQ((*all)[0].columns(), 1u);
  EXPECT_THAT(reading_error(R"({"tokens": ["a"]})", jsonl()), HasSubstr("test.txt:1: expected \"labels\""));
}

TEST(JsonlReader, SaysWhatIsWrongWithALine) {
  const auto error = [](std::string_view line) { return reading_error(line, jsonl()); };
  EXPECT_THAT(error("{\"tokens\": [\"a\"], \"labels\": [\"X\"]}\n{\"tokens\": [\"a\"\n"),
              HasSubstr("test.txt:2: not a JSON"));
  EXPECT_THAT(error(R"({"tokens": ["a"], "weight": 1e999})"),
              HasSubstr("test.txt:1: not a JSON value: number overflow"));
  EXPECT_THAT(error("[1]"), HasSubstr("expected a JSON object, found array"));
  EXPECT_THAT(error(R"({"tokens": "a"})"), HasSubstr("expected \"tokens\" with an array"));
  EXPECT_THAT(error(R"({"tokens": [], "labels": []})"), HasSubstr("\"tokens\" is empty"));
  EXPECT_THAT(error(R"({"tokens": ["a", "b"], "labels": ["X"]})"),
              HasSubstr("2 strings, one per token, found 1"));
  EXPECT_THAT(error(R"({"tokens": ["a", ["b", "c"]], "labels": ["X", "Y"]})"),
              HasSubstr("token 2: expected 1 cells"));
  EXPECT_THAT(error(R"({"tokens": ["a", 3], "labels": ["X", "Y"]})"),
              HasSubstr("token 2: expected text, found number"));
  EXPECT_THAT(error(R"({"tokens": ["a"], "labels": [""]})"), HasSubstr("label 1: expected text or null"));
  EXPECT_THAT(error(R"({"tokens": [{"a": "1"}], "labels": ["X"]})"),
              HasSubstr("attribute 'a' is not a finite number"));
  EXPECT_THAT(error(R"({"tokens": [{"a": 1}, "b"], "labels": ["X", "Y"]})"), HasSubstr("expected an object"));
  EXPECT_THAT(error(R"({"tokens": ["a"], "labels": ["X"], "fold": -1})"), HasSubstr("\"fold\" is '-1'"));
  EXPECT_THAT(error(R"({"tokens": ["a"], "labels": ["X"], "weight": "1"})"), HasSubstr("\"weight\" is"));
}

TEST(JsonlReader, FoldsMustBeThereWhenTheyAreSelected) {
  ReadOptions options = jsonl();
  options.folds = {1};
  const auto all = read_sequences(
      "{\"tokens\": [\"a\"], \"labels\": [\"X\"], \"fold\": 0}\n{\"tokens\": [\"b\"], \"labels\": [\"X\"], "
      "\"fold\": 1}\n",
      options);
  ASSERT_TRUE(all) << all.error().message;
  ASSERT_EQ(all->size(), 1u);
  EXPECT_EQ((*all)[0].cell(0, 0), "b");
  EXPECT_THAT(reading_error(R"({"tokens": ["a"], "labels": ["X"]})", options),
              HasSubstr("test.txt:1: the sequence has no fold"));
}

TEST(JsonlReader, KeepsOtherKeysInTheirOrder) {
  ReadOptions options;
  options.format = Format::kJsonLines;
  const auto all =
      read_sequences(R"({"z": {"k": [1, null]}, "tokens": ["a"], "id": "7", "labels": ["X"]})", options);
  ASSERT_TRUE(all) << all.error().message;
  ASSERT_EQ((*all)[0].other_fields().size(), 2u);
  EXPECT_EQ((*all)[0].other_fields()[0].name, "z");
  EXPECT_EQ((*all)[0].other_fields()[0].value, R"({"k":[1,null]})");
  EXPECT_EQ((*all)[0].other_fields()[1].value, R"("7")");
}

}  // namespace
}  // namespace espalier::data

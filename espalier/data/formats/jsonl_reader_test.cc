#include "espalier/data/formats/jsonl_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "espalier/base/random.h"
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
              HasSubstr("attribute 'a' is not a number from -1e+15 to 1e+15"));
  EXPECT_THAT(error(R"({"tokens": [{"a": 1e30}], "labels": ["X"]})"), HasSubstr("attribute 'a' is not"));
  EXPECT_THAT(error(R"({"tokens": ["a"], "labels": ["X"], "weight": 1e30})"), HasSubstr("\"weight\" is"));
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

/// A sequence as text: everything that a reader fills in, or its error.
std::string spelled_out(const Result<std::vector<Sequence>>& read) {
  if (!read) return read.error().message;
  std::string out;
  for (const Sequence& s : *read) {
    out += fmt::format("{} columns, label {}, fold {}, weight {}\n", s.columns(),
                       s.label_column().value_or(99), s.fold().value_or(-1), s.weight());
    for (size_t t = 0; t < s.length(); ++t) {
      for (size_t c = 0; c < s.columns(); ++c) out += fmt::format("[{}]", s.cell(t, c));
      for (size_t a = 0; a < s.attribute_count(t); ++a)
        out += fmt::format("({}={})", s.attribute(t, a).name, s.attribute(t, a).value);
      out += fmt::format(" {} {}\n", s.has_labels() ? s.label(t) : "-", s.line(t));
    }
    for (const auto& field : s.other_fields()) out += fmt::format("{}: {}\n", field.name, field.value);
  }
  return out;
}

TEST(JsonlReader, PlainLinesReadTheSameAsTheGeneralParserReadsThem) {
  // The general parser is taken where any text of a line has an escape; \\u0022 and the like mean the same as
  // the character itself. Here the first letter of the first key is escaped.
  const auto unusual = [](std::string line) {
    const size_t key = line.find('"');
    if (key == line.npos || key + 1 >= line.size() ||
        !std::isalpha(static_cast<unsigned char>(line[key + 1])))
      return line;
    line.replace(key + 1, 1, fmt::format("\\u{:04x}", static_cast<unsigned char>(line[key + 1])));
    return line;
  };
  const std::string whole[] = {
      R"({"tokens": ["a", "é"], "labels": ["X", null], "id": 7, "fold": 3, "weight": 1.5})",
      R"({"tokens":[["a","b"],["c","d"]],"labels":["X","Y"],"meta":{"k":[1e3,"\\n"]}})",
      R"({"labels": ["X"], "tokens": ["a"], "labels": ["Y"]})",
      R"({"tokens": ["a"], "labels": ["X"], "z": 1, "z": 2})",
      R"({"tokens": ["a"]})",
      R"({"tokens": [{"f": 1}], "labels": ["X"]})",
  };
  Random random(3);
  size_t read = 0, refused = 0;
  for (const std::string& line : whole)
    for (int trial = 0; trial < 400; ++trial) {
      std::string damaged = line;
      for (uint64_t n = trial == 0 ? 0 : 1 + random.below(2); n > 0; --n) {
        const size_t at = random.below(damaged.size());
        constexpr std::string_view kPieces = "\"\\,:[]{} 0e-nu\t\x7f";
        const char piece = kPieces[random.below(kPieces.size())];
        switch (random.below(3)) {
          case 0:
            damaged[at] = piece;
            break;
          case 1:
            damaged.insert(at, 1, piece);
            break;
          default:
            damaged.erase(at, 1);
        }
      }
      for (const bool required : {true, false}) {
        const auto plain = read_sequences(damaged, jsonl(required)),
                   general = read_sequences(unusual(damaged), jsonl(required));
        ASSERT_EQ(plain.ok(), general.ok()) << damaged << "\n" << unusual(damaged);
        ++(plain.ok() ? read : refused);
        if (!plain.ok()) continue;
        ASSERT_EQ(spelled_out(plain), spelled_out(general)) << damaged;
      }
    }
  EXPECT_GT(read, 500u);
  EXPECT_GT(refused, 500u);
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

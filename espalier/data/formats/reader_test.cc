#include "espalier/data/formats/reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "espalier/base/random.h"
#include "espalier/data/test_data.h"

namespace espalier::data {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr Format kAll[] = {Format::kColumns, Format::kCrfsuite,  Format::kConllu,
                           Format::kLetters, Format::kJsonLines, Format::kScores};

TEST(Reader, FormatsHaveNames) {
  for (const Format format : kAll) EXPECT_EQ(*parse_format(format_name(format)), format);
  const auto unknown = parse_format("xml");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().message,
            "unknown format 'xml'; there are columns, crfsuite, conllu, letters, jsonl, scores");
}

TEST(Reader, FoldListsAreNumbersAndRanges) {
  EXPECT_THAT(*parse_folds("0"), ElementsAre(0));
  EXPECT_THAT(*parse_folds("1-4"), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(*parse_folds("5-7,1,3,6"), ElementsAre(1, 3, 5, 6, 7));
  for (const char* const text : {"", ",", "1,", "a", "3-1", "-1", "1-", "1--2", "1-99999999", " 1"})
    EXPECT_FALSE(parse_folds(text)) << text;
}

TEST(Reader, FilesWithoutSequencesAreErrorsInEveryFormat) {
  for (const Format format : kAll) {
    ReadOptions options;
    options.format = format;
    EXPECT_EQ(reading_error("", options), "test.txt: the file has no sequences");
    EXPECT_EQ(reading_error("\n\n", options), "test.txt: the file has no sequences");
  }
}

TEST(Reader, MissingFilesAreErrorsThatNameThem) {
  const auto reader = open_reader("/nonexistent/file.txt", {});
  ASSERT_FALSE(reader);
  EXPECT_THAT(reader.error().message, HasSubstr("/nonexistent/file.txt"));
}

TEST(Reader, FoldsOfFormatsThatHaveNoneAreRefused) {
  ReadOptions options;
  options.folds = {1};
  EXPECT_EQ(reading_error("a b\n", options), "folds are selected, but the format columns has none");
}

TEST(Reader, BrokenUtf8NamesFileLineAndByte) {
  EXPECT_THAT(reading_error("ok X\n\xC3\xA9t\xE9 Y\n", {}), testing::StartsWith("test.txt:2: byte 4 "));
}

TEST(Reader, Latin1IsConvertedAndBytesAreTakenAsTheyAre) {
  ReadOptions options;
  options.encoding = "latin1";
  EXPECT_EQ((*read_sequences("\xE9t\xE9 Y\n", options))[0].cell(0, 0), "été");
  options.encoding = "bytes";
  EXPECT_EQ((*read_sequences("\xE9t\xE9 Y\n", options))[0].cell(0, 0), "\xE9t\xE9");
  options.encoding = "ebcdic";
  EXPECT_THAT(reading_error("a b\n", options), HasSubstr("unknown encoding 'ebcdic'"));
}

// Whatever the bytes, a reader ends with sequences or with an error, and what it returns is in bounds.
TEST(Reader, SurvivesRandomBytesInEveryFormat) {
  const std::string_view pieces[] = {
      "\t", " ", "\n", "\n\n", "_",           "1",           "-1",    "0.5", ":",    "\\", "#",   "@weight:",
      "{",  "}", "[",  "]",    "\"tokens\":", "\"labels\":", "\"a\"", ",",   "\xFF", "é",  "1-2", "3.1"};
  Random random(11);
  for (int round = 0; round < 20000; ++round) {
    std::string text;
    for (uint64_t n = random.below(40); n > 0; --n) text += pieces[random.below(std::size(pieces))];
    ReadOptions options;
    options.format = kAll[random.below(std::size(kAll))];
    options.labels_required = random.below(2) == 0;
    options.columns = options.format == Format::kColumns ? random.below(4) : 0;
    options.encoding = random.below(2) == 0 ? "utf-8" : "bytes";
    const auto all = read_sequences(text, options);
    if (!all) {
      EXPECT_FALSE(all.error().message.empty());
      continue;
    }
    ASSERT_FALSE(all->empty());
    for (const Sequence& s : *all) {
      ASSERT_FALSE(s.empty());
      for (size_t r = 0; r < s.length(); ++r) {
        for (size_t c = 0; c < s.columns(); ++c) ASSERT_LE(s.cell(r, c).size(), text.size());
        ASSERT_TRUE(s.has_labels() || !options.labels_required);
        ASSERT_FALSE(s.has_labels() && s.label(r).empty());
      }
    }
  }
}

TEST(Reader, FormatsFollowFromNames) {
  EXPECT_EQ(format_of_name("a/b.jsonl.gz"), Format::kJsonLines);
  EXPECT_EQ(format_of_name("b.conllu"), Format::kConllu);
  EXPECT_EQ(format_of_name("b.crfsuite"), Format::kCrfsuite);
  EXPECT_EQ(format_of_name("b.txt"), std::nullopt);
  EXPECT_EQ(format_of_names({"a.conllu", "b.conllu.gz"}).value(), Format::kConllu);
  EXPECT_EQ(format_of_names({}).value(), std::nullopt);
  EXPECT_FALSE(format_of_names({"a.txt", "b.conllu"}).ok());
}

TEST(Reader, EmptyFilesCanBeAllowed) {
  ReadOptions options;
  options.allow_empty = true;
  EXPECT_TRUE(read_sequences("\n\n", options).value().empty());
}

}  // namespace
}  // namespace espalier::data

#include "espalier/data/check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "espalier/base/files/temporary_directory.h"
#include "espalier/data/test_data.h"

namespace espalier::data {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

DataReport report_of(std::string_view text, const ReadOptions& options = {}) {
  const TemporaryDirectory directory;
  auto report = check_data({directory.write("data.txt", text)}, options);
  if (report) return std::move(report).value();
  ADD_FAILURE() << report.error().message;
  return {};
}

TEST(Check, CountsWhatIsThere) {
  const DataReport report = report_of("a X\nb Y\nc X\n\nd _\n\ne X\nf Z\n");
  EXPECT_EQ(report.sequences, 3u);
  EXPECT_EQ(report.tokens, 6u);
  EXPECT_EQ(report.columns, 2u);
  ASSERT_EQ(report.labels.size(), 3u);
  EXPECT_EQ(report.labels[0].label, "X");
  EXPECT_EQ(report.labels[0].count, 3u);
  EXPECT_EQ(report.unknown_labels, 1u);
  EXPECT_EQ(report.one_token, 1u);
  EXPECT_EQ(report.longest_length, 3u);
  EXPECT_EQ(report.longest.line, 1u);
  EXPECT_THAT(report.labels_seen_once, ElementsAre("Y", "Z"));
  EXPECT_EQ(report.scheme, Scheme::kNone);
  EXPECT_EQ(report.broken_labels.count, 0u);
  EXPECT_THAT(report.suspicious, IsEmpty());
}

TEST(Check, FindsLabelsThatBreakTheScheme) {
  const DataReport report = report_of("a B-X\nb I-X\n\nc B-Y\nd O\n\ne O\nf O\ng I-X\n");
  EXPECT_EQ(report.scheme, Scheme::kIob2);
  EXPECT_EQ(report.broken_labels.count, 1u);
  ASSERT_EQ(report.broken_labels.first.size(), 1u);
  EXPECT_EQ(report.broken_labels.first[0].line, 9u);
  EXPECT_EQ(report.broken_labels.first[0].what, "I-X after O, where iob2 would have B-X");
  EXPECT_THAT(report.broken_labels.first[0].file, HasSubstr("data.txt"));
}

TEST(Check, KeepsTheFirstFewFindingsAndCountsTheRest) {
  std::string text = "a B-X\nb I-X\n\n";
  for (int i = 0; i < 50; ++i) text += "a" + std::to_string(i) + " B-X\nb O\n\n";
  for (int i = 0; i < 9; ++i) text += "c" + std::to_string(i) + " I-X\n\n";
  const DataReport report = report_of(text);
  EXPECT_EQ(report.broken_labels.count, 9u);
  EXPECT_EQ(report.broken_labels.first.size(), Findings::kKept);
}

TEST(Check, FindsDuplicatesAndContradictions) {
  const DataReport report = report_of("a X\nb Y\n\na X\nb Y\n\na X\nb X\n\nab X\n\na X\n");
  EXPECT_EQ(report.duplicates.count, 1u);
  EXPECT_EQ(report.duplicates.first[0].line, 4u);
  EXPECT_EQ(report.contradictions.count, 1u);
  EXPECT_EQ(report.contradictions.first[0].line, 7u);
}

TEST(Check, FindsLabelsThatAreMeantToBeTheSame) {
  const DataReport report = report_of("a\tNoun\nb\tNOUN\nc\tVerb\nd\tno un\ne\tÄ\nf\tä\n");
  EXPECT_THAT(report.suspicious, Contains("labels 'NOUN', 'Noun', 'no un' differ only by case or blanks"));
  EXPECT_THAT(report.suspicious, Contains("labels 'Ä', 'ä' differ only by case or blanks"));
  EXPECT_THAT(report.suspicious, Contains("label 'no un' contains blanks"));
  EXPECT_EQ(report.suspicious.size(), 3u);
}

TEST(Check, SuspectsAWrongLabelColumn) {
  std::string text;
  for (int i = 0; i < 40; ++i) text += "NN word" + std::to_string(i) + "\n";
  EXPECT_THAT(report_of(text).suspicious,
              Contains("40 different labels on 40 tokens: is the label column right?"));
  EXPECT_THAT(report_of("a X\nb X\n").suspicious, Contains("every label is 'X'"));
  EXPECT_THAT(report_of("a _\n").suspicious, Contains("no token has a known label"));
}

TEST(Check, CountsAllEncodingProblemsInsteadOfStoppingAtTheFirst) {
  const DataReport report =
      report_of(std::string_view("\xE9 X\n\xE9t\xE9 Y\nok Z\n\xEF\xBF\xBD X\na\0b Y\n", 27));
  EXPECT_EQ(report.encoding.count, 3u);
  EXPECT_EQ(report.encoding.first[0].what, "byte 1 of the line (0xE9) is not UTF-8");
  EXPECT_EQ(report.encoding.first[2].line, 5u);
  ASSERT_EQ(report.replaced.count, 1u);  // damaged, but valid: training takes it
  EXPECT_EQ(report.replaced.first[0].line, 4u);
  ReadOptions latin1;
  latin1.encoding = "latin1";
  EXPECT_EQ(report_of("\xE9 X\n", latin1).encoding.count, 0u);
}

TEST(Check, WhatKeepsTrainingFromBeginningIsAnError) {
  const TemporaryDirectory directory;
  const auto ragged = check_data({directory.write("ragged.txt", "a X\nb\n")}, {});
  ASSERT_FALSE(ragged);
  EXPECT_THAT(ragged.error().message, HasSubstr("ragged.txt:2: expected 2 columns as in line 1, found 1"));
  EXPECT_FALSE(check_data({directory.path("absent")}, {}));
  EXPECT_FALSE(check_data({directory.write("empty.txt", "")}, {}));
}

TEST(Check, CountsAttributes) {
  ReadOptions options;
  options.format = Format::kCrfsuite;
  const DataReport report = report_of("X\ta\tb\nY\tc:2\n\nX\ta\tb\nY\tc:3\n", options);
  EXPECT_EQ(report.attributes, 6u);
  EXPECT_EQ(report.columns, 0u);
  EXPECT_EQ(report.duplicates.count, 0u);
}

TEST(Check, StopsWhenItIsAskedTo) {
  const std::atomic<bool> stop = true;
  Monitor monitor;
  monitor.stop = &stop;
  const TemporaryDirectory directory;
  const auto report = check_data({directory.write("data.txt", "a X\n")}, {}, monitor);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->sequences, 0u);
}

TEST(Check, FindsTheKnownFlawOfTheSpanishEntities) {
  ESPALIER_NEED_CORPUS("conll2002-esp/esp.testa.gz");
  const auto report = check_data({corpus_path("conll2002-esp/esp.testa.gz")}, {});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->sequences, 1915u);
  EXPECT_EQ(report->tokens, 52923u);
  EXPECT_EQ(report->scheme, Scheme::kIob2);
  EXPECT_EQ(report->broken_labels.count, 1u);
  EXPECT_EQ(report->labels.size(), 9u);
}

}  // namespace
}  // namespace espalier::data

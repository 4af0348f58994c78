#include "espalier/data/formats/columns_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "espalier/data/test_data.h"

namespace espalier::data {
namespace {

std::vector<std::string> cells(const Sequence& s, size_t row) {
  std::vector<std::string> result;
  for (size_t c = 0; c < s.columns(); ++c) result.emplace_back(s.cell(row, c));
  return result;
}

using testing::ElementsAre;

TEST(ColumnsReader, SplitsAtRunsOfBlanksAndTakesTheLastColumnAsLabel) {
  const auto all = read_sequences("The  DT B-NP\n cat NN\tI-NP \n\n\n   \t\nruns VBZ B-VP", {});
  ASSERT_TRUE(all) << all.error().message;
  ASSERT_EQ(all->size(), 2u);
  const Sequence& first = (*all)[0];
  EXPECT_EQ(first.length(), 2u);
  EXPECT_THAT(cells(first, 0), ElementsAre("The", "DT", "B-NP"));
  EXPECT_THAT(cells(first, 1), ElementsAre("cat", "NN", "I-NP"));
  EXPECT_EQ(first.raw(1), " cat NN\tI-NP ");
  EXPECT_EQ(first.label(1), "I-NP");
  EXPECT_EQ(first.label_column(), 2u);
  EXPECT_EQ((*all)[1].line(0), 6u);
}

TEST(ColumnsReader, ATabInTheFirstRowMakesSingleTabsTheSeparator) {
  const auto all = read_sequences("New York\tNNP\tB-LOC\n\t\tO\n", {});
  ASSERT_TRUE(all) << all.error().message;
  EXPECT_THAT(cells((*all)[0], 0), ElementsAre("New York", "NNP", "B-LOC"));
  EXPECT_THAT(cells((*all)[0], 1), ElementsAre("", "", "O"));
}

TEST(ColumnsReader, RaggedRowsNameBothLines) {
  EXPECT_EQ(reading_error("a b c\n\nd e\n", {}), "test.txt:3: expected 3 columns as in line 1, found 2");
  EXPECT_EQ(reading_error("\na\tb\nc\td\te\n", {}), "test.txt:3: expected 2 columns as in line 2, found 3");
}

TEST(ColumnsReader, TheLabelColumnCanBeChosenFromEitherEnd) {
  ReadOptions options;
  options.label_column = "1";
  EXPECT_EQ((*read_sequences("x y z\n", options))[0].label(0), "x");
  options.label_column = "-2";
  EXPECT_EQ((*read_sequences("x y z\n", options))[0].label(0), "y");
  options.label_column = "4";
  EXPECT_THAT(reading_error("x y z\n", options),
              testing::HasSubstr("test.txt:1: label column 4: rows have 3 columns"));
  options.label_column = "upos";
  EXPECT_THAT(reading_error("x y z\n", options), testing::HasSubstr("expected a number"));
}

TEST(ColumnsReader, InputWithoutTheLabelColumnHasNoLabels) {
  ReadOptions options;
  options.columns = 3;
  options.labels_required = false;
  const auto without = read_sequences("the DT\n", options);
  ASSERT_TRUE(without) << without.error().message;
  EXPECT_FALSE((*without)[0].has_labels());
  EXPECT_EQ((*without)[0].columns(), 2u);
  const auto with = read_sequences("the DT O\n", options);
  ASSERT_TRUE(with);
  EXPECT_EQ((*with)[0].label(0), "O");
  EXPECT_EQ(reading_error("the\n", options),
            "test.txt:1: expected 3 columns, or 2 without the label, found 1");
  EXPECT_EQ(reading_error("a b\nc d e\n", options), "test.txt:2: expected 2 columns as in line 1, found 3");
  options.labels_required = true;
  EXPECT_EQ(reading_error("the DT\n", options), "test.txt:1: expected 3 columns, found 2");
}

TEST(ColumnsReader, AMissingLabelInTheMiddleLeavesTheOtherColumnsInPlace) {
  ReadOptions options;
  options.columns = 3;
  options.labels_required = false;
  options.label_column = "2";
  const auto all = read_sequences("the x\ncat y\n", options);
  ASSERT_TRUE(all) << all.error().message;
  EXPECT_THAT(cells((*all)[0], 0), ElementsAre("the", "", "x"));
  EXPECT_THAT(cells((*all)[0], 1), ElementsAre("cat", "", "y"));
  EXPECT_FALSE((*all)[0].has_labels());
}

TEST(ColumnsReader, LabelsMustBeThereWhenTheyAreRequired) {
  EXPECT_EQ(reading_error("word\n", {}),
            "test.txt:1: found 1 column, expected a label column next to the word");
  EXPECT_EQ(reading_error("a\tX\nb\t\n", {}),
            "test.txt:2: the label in column 2 is empty; write _ where it is not known");
  ReadOptions options;
  options.labels_required = false;
  const auto all = read_sequences("a\tX\nb\t\n\nc\tX\n", options);
  ASSERT_TRUE(all) << all.error().message;
  EXPECT_FALSE((*all)[0].has_labels());
  EXPECT_TRUE((*all)[1].has_labels());
  EXPECT_FALSE((*read_sequences("word\n", options))[0].has_labels());
}

TEST(ColumnsReader, UnknownLabelsAreLegal) {
  const auto all = read_sequences("a _\nb X\n", {});
  ASSERT_TRUE(all);
  EXPECT_EQ((*all)[0].label(0), "_");
}

TEST(ColumnsReader, ReadsWindowsLineEndsAndKeepsThemOutOfTheCells) {
  const auto all = read_sequences("\xEF\xBB\xBFone A\r\ntwo B\r\n\r\nthree C\r\n", {});
  ASSERT_TRUE(all) << all.error().message;
  ASSERT_EQ(all->size(), 2u);
  EXPECT_THAT(cells((*all)[0], 0), ElementsAre("one", "A"));
  EXPECT_EQ((*all)[0].raw(1), "two B");
}

TEST(ColumnsReader, ReusingASequenceLeavesNothingOfTheLastOne) {
  const auto reader = read_text("a A\nb B\n\nc C\n", "t", {});
  ASSERT_TRUE(reader);
  Sequence sequence;
  ASSERT_TRUE(*(*reader)->next(sequence));
  ASSERT_TRUE(*(*reader)->next(sequence));
  EXPECT_EQ(sequence.length(), 1u);
  EXPECT_EQ(sequence.label(0), "C");
  EXPECT_FALSE(*(*reader)->next(sequence));
}

TEST(ColumnsReader, CountsOfConll2000) {
  ESPALIER_NEED_CORPUS("conll2000/train.txt.gz");
  const auto all = read_all({corpus_path("conll2000/train.txt.gz")}, {});
  ASSERT_TRUE(all) << all.error().message;
  EXPECT_EQ(all->size(), 8936u);
  size_t tokens = 0;
  for (const Sequence& s : *all) tokens += s.length();
  EXPECT_EQ(tokens, 211727u);
}

TEST(ColumnsReader, CountsOfTheSpanishEntities) {
  ESPALIER_NEED_CORPUS("conll2002-esp/esp.testb.gz");
  const auto all = read_all({corpus_path("conll2002-esp/esp.testb.gz")}, {});
  ASSERT_TRUE(all) << all.error().message;
  EXPECT_EQ(all->size(), 1517u);
  size_t tokens = 0;
  for (const Sequence& s : *all) tokens += s.length();
  EXPECT_EQ(tokens, 51533u);
}

TEST(ColumnsReader, AnotherSeparatorMayLeaveCellsEmpty) {
  ReadOptions options;
  options.separator = ",";
  const auto all = read_sequences("New York,,B-LOC\n,x y,O\n", options);
  ASSERT_TRUE(all) << all.error().message;
  EXPECT_THAT(cells((*all)[0], 0), ElementsAre("New York", "", "B-LOC"));
  EXPECT_THAT(cells((*all)[0], 1), ElementsAre("", "x y", "O"));
  EXPECT_EQ(reading_error("a,\n", options),
            "test.txt:1: the label in column 2 is empty; write _ where it is not known");
}

TEST(ColumnsReader, CommentsAndDocumentStartsAreKeptAsLinesThatAreNoRows) {
  ReadOptions options;
  options.comment = "#";
  const auto all =
      read_sequences("# one\n-DOCSTART- -X- O\n\na X\n# two\nb Y\n-DOCSTART-\nc Z\n\n#\n\n", options);
  ASSERT_TRUE(all) << all.error().message;
  ASSERT_EQ(all->size(), 2u);
  const Sequence& first = (*all)[0];
  EXPECT_EQ(first.length(), 2u);
  ASSERT_EQ(first.extra_line_count(), 4u);
  EXPECT_EQ(first.extra_line(0).text, "# one");
  EXPECT_EQ(first.extra_line(1).text, "-DOCSTART- -X- O");
  EXPECT_EQ(first.extra_line(2).text, "");
  EXPECT_EQ(first.extra_line(3).text, "# two");
  EXPECT_EQ(first.extra_line(3).before_row, 1u);
  EXPECT_EQ((*all)[1].extra_line(0).text, "-DOCSTART-");
  EXPECT_EQ((*all)[1].line(0), 8u);
  EXPECT_EQ(read_sequences("# X\n", {}).value()[0].length(), 1u);  // a token unless comments are asked for
}

TEST(ColumnsReader, GoesOnAfterABadSequence) {
  const auto reader = read_text("a X\n\nb\nc Y\n\nd Z\n\xFF Q\n\ne V", "test.txt", {}).value();
  Sequence sequence;
  std::vector<std::string> words, errors;
  while (true) {
    const auto more = reader->next(sequence);
    if (!more.ok()) {
      errors.push_back(more.error().message);
      ASSERT_TRUE(reader->recover().ok());
      continue;
    }
    if (!*more) break;
    for (size_t r = 0; r < sequence.length(); ++r) words.emplace_back(sequence.cell(r, 0));
  }
  EXPECT_THAT(words, ElementsAre("a", "e"));
  EXPECT_THAT(errors, ElementsAre(testing::HasSubstr("test.txt:3:"), testing::HasSubstr("test.txt:7:")));
}

TEST(Lines, RefuseUtf16AndZeroBytes) {
  EXPECT_THAT(reading_error(std::string_view("\xFF\xFE"
                                             "a\0 \0b\0\n\0",
                                             10),
                            {}),
              testing::HasSubstr("test.txt:1: the text is UTF-16"));
  EXPECT_THAT(reading_error(std::string_view("a b\na\0 b\n", 10), {}),
              testing::HasSubstr("test.txt:2: a zero byte"));
  ReadOptions bytes;
  bytes.encoding = "bytes";
  EXPECT_TRUE(read_sequences(std::string_view("a\0 b\n", 5), bytes).ok());
}

}  // namespace
}  // namespace espalier::data

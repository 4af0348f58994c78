#include "espalier/data/formats/letters_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "espalier/data/test_data.h"

namespace espalier::data {
namespace {

ReadOptions letters(std::vector<int> folds = {}, bool labels_required = true) {
  ReadOptions options;
  options.format = Format::kLetters;
  options.folds = std::move(folds);
  options.labels_required = labels_required;
  return options;
}

/// A line with the given pixels on.
std::string letter(std::string_view label, int next_id, int word, int fold, const std::set<int>& on = {}) {
  std::string line = fmt::format("1\t{}\t{}\t{}\t1\t{}", label, next_id, word, fold);
  for (int i = 0; i < 128; ++i) line += on.count(i) != 0 ? "\t1" : "\t0";
  return line + "\n";
}

TEST(LettersReader, AWordIsASequenceOfLettersWithTheirPixels) {
  const auto all = read_sequences(
      letter("a", 2, 1, 3, {0, 15}) + letter("b", -1, 1, 3) + letter("c", -1, 2, 0, {127}), letters());
  ASSERT_TRUE(all) << all.error().message;
  ASSERT_EQ(all->size(), 2u);
  const Sequence& s = (*all)[0];
  ASSERT_EQ(s.length(), 2u);
  EXPECT_EQ(s.label(0), "a");
  EXPECT_EQ(s.fold(), 3);
  ASSERT_EQ(s.attribute_count(0), 2u);
  EXPECT_EQ(s.attribute(0, 0).name, "p_0_0");
  EXPECT_EQ(s.attribute(0, 1).name, "p_1_7");
  EXPECT_EQ(s.attribute(0, 1).value, 1.0f);
  EXPECT_EQ(s.attribute_count(1), 0u);
  EXPECT_EQ((*all)[1].attribute(0, 0).name, "p_15_7");
}

TEST(LettersReader, KeepsTheSelectedFolds) {
  const std::string text = letter("a", -1, 1, 0) + letter("b", -1, 2, 1) + letter("c", -1, 3, 2);
  const auto all = read_sequences(text, letters({0, 2}));
  ASSERT_TRUE(all);
  ASSERT_EQ(all->size(), 2u);
  EXPECT_EQ((*all)[1].label(0), "c");
  EXPECT_EQ(reading_error(text, letters({7})), "test.txt: no sequences in the selected folds");
}

TEST(LettersReader, DamagedLinesAreErrors) {
  std::string line = letter("a", -1, 1, 0);
  EXPECT_EQ(reading_error(line.substr(0, line.size() - 3) + "\n", letters()),
            "test.txt:1: expected 134 fields separated by tabs, found 133");
  line[line.size() - 2] = '2';
  EXPECT_EQ(reading_error(line, letters()), "test.txt:1: pixel p_15_7 (field 134) is '2', expected 0 or 1");
  EXPECT_EQ(reading_error(letter("a", 2, 1, 0) + letter("b", -1, 2, 0), letters()),
            "test.txt:2: word 2 begins, but next_id of the last letter of word 1 is not -1");
  EXPECT_EQ(reading_error(letter("a", 2, 1, 0) + letter("b", -1, 1, 5), letters()),
            "test.txt:2: word 1 is in fold 0 and in fold 5");
  EXPECT_THAT(reading_error(letter("a", 2, 1, 0), letters()),
              testing::HasSubstr("the file ends inside word 1"));
  EXPECT_EQ(reading_error(letter("", -1, 1, 0), letters()), "test.txt:1: the letter (field 2) is empty");
}

TEST(LettersReader, TheOriginalsTrailingTabIsNoField) {
  std::string line = letter("a", -1, 1, 0);
  line.insert(line.size() - 1, "\t");
  EXPECT_TRUE(read_sequences(line, letters()));
}

TEST(LettersReader, LettersMayBeMissingWhereLabelsAreNotRequired) {
  const auto all = read_sequences(letter("", -1, 1, 0) + letter("_", -1, 2, 0), letters({}, false));
  ASSERT_TRUE(all) << all.error().message;
  EXPECT_FALSE((*all)[0].has_labels());
  EXPECT_FALSE((*all)[1].has_labels());
}

TEST(LettersReader, CountsOfTheHandwrittenWords) {
  ESPALIER_NEED_CORPUS("ocr/letter.data.gz");
  const auto all = read_all({corpus_path("ocr/letter.data.gz")}, letters());
  ASSERT_TRUE(all) << all.error().message;
  EXPECT_EQ(all->size(), 6877u);
  size_t count = 0;
  std::map<int, size_t> words;
  for (const Sequence& s : *all) {
    count += s.length();
    ++words[*s.fold()];
  }
  EXPECT_EQ(count, 52152u);
  EXPECT_EQ(words[0], 626u);
  EXPECT_EQ(words[9], 675u);
}

}  // namespace
}  // namespace espalier::data

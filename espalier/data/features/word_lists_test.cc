#include "espalier/data/features/word_lists.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "espalier/base/text/text.h"
#include "espalier/data/features/features.h"
#include "espalier/data/formats/reader.h"
#include "espalier/data/test_data.h"

namespace espalier::data {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

Result<WordTable> parse(WordList::Kind kind, const std::string& text) {
  return WordTable::parse({kind, "list", text});
}
std::string error_of(WordList::Kind kind, const std::string& text) {
  const auto out = parse(kind, text);
  return out.ok() ? "accepted" : out.error().message;
}
constexpr auto kLexicon = WordList::Kind::kLexicon;
constexpr auto kClasses = WordList::Kind::kClasses;
constexpr auto kLabels = WordList::Kind::kLabels;

/// The entry that covers each word of a text, or "-".
std::string covered(const WordTable& table, std::initializer_list<const char*> words) {
  std::vector<uint64_t> hashes;
  std::string lower, out;
  for (const char* word : words) {
    to_lower(word, lower);
    hashes.push_back(WordTable::word_hash(lower));
  }
  for (size_t t = 0; t < hashes.size(); ++t)
    out += (t == 0 ? "" : " ") + std::string(table.covering(hashes, t).value_or("-"));
  return out;
}

TEST(WordLists, LexiconsFindTheLongestEntryInAnyCase) {
  const auto table =
      parse(kLexicon, "New York\tcity\nNew York Times\tpaper\nYork\tcity\nReading\nYork\tname\n");
  ASSERT_TRUE(table.ok()) << table.error().message;
  EXPECT_EQ(covered(*table, {"in", "new", "YORK", "times", "."}), "- B-paper I-paper E-paper -");
  EXPECT_EQ(covered(*table, {"New", "York"}), "B-city E-city");
  EXPECT_EQ(covered(*table, {"York", "New"}), "S-city,name -");
  EXPECT_EQ(covered(*table, {"reading"}), "S-1");
}

TEST(WordLists, ClassesAreLookedUpAsTheyAreThenInLowerCase) {
  const auto flat = parse(kClasses, "the 3\nThe 4\ndog 5\n");
  ASSERT_TRUE(flat.ok());
  EXPECT_FALSE(flat->paths());
  EXPECT_EQ(flat->class_of("The", "the"), "4");
  EXPECT_EQ(flat->class_of("THE", "the"), "3");
  EXPECT_EQ(flat->class_of("cat", "cat"), std::nullopt);
  const auto brown = parse(kClasses, "0010\tthe\t17\n001101\tdog\t3\n");
  ASSERT_TRUE(brown.ok());
  EXPECT_TRUE(brown->paths());
  EXPECT_EQ(brown->class_of("dog", "dog"), "001101");
}

TEST(WordLists, DamagedListsAreRefusedWithFileAndLine) {
  EXPECT_EQ(error_of(kLexicon, "\n \n"), "list: there is nothing in this lexicon");
  EXPECT_EQ(error_of(kClasses, ""), "list: there is nothing in this class file");
  EXPECT_THAT(error_of(kLexicon, "a\n\tcity\n"), HasSubstr("list:2: no words before the tab"));
  EXPECT_THAT(error_of(kLexicon, "a\tb\tc\n"), HasSubstr("list:1: more than one tab"));
  EXPECT_THAT(error_of(kLexicon, "a\nb\xFF\n"), HasSubstr("list:2: this is not UTF-8 text"));
  EXPECT_THAT(error_of(kClasses, "word\n"), HasSubstr("list:1: expected 'word class'"));
  EXPECT_THAT(error_of(kLabels, "word N\n"), HasSubstr("list:1: expected a word, a tab and labels"));
  EXPECT_THAT(error_of(kClasses, "a 1\nb\n"), HasSubstr("list:2: 1 fields, but 2 in the first line"));
  EXPECT_THAT(error_of(kClasses, "01 a 3\n21 b 3\n"), HasSubstr("list:2: '21' is not a path"));
  EXPECT_THAT(error_of(kClasses, "a 1\na 2\n"), HasSubstr("list:2: 'a' has the classes 1 and 2"));
  EXPECT_THAT(error_of(kLexicon, std::string(kLargestWordList + 1, 'a')), HasSubstr("64 MB are allowed"));
}

/// The names of all features of a row, after checking that they belong to the hashes: rows with the same
/// names, and no others, have the same hashes.
std::vector<std::string> names_at(const FeatureExtractor& extractor, const Sequence& sequence, size_t row) {
  FeatureExtractor::Scratch scratch;
  HashedFeatures features;
  extractor.extract(sequence, scratch, features);
  std::vector<std::string> names;
  for (size_t slot = 0; slot < features.state_begin[row + 1] - features.state_begin[row]; ++slot)
    names.push_back(extractor.state_name(sequence, row, slot));
  return names;
}

TEST(WordLists, FeaturesFollowFromListsWithDefaultFeaturesAndTemplates) {
  for (const char* const text : {"", "U00:%x[0,0]\nB\n"}) {
    FeatureOptions options;
    options.template_text = text;
    options.feature_columns = {0};
    options.lists = {{kLexicon, "names", "New York\tcity\n"}, {kClasses, "brown", "00101101110\tin\t3\n"}};
    const auto extractor = FeatureExtractor::make(options);
    ASSERT_TRUE(extractor.ok()) << extractor.error().message;
    const Sequence sequence = read_sequences("in O\nnew B\nyork I\n. O\n\n", {})->front();
    const auto names = names_at(*extractor, sequence, 1);
    EXPECT_THAT(names, Contains("lexicon1[0]=B-city"));
    EXPECT_THAT(names, Contains("lexicon1[1]=E-city"));
    EXPECT_THAT(names, Contains("lexicon1[0]|lexicon1[1]=B-city|E-city"));
    EXPECT_THAT(names, Contains("class2[-1]=00101101110"));
    EXPECT_THAT(names, Contains("class2:4[-1]=0010"));
    EXPECT_THAT(names, Contains("class2:10[-1]=0010110111"));
    EXPECT_THAT(names, Not(Contains(HasSubstr("class2[0]="))));
    options.lists.clear();
    const auto plain = FeatureExtractor::make(options);
    EXPECT_EQ(names.size(), names_at(*plain, sequence, 1).size() + 7);
  }
}

TEST(WordLists, FormatsWithAttributesHaveNoWordsToLookUp) {
  FeatureOptions options;
  options.attributes = true;
  options.lists = {{kLexicon, "names", "York\n"}};
  EXPECT_THAT(FeatureExtractor::make(options).error().message, HasSubstr("ready-made attributes"));
}

}  // namespace
}  // namespace espalier::data

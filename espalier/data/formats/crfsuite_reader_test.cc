#include "espalier/data/formats/crfsuite_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "espalier/data/test_data.h"

namespace espalier::data {
namespace {

ReadOptions crfsuite(bool labels_required = true) {
  ReadOptions options;
  options.format = Format::kCrfsuite;
  options.labels_required = labels_required;
  return options;
}

TEST(CrfsuiteReader, ReadsLabelsNamesAndValues) {
  const auto all = read_sequences("B-NP\tw=the\tlength:3\tscore:-1.5e-1\tup:+2\nO\n\nX\ta\n", crfsuite());
  ASSERT_TRUE(all) << all.error().message;
  ASSERT_EQ(all->size(), 2u);
  const Sequence& s = (*all)[0];
  ASSERT_EQ(s.length(), 2u);
  EXPECT_EQ(s.label(0), "B-NP");
  ASSERT_EQ(s.attribute_count(0), 4u);
  EXPECT_EQ(s.attribute(0, 0).name, "w=the");
  EXPECT_EQ(s.attribute(0, 0).value, 1.0f);
  EXPECT_EQ(s.attribute(0, 1).name, "length");
  EXPECT_EQ(s.attribute(0, 1).value, 3.0f);
  EXPECT_EQ(s.attribute(0, 2).value, -0.15f);
  EXPECT_EQ(s.attribute(0, 3).value, 2.0f);
  EXPECT_EQ(s.attribute_count(1), 0u);
  EXPECT_EQ(s.weight(), 1.0f);
  EXPECT_FALSE(s.label_column().has_value());
}

TEST(CrfsuiteReader, ResolvesTheTwoEscapesAndNoOthers) {
  const auto all = read_sequences("\\:\tw=10\\:30\ta\\\\b:2\tc\\d\te\\\\:4\tend\\\n", crfsuite());
  ASSERT_TRUE(all) << all.error().message;
  const Sequence& s = (*all)[0];
  EXPECT_EQ(s.label(0), ":");
  EXPECT_EQ(s.attribute(0, 0).name, "w=10:30");
  EXPECT_EQ(s.attribute(0, 1).name, "a\\b");
  EXPECT_EQ(s.attribute(0, 1).value, 2.0f);
  EXPECT_EQ(s.attribute(0, 2).name, "c\\d");
  EXPECT_EQ(s.attribute(0, 3).name, "e\\");
  EXPECT_EQ(s.attribute(0, 3).value, 4.0f);
  EXPECT_EQ(s.attribute(0, 4).name, "end\\");
}

TEST(CrfsuiteReader, EscapingIsUndoneByReading) {
  for (const std::string name : {"plain", "a:b", "\\", "\\:", "a\\\\:b:", ":"}) {
    std::string line = "L\t";
    append_crfsuite_name(name, line);
    line += ":0.5\n";
    const auto all = read_sequences(line, crfsuite());
    ASSERT_TRUE(all) << all.error().message;
    EXPECT_EQ((*all)[0].attribute(0, 0).name, name);
    EXPECT_EQ((*all)[0].attribute(0, 0).value, 0.5f);
  }
}

TEST(CrfsuiteReader, AnEmptyValueIsOneAndEmptyFieldsAreNothing) {
  const auto all = read_sequences("L\ta:\t\tb\t\n", crfsuite());
  ASSERT_TRUE(all) << all.error().message;
  ASSERT_EQ((*all)[0].attribute_count(0), 2u);
  EXPECT_EQ((*all)[0].attribute(0, 0).value, 1.0f);
}

TEST(CrfsuiteReader, NumbersThatAreNoneAreErrorsWithTheirLine) {
  for (const char* const value : {"nan", "inf", "-inf", "1e39", "abc", "1.5x", "2:3", " 1", "+-1", "+"}) {
    const std::string text = "A\tok\nB\tf:" + std::string(value) + "\n";
    EXPECT_THAT(reading_error(text, crfsuite()), testing::StartsWith("test.txt:2: the value '")) << value;
  }
  EXPECT_THAT(reading_error("A\t:3\n", crfsuite()), testing::HasSubstr("has no name"));
}

TEST(CrfsuiteReader, WeightsBelongToTheirSequence) {
  const auto all = read_sequences("@weight:2.5\nA\tx\n\nB\ty\n\n@weight:0.5\tC\tz\nD\n", crfsuite());
  ASSERT_TRUE(all) << all.error().message;
  ASSERT_EQ(all->size(), 3u);
  EXPECT_EQ((*all)[0].weight(), 2.5f);
  EXPECT_EQ((*all)[1].weight(), 1.0f);
  EXPECT_EQ((*all)[2].weight(), 0.5f);
  EXPECT_EQ((*all)[2].length(), 2u);
  EXPECT_EQ((*all)[2].raw(0), "C\tz");
  EXPECT_EQ(reading_error("@weight:-1\nA\n", crfsuite()),
            "test.txt:1: the weight '-1' is not a number from 0 to 1e+15");
  EXPECT_THAT(reading_error("@weight:\nA\n", crfsuite()), testing::HasSubstr("weight ''"));
}

TEST(CrfsuiteReader, AnEmptyLabelIsLegalOnlyWhereLabelsAreNotRequired) {
  EXPECT_THAT(reading_error("\ta\n", crfsuite()),
              testing::HasSubstr("test.txt:1: the label (first field) is empty"));
  const auto all = read_sequences("\ta\n\tb\n\nX\tc\n\td\n", crfsuite(false));
  ASSERT_TRUE(all) << all.error().message;
  EXPECT_FALSE((*all)[0].has_labels());
  EXPECT_EQ((*all)[0].attribute(1, 0).name, "b");
  EXPECT_TRUE((*all)[1].has_labels());
  EXPECT_EQ((*all)[1].label(1), "_");
}

TEST(CrfsuiteReader, TakesNoLabelColumn) {
  ReadOptions options = crfsuite();
  options.label_column = "2";
  EXPECT_THAT(reading_error("A\tx\n", options), testing::HasSubstr("a label column cannot be chosen"));
}

}  // namespace
}  // namespace espalier::data

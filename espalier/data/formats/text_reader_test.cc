#include "espalier/data/formats/text_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "espalier/data/test_data.h"

namespace espalier::data {
namespace {

ReadOptions raw(TextSplit split) {
  ReadOptions options;
  options.text = split;
  options.allow_empty = true;
  return options;
}

TEST(TextReader, SentencesHaveWordsOffsetsAndLines) {
  const auto all = read_sequences("Zo\xC3\xAB slept.\nThen she\nwoke.\n\nEnd", raw(TextSplit::words)).value();
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[1].length(), 4u);
  EXPECT_EQ(all[1].cell(2, 0), "woke");
  EXPECT_EQ(all[1].offsets(2).begin, 20u);
  EXPECT_EQ(all[1].offsets(2).end, 24u);
  EXPECT_EQ(all[1].line(0), 2u);
  EXPECT_EQ(all[1].line(2), 3u);
  EXPECT_EQ(all[2].offsets(0).begin, 27u);
  EXPECT_EQ(all[2].line(0), 5u);
  EXPECT_FALSE(all[0].has_labels());
  EXPECT_TRUE(read_sequences("", raw(TextSplit::words)).value().empty());
}

TEST(TextReader, AtBlanksEachLineIsASentence) {
  const auto all = read_sequences("a b\n\n c\n", raw(TextSplit::blanks)).value();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[1].offsets(0).begin, 6u);
  EXPECT_EQ(all[1].line(0), 3u);
}

TEST(TextReader, AParagraphOfManyMegabytesIsSplitLikeAShortOne) {
  std::string text;
  for (int i = 0; i < 120000; ++i) text += i % 3 == 0 ? "It was.\n" : "Dogs bark at them. ";
  const auto all = read_sequences(text, raw(TextSplit::words)).value();
  EXPECT_EQ(all.size(), 120000u);
  for (const Sequence& s : all)
    ASSERT_EQ(text.substr(s.offsets(0).begin, s.offsets(0).end - s.offsets(0).begin), s.cell(0, 0));
}

TEST(TextReader, LeavesOutAParagraphThatIsNotText) {
  const auto reader =
      read_text("One two.\n\nbad \xFF\nstill bad\n\nThree.", "test.txt", raw(TextSplit::words)).value();
  Sequence sequence;
  ASSERT_TRUE(reader->next(sequence).value());
  const auto bad = reader->next(sequence);
  ASSERT_FALSE(bad.ok());
  EXPECT_THAT(bad.error().message, testing::HasSubstr("test.txt:3:"));
  ASSERT_TRUE(reader->recover().ok());
  ASSERT_TRUE(reader->next(sequence).value());
  EXPECT_EQ(sequence.cell(0, 0), "Three");
  EXPECT_EQ(sequence.line(0), 6u);
  EXPECT_FALSE(reader->next(sequence).value());
}

}  // namespace
}  // namespace espalier::data

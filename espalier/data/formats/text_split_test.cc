#include "espalier/data/formats/text_split.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace espalier::data {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// Sentences as words with blanks between; checks that offsets lead back to the words.
std::vector<std::string> sentences_of(std::string_view text, TextSplit how = TextSplit::words) {
  TextSplitter splitter = TextSplitter::make(how).value();
  std::vector<std::string> out;
  splitter
      .split(text,
             [&](const std::vector<TextPiece>& tokens) {
               std::string& sentence = out.emplace_back();
               for (const TextPiece& t : tokens) {
                 if (!sentence.empty()) sentence += ' ';
                 sentence += t.text;
                 EXPECT_EQ(text.substr(t.byte, t.text.size()), t.text);
                 const auto is_start = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; };
                 EXPECT_EQ(t.begin,
                           std::count_if(text.begin(), text.begin() + static_cast<long>(t.byte), is_start));
                 EXPECT_EQ(t.end - t.begin, std::count_if(t.text.begin(), t.text.end(), is_start));
               }
             })
      .value();
  return out;
}

TEST(TextSplitter, SplitsSentencesAndWords) {
  EXPECT_THAT(sentences_of("Anna flew to Rome. She didn't sleep, did she?"),
              ElementsAre("Anna flew to Rome .", "She didn't sleep , did she ?"));
  EXPECT_THAT(sentences_of("It cost 3.50 \xE2\x82\xAC in 1999."),
              ElementsAre("It cost 3.50 \xE2\x82\xAC in 1999 ."));
}

TEST(TextSplitter, CountsCodePointsAndSplitsScriptsWithoutBlanks) {
  EXPECT_THAT(sentences_of("\xC3\x89t\xC3\xA9 \xF0\x9F\x98\x80 ici."),
              ElementsAre("\xC3\x89t\xC3\xA9 \xF0\x9F\x98\x80 ici ."));
  const auto chinese = sentences_of(
      "\xE6\x88\x91\xE5\x96\x9C\xE6\xAC\xA2\xE5\x8C\x97\xE4\xBA\xAC\xE3\x80\x82\xE4\xBD\xA0\xE5\x91\xA2\xEF"
      "\xBC\x9F");
  ASSERT_EQ(chinese.size(), 2u);
  EXPECT_THAT(chinese[0], HasSubstr("\xE5\x8C\x97\xE4\xBA\xAC"));  // Beijing, one word
}

TEST(TextSplitter, LinesMayBeWrappedAndEmptyLinesEndSentences) {
  EXPECT_THAT(sentences_of("A title\n\nThe cat\nslept.\r\nIt\r\npurred.\n \t\nEnd"),
              ElementsAre("A title", "The cat slept .", "It purred .", "End"));
}

TEST(TextSplitter, LeavesOutWhatIsInvisible) {
  EXPECT_THAT(sentences_of(" \t\n\n  "), ElementsAre());
  EXPECT_THAT(sentences_of(""), ElementsAre());
  EXPECT_THAT(sentences_of("a\xE2\x80\x8B b\xC2\xA0 c"), ElementsAre("a b c"));
}

TEST(TextSplitter, AtBlanksEachLineIsASentence) {
  EXPECT_THAT(sentences_of("Anna flew .\r\n\n\tDr. Smith\xC3\xA9  slept\n", TextSplit::blanks),
              ElementsAre("Anna flew .", "Dr. Smith\xC3\xA9 slept"));
}

TEST(TextSplitter, RefusesWhatIsNotUtf8) {
  TextSplitter splitter = TextSplitter::make(TextSplit::words).value();
  const Status status = splitter.split("caf\xE9", [](const auto&) {});
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(status.error().message, HasSubstr("byte 4 (0xE9)"));
}

}  // namespace
}  // namespace espalier::data

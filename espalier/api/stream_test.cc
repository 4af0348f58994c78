#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "espalier/api/api_test_support.h"

namespace espalier {
namespace {

using testing::HasSubstr;


constexpr const char* kText = "the DT\nwolf NN\nsang VB\n. .\n\nthe DT\ncat NN\nate VB\n. .\n";

TEST(Stream, LabelsBecomeTheLastColumn) {
  std::string out;
  const StreamReport report = tag_stream(a_tagger(), Source::text(kText), Sink::string(out)).value();
  EXPECT_EQ(report.sequences, 2u);
  EXPECT_EQ(report.tokens, 8u);
  EXPECT_THAT(out, HasSubstr("wolf NN I-NP\n"));
  EXPECT_THAT(out, HasSubstr("ate VB B-VP\n"));
}

TEST(Stream, EverythingBeforeABadLineIsWritten) {
  std::string out;
  const auto report = tag_stream(a_tagger(), Source::text(std::string(kText) + "\nragged\n\n", "in.txt"), Sink::string(out));
  ASSERT_FALSE(report.ok());
  EXPECT_THAT(report.error().message, HasSubstr("in.txt:11:"));
  EXPECT_THAT(out, HasSubstr("ate VB B-VP\n"));
}

TEST(Stream, FunctionsReadAndWrite) {
  std::string text = kText, out;
  const auto read = [&](char* bytes, size_t size) -> Result<size_t> {
    const size_t n = std::min<size_t>({size, text.size(), 7});
    text.copy(bytes, n);
    text.erase(0, n);
    return n;
  };
  const auto write = [&](std::string_view piece) -> Status {
    out += piece;
    return {};
  };
  ASSERT_TRUE(tag_stream(a_tagger(), Source::function(read), Sink::function(write)).ok());
  EXPECT_THAT(out, HasSubstr("wolf NN I-NP\n"));
}

TEST(Stream, AWriterThatFailsEndsTheWork) {
  const auto report = tag_stream(a_tagger(), Source::text(kText),
                                 Sink::function([](std::string_view) -> Status { return Error{"the disk is full"}; }));
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.error().message, "the disk is full");
}

TEST(Stream, ContradictionsAreFoundBeforeAnythingIsRead) {
  const Tagger tagger = a_tagger();
  StreamOptions options;
  options.tag.nbest = 3;
  options.tag.confidence = true;
  EXPECT_FALSE(check_options(tagger, options).ok());
  options.output_format = "json";
  EXPECT_TRUE(check_options(tagger, options).ok());
  options.output_format = "jsom";
  EXPECT_FALSE(check_options(tagger, options).ok());
  StreamOptions forced;
  forced.forced_column = 9;
  EXPECT_THAT(check_options(tagger, forced).error().message, HasSubstr("the model's data has 3 columns"));
}

TEST(Stream, ForcedLabelsThatTheModelDoesNotKnowAreRefused) {
  std::string out;
  StreamOptions options;
  options.forced_column = -1;
  ASSERT_TRUE(tag_stream(a_tagger(), Source::text("the DT _\ncat NN B-NP\n"), Sink::string(out), options).ok());
  EXPECT_THAT(out, HasSubstr("cat NN B-NP B-NP\n"));
  const auto refused = tag_stream(a_tagger(), Source::text("the DT NOPE\n", "in"), Sink::string(out), options);
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message, HasSubstr("in:1: the model has no label 'NOPE' to force"));
}

TEST(Stream, ExplainsAsTextAndAsJson) {
  std::string text, json;
  ASSERT_TRUE(explain_stream(a_tagger(), Source::text(kText), Sink::string(text), {}).ok());
  EXPECT_THAT(text, HasSubstr("sequence 2, line 6"));
  EXPECT_THAT(text, HasSubstr("before"));
  ExplainOptions options;
  options.json = true;
  options.sequence = 2;
  ASSERT_TRUE(explain_stream(a_tagger(), Source::text(kText), Sink::string(json), options).ok());
  EXPECT_THAT(json, HasSubstr("\"sequence\":2"));
  options.sequence = 3;
  const Status missing = explain_stream(a_tagger(), Source::text(kText), Sink::string(json), options);
  ASSERT_FALSE(missing.ok());
  EXPECT_THAT(missing.error().message, HasSubstr("there is no sequence 3, only 2"));
}

}  // namespace
}  // namespace espalier

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "espalier/api/api_test_support.h"

namespace espalier {
namespace {

using testing::HasSubstr;

constexpr const char* kText = "the DT\nwolf NN\nsang VB\n. .\n\nthe DT\ncat NN\nate VB\n. .\n";

/// A row of a word with a number of its own.
std::string row_of(const char* word, size_t i) { return word + std::to_string(i) + " NN\n"; }

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
  const auto report =
      tag_stream(a_tagger(), Source::text(std::string(kText) + "\nragged\n\n", "in.txt"), Sink::string(out));
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

TEST(Stream, ManyBlocksKeepTheirOrderAndStayOnTheCallersThread) {
  // Several blocks, a bad sequence in some of them, and a pause: nothing may be lost or change places.
  constexpr size_t kSentences = 20000;
  std::string text;
  for (size_t i = 0; i < kSentences; ++i)
    text += row_of("w", i) + (i % 4999 == 4998 ? "ragged\n\n" : row_of("v", i) + "\n");
  const Tagger tagger = a_tagger();
  std::string expected;
  size_t bad_lines = 0;
  for (const int threads : {1, 3}) {
    std::string_view left = text;
    std::string out;
    std::vector<std::string> errors;
    const std::thread::id caller = std::this_thread::get_id();
    const auto read = [&](char* bytes, size_t size) -> Result<size_t> {
      EXPECT_EQ(std::this_thread::get_id(), caller);
      const size_t n = std::min(size, left.size());
      left.copy(bytes, n);
      left.remove_prefix(n);
      return n;
    };
    StreamOptions options;
    options.tag.threads = threads;
    options.on_bad_sequence = [&](const Error& error) {
      EXPECT_EQ(std::this_thread::get_id(), caller);
      errors.push_back(error.message);
    };
    const auto write = [&](std::string_view piece) -> Status {
      EXPECT_EQ(std::this_thread::get_id(), caller);
      out += piece;
      return {};
    };
    const auto report = tag_stream(tagger, Source::function(read, "in.txt"), Sink::function(write), options);
    ASSERT_TRUE(report.ok());
    EXPECT_EQ(report->sequences + report->bad_sequences, kSentences);
    size_t at = 0;
    for (size_t i = 0; i < kSentences; ++i) {
      if (i % 4999 == 4998) continue;
      at = out.find(row_of("w", i).substr(0, row_of("w", i).size() - 1) + " ", at);
      ASSERT_NE(at, std::string::npos) << "sentence " << i << " with " << threads << " threads";
    }
    ASSERT_EQ(errors.size(), kSentences / 4999);
    EXPECT_THAT(errors[0], HasSubstr("in.txt:"));
    if (threads == 1) {
      expected = out;
      bad_lines = errors.size();
    }
    EXPECT_EQ(out, expected);
    EXPECT_EQ(errors.size(), bad_lines);
  }
}

TEST(Stream, AWriterThatFailsEndsTheWork) {
  const auto report =
      tag_stream(a_tagger(), Source::text(kText),
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
  ASSERT_TRUE(
      tag_stream(a_tagger(), Source::text("the DT _\ncat NN B-NP\n"), Sink::string(out), options).ok());
  EXPECT_THAT(out, HasSubstr("cat NN B-NP B-NP\n"));
  const auto refused =
      tag_stream(a_tagger(), Source::text("the DT NOPE\n", "in"), Sink::string(out), options);
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

TEST(Stream, GoesOnAfterBadSequencesIfAsked) {
  std::string out;
  std::vector<std::string> errors;
  StreamOptions options;
  options.on_bad_sequence = [&](const Error& error) { errors.push_back(error.message); };
  const std::string text = std::string("a b c d\n\n") + kText + "\nragged\nrow\n\n" + kText;
  const StreamReport report =
      tag_stream(a_tagger(), Source::text(text, "in.txt"), Sink::string(out), options).value();
  EXPECT_EQ(report.sequences, 4u);
  EXPECT_EQ(report.bad_sequences, 2u);
  ASSERT_EQ(errors.size(), 2u);
  EXPECT_THAT(errors[0], HasSubstr("in.txt:1:"));
  EXPECT_THAT(errors[1], HasSubstr("in.txt:13:"));
}

TEST(Stream, JsonIsCompleteAfterAnError) {
  std::string out;
  StreamOptions options;
  options.output_format = "json";
  EXPECT_FALSE(
      tag_stream(a_tagger(), Source::text(std::string(kText) + "\nragged\n"), Sink::string(out), options)
          .ok());
  EXPECT_TRUE(out.ends_with("}\n")) << out;
  EXPECT_THAT(out, HasSubstr("\"errors\":[\"text:11:"));
}

TEST(Stream, ReadsOtherFormatsAndSeveralSources) {
  std::string out;
  StreamOptions options;
  options.input_format = "jsonl";
  options.output_format = "columns";
  const std::string line = R"({"tokens": [["the", "DT"], ["wolf", "NN"]], "id": 3})";
  const std::vector<Source> both = {Source::text(line), Source::text(line)};
  EXPECT_EQ(tag_stream(a_tagger(), both, Sink::string(out), options).value().sequences, 2u);
  EXPECT_EQ(out, "the\tDT\tB-NP\nwolf\tNN\tI-NP\n\nthe\tDT\tB-NP\nwolf\tNN\tI-NP\n\n");
  out.clear();
  options.output_format = "";
  ASSERT_TRUE(tag_stream(a_tagger(), both, Sink::string(out), options).ok());
  EXPECT_THAT(out, HasSubstr("\"id\": 3"));
  options.input_format = "crfsuite";
  EXPECT_THAT(check_options(a_tagger(), options).error().message, HasSubstr("attributes"));
}

TEST(Stream, RefusesRawTextInPlaceOfRows) {
  std::string out;
  const auto report = tag_stream(a_tagger(), Source::text("the cat slept\n", "in.txt"), Sink::string(out));
  ASSERT_FALSE(report.ok());
  EXPECT_THAT(report.error().message, HasSubstr("in.txt:1: 'slept' is in the place of the label"));
  // As many words as cells: it could be either, unless the caller says which.
  const auto tagged = [&](const char* text, const StreamOptions& options) {
    const auto result = tag_stream(a_tagger(), Source::text(text), Sink::string(out), options);
    return result.ok() ? std::string() : result.error().message;
  };
  EXPECT_THAT(tagged("the cat\n", {}), HasSubstr("every sequence is a single row of words"));
  EXPECT_THAT(tagged("the cat\n\nthe dog\n", {}), HasSubstr("if this is raw text, use --text"));
  EXPECT_EQ(tagged("the\tDT\n", {}), "");
  // One token with a tag that the training data has; punctuation could be the end of a short line.
  out.clear();
  EXPECT_EQ(tagged("wolf NN\n", {}), "");
  EXPECT_EQ(out, "wolf NN B-NP\n\n");
  EXPECT_THAT(tagged("wolf NN\n\nthe cat\n", {}), HasSubstr("if this is raw text, use --text"));
  EXPECT_EQ(tagged("the DT\n\nthe DT\ncat NN\n", {}), "");
  // Longer sequences are rows if the model knows some of their tags.
  EXPECT_THAT(tagged("the cat\nthe dog\n", {}), HasSubstr("hardly a cell beside the first is known"));
  EXPECT_THAT(tagged("the cat\nthe dog\n\nthe wolf\nthe cat\n", {}), HasSubstr("use --text"));
  EXPECT_EQ(tagged("the DT\nyak XX\nemu YY\n", {}), "");
  StreamOptions columns;
  columns.input_format = "columns";
  EXPECT_EQ(tagged("the DT\n", columns), "");
}

}  // namespace
}  // namespace espalier

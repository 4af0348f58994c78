// Pages about models: report.cc, runs.cc, page.cc and the sections.
#include "espalier/public/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "espalier/api/api_test_support.h"
#include "espalier/base/files/temporary_directory.h"
#include "espalier/report/page.h"

namespace espalier {
namespace {

using testing::HasSubstr;
using testing::Not;

/// Test data in which some gold labels are wrong, and a word that must not become markup.
Corpus doubtful(size_t count) {
  Corpus corpus({.columns = {"word", "tag"}});
  for (size_t i = 0; i < count; ++i) {
    corpus.add_rows({{"the", "DT"}, {"cat", "NN"}, {"slept", "VB"}, {".", "."}},
                    {"B-NP", "I-NP", i % 3 == 0 ? "B-NP" : "B-VP", "O"});
    corpus.add_rows({{"the", "DT"}, {"<script>alert(1)</script>", "NN"}, {"sang", "VB"}, {".", "."}},
                    {"B-NP", i % 2 == 0 ? "O" : "I-NP", "B-VP", "O"});
    corpus.add_rows({{"the", "DT"}, {"dog", "NN"}, {"ate", "VB"}, {"fish", "NN"}, {".", "."}},
                    {"O", "O", "B-VP", "B-NP", i % 4 == 0 ? "B-PUNCT" : "O"});
  }
  return corpus;
}

std::string page_of(const std::vector<ReportModel>& models, const ReportOptions& options = {}) {
  return report_html(doubtful(8), models, options).value();
}

TEST(Report, HasASectionForEachQuestion) {
  const std::string page = page_of({{"a.model", a_tagger()}});
  for (const char* id :
       {"scores", "labels", "errors", "confusions", "calibration", "coverage", "length", "rareness"})
    EXPECT_THAT(page, HasSubstr(fmt::format("<section id=\"{}\">", id)));
  EXPECT_THAT(page, Not(HasSubstr("id=\"differences\""))) << "there is one model";
  EXPECT_THAT(page, Not(HasSubstr("id=\"training\""))) << "there is no log";
  // Every kind of error is there: gold spans that are too short, of another type, missing, or not predicted.
  for (const char* kind : {"boundary: 4", "type: 3", "missed: 2", "invented: 8"})
    EXPECT_THAT(page, HasSubstr(fmt::format("<summary>{}</summary>", kind)));
}

TEST(Report, TextIsEscapedAndNothingIsLoaded) {
  const std::string page = page_of({{"<b>a</b>", a_tagger()}});
  EXPECT_THAT(page, HasSubstr("&lt;script&gt;alert(1)&lt;/script&gt;"));
  EXPECT_THAT(page, Not(HasSubstr("<script")));
  EXPECT_THAT(page, Not(HasSubstr("<b>a</b>")));
  EXPECT_THAT(page, Not(HasSubstr("http://")));
  EXPECT_THAT(page, Not(HasSubstr("https://")));
  EXPECT_THAT(page, Not(HasSubstr("src=")));
}

TEST(Report, TheSameDataGivesTheSamePageAtAnyNumberOfThreads) {
  const Tagger tagger = a_tagger();
  // The speed is measured, so it is cut out.
  const auto without_speed = [](std::string page) {
    const size_t row = page.find("<td>crf</td>");
    EXPECT_NE(row, std::string::npos);
    return page.erase(row, page.find("</table>", row) - row);
  };
  ReportOptions options;
  options.threads = 1;
  const std::string one = without_speed(page_of({{"a", tagger}}, options));
  options.threads = 3;
  EXPECT_EQ(without_speed(page_of({{"a", tagger}}, options)), one);
}

TEST(Report, TwoModelsAreComparedWithSignificance) {
  const Tagger poor = train(phrases(2), Learner("crf", {{"passes", "1"}})).value();
  const std::string page = page_of({{"m", poor}, {"m", a_tagger()}});
  EXPECT_THAT(page, HasSubstr("id=\"differences\""));
  EXPECT_THAT(page, HasSubstr("McNemar"));
  EXPECT_THAT(page, HasSubstr("m (2)")) << "equal names are told apart";
  EXPECT_THAT(page, HasSubstr("right in m (2), wrong in m"));
  EXPECT_FALSE(report_html(doubtful(2), {}, {}).ok());
}

TEST(Report, ModelsThatReadOtherLabelsAreRefused) {
  const TemporaryDirectory directory;
  std::string text;
  for (int i = 0; i < 12; ++i) text += "the DT B-NP\ncat NN I-NP\n\n";
  Files tags{{directory.write("data.txt", text)}, {}}, chunks = tags;
  tags.reading.label_column = "2";
  const auto page =
      report_html(Files{chunks.paths, {}}, {{"a", train(tags).value()}, {"b", train(chunks).value()}});
  ASSERT_FALSE(page.ok());
  EXPECT_THAT(page.error().message, HasSubstr("data.txt:1: a and b read different tokens or gold labels"));
}

TEST(Report, ShowsTheTrainingLog) {
  const char* const log =
      R"({"objective_name":"loss per token","dev_measure":"F1","log":[{"round":1,"objective":0.5,"dev_score":80},{"round":2,"objective":0.2,"dev_score":90}]})";
  EXPECT_THAT(page_of({{"a", a_tagger(), log}}), HasSubstr("loss per token"));
  const auto wrong = report_html(doubtful(2), {{"a", a_tagger(), "not JSON"}});
  ASSERT_FALSE(wrong.ok());
  EXPECT_THAT(wrong.error().message, HasSubstr("espalier train --json"));
}

TEST(Report, RareWordsAreCountedInTheTrainingData) {
  ReportOptions options;
  EXPECT_THAT(page_of({{"a", a_tagger()}}, options), HasSubstr("in the test data itself"));
  options.train = phrases(40);
  EXPECT_THAT(page_of({{"a", a_tagger()}}, options), HasSubstr("0: never seen"));
}

TEST(Report, ModelsWithoutProbabilitiesSayThatTheyHaveNone) {
  const Tagger search = train(phrases(20), Learner("laso-br", {{"passes", "2"}})).value();
  EXPECT_THAT(page_of({{"s", search}}), HasSubstr("s has no probabilities"));
}

TEST(Report, PlainLabelsAreGroupedByPairs) {
  Corpus train_tags({.columns = {"word"}}), test_tags({.columns = {"word"}});
  for (size_t i = 0; i < 12; ++i) train_tags.add_words({"the", "cat"}, {"DT", "NN"});
  for (size_t i = 0; i < 4; ++i) test_tags.add_words({"the", "cat"}, {"DT", "VB"});
  const std::string page = report_html(test_tags, {{"a", train(train_tags).value()}}).value();
  EXPECT_THAT(page, HasSubstr("<summary>VB taken for NN: 4</summary>"));
}

TEST(Report, AListOfErrorsIsCut) {
  ReportOptions options;
  options.errors_per_kind = 2;
  EXPECT_THAT(page_of({{"a", a_tagger()}}, options), HasSubstr("and 6 more"));
}

}  // namespace
}  // namespace espalier

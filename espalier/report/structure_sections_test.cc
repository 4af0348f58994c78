// Pages about parsers and summarisers: tree_sections.cc and summary_sections.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "espalier/base/files/temporary_directory.h"
#include "espalier/base/result.h"
#include "espalier/espalier.h"
#include "espalier/public/report.h"

namespace espalier {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string sentence(const std::string& noun, const std::string& subject_head = "3") {
  return "1\tthe\t_\tDET\t_\t_\t2\tdet\t_\t_\n2\t" + noun + "\t_\tNOUN\t_\t_\t" + subject_head +
         "\tnsubj\t_\t_\n3\tslept\t_\tVERB\t_\t_\t0\troot\t_\t_\n4\there\t_\tADV\t_\t_\t3\tadvmod\t_\t_\n\n";
}

Tagger trained(const std::string& file, const std::string& task) {
  TrainOptions options;
  options.task = task;
  if (task == "summary") options.learner = Learner("searn", {{"limit", "5"}});
  return train(Files{{file}, {}}, options).value();
}

TEST(ReportOfTrees, DrawsTheTreesThatAreWrong) {
  const TemporaryDirectory directory;
  std::string text;
  for (int i = 0; i < 12; ++i) text += sentence(i % 2 == 0 ? "cat" : "dog");
  const std::string train_file = directory.write("train.conllu", text);
  // In the second sentence the gold head of the noun is another.
  const std::string test = directory.write("test.conllu", sentence("cat") + sentence("<i>dog</i>", "4"));
  const Tagger parser = trained(train_file, "parse");
  const std::string page = report_html(Files{{test}, {}}, {{"a.model", parser}}).value();
  for (const char* id : {"scores", "relations", "trees"})
    EXPECT_THAT(page, HasSubstr(fmt::format("<section id=\"{}\">", id)));
  EXPECT_THAT(page, HasSubstr("87.50")) << "7 of 8 arcs are right";
  EXPECT_THAT(page, HasSubstr("test.conllu:6: 1 of 4 arcs are wrong"));
  EXPECT_THAT(page, Not(HasSubstr("test.conllu:1: ")));
  EXPECT_THAT(page, HasSubstr("&lt;i&gt;dog&lt;/i&gt;"));
  EXPECT_THAT(page, Not(HasSubstr("<i>")));
  EXPECT_THAT(page, Not(HasSubstr("id=\"confusions\"")));
  const std::string two = report_html(Files{{test}, {}}, {{"a", parser}, {"b", parser}}).value();
  EXPECT_THAT(two, HasSubstr("LAS differs by +0.00"));
}

TEST(ReportOfSummaries, MarksTheChosenWordsInTheirSources) {
  const TemporaryDirectory directory;
  const std::string line =
      R"({"id":"t1","docs":[{"id":"d<1>","sents":["The storm hit the north.","We heard <b>nothing</b> of it."]},)"
      R"({"sents":["The storm hit the north.","Nobody came."]}],"refs":[{"sents":["storm hit the north & more"]}]})"
      "\n";
  const std::string file = directory.write("c.jsonl", line + line);
  const Tagger model = trained(file, "summary");
  const std::string page = report_html(Files{{file}, {}}, {{"s.model", model}}).value();
  for (const char* id : {"scores", "summaries"})
    EXPECT_THAT(page, HasSubstr(fmt::format("<section id=\"{}\">", id)));
  EXPECT_THAT(page, HasSubstr("<span class=\"g\">The storm hit the north.</span>"));
  EXPECT_THAT(page, HasSubstr("<h4>d&lt;1&gt;</h4>"));
  EXPECT_THAT(page, HasSubstr("<h4>document 1</h4>"));
  EXPECT_THAT(page, HasSubstr("storm hit the north &amp; more"));
  EXPECT_THAT(page, Not(HasSubstr("<b>")));
  EXPECT_THAT(page, HasSubstr("c.jsonl:2"));
  EXPECT_THAT(report_html(Files{{file}, {}}, {{"a", model}, {"b", model}}).value(),
              HasSubstr("<span class=\"g p\">The storm hit the north.</span>"));
  const auto mixed =
      report_html(Files{{file}, {}},
                  {{"s", model},
                   {"p", trained(directory.write("t.conllu", sentence("cat") + sentence("dog")), "parse")}});
  ASSERT_FALSE(mixed.ok());
  EXPECT_THAT(mixed.error().message, HasSubstr("compare models of one task"));
}

}  // namespace
}  // namespace espalier

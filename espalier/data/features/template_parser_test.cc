#include "espalier/data/features/template_parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace espalier::data {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::vector<size_t> kTwoColumns{0, 1};

FeaturePlan parsed(std::string_view text) {
  auto plan = parse_templates(text, "t", kTwoColumns);
  EXPECT_TRUE(plan.ok()) << plan.error().message;
  return std::move(plan).value();
}

std::string error_of(std::string_view text) {
  const auto plan = parse_templates(text, "my.template", kTwoColumns);
  return plan.ok() ? "no error" : plan.error().message;
}

TEST(TemplateParserTest, ReadsCrfppLines) {
  const FeaturePlan plan = parsed(
      "# words\r\n"
      "\n"
      "U05:%x[-1,0]/%x[0,1]\r\n"
      "   \n"
      "B\n");
  ASSERT_EQ(plan.templates.size(), 1u) << "a plain B needs no feature";
  EXPECT_TRUE(plan.transitions);
  const Template& feature = plan.templates[0];
  EXPECT_THAT(feature.literals, ElementsAre("U05:", "/", ""));
  ASSERT_EQ(feature.references.size(), 2u);
  EXPECT_EQ(feature.references[0].offset, -1);
  EXPECT_EQ(plan.views[feature.references[1].view].column, 1u);
  EXPECT_EQ(plan.views[feature.references[1].view].outside, Outside::kCrfpp);
  EXPECT_TRUE(feature.state);
  EXPECT_FALSE(feature.edge);
}

TEST(TemplateParserTest, EdgesAndTransitions) {
  EXPECT_FALSE(parsed("U:%x[0,0]").transitions);
  const FeaturePlan edges = parsed("B01:%x[0,0]");
  EXPECT_TRUE(edges.transitions);
  ASSERT_EQ(edges.templates.size(), 1u);
  EXPECT_TRUE(edges.templates[0].edge);
  EXPECT_FALSE(edges.templates[0].state);
  const FeaturePlan both = parsed("*:%x[0,0]");
  EXPECT_TRUE(both.transitions);
  EXPECT_TRUE(both.templates[0].edge);
  EXPECT_TRUE(both.templates[0].state);
}

TEST(TemplateParserTest, ABareStarIsABiasAndTheLabelBigram) {
  const FeaturePlan plan = parsed("*\n");
  EXPECT_TRUE(plan.transitions);
  ASSERT_EQ(plan.templates.size(), 1u);
  EXPECT_TRUE(plan.templates[0].state);
  EXPECT_FALSE(plan.templates[0].edge);
}

TEST(TemplateParserTest, WapitiCommandsMakeAnUpperCaseLineWapiti) {
  const FeaturePlan plan = parsed("U1:%x[0,0]\nU2:%X[0,0] # lower\nU3:%x[@1,0]\n");
  EXPECT_EQ(plan.views[plan.templates[0].references[0].view].outside, Outside::kCrfpp);
  EXPECT_EQ(plan.views[plan.templates[1].references[0].view].outside, Outside::kWapiti);
  EXPECT_EQ(plan.views[plan.templates[2].references[0].view].outside, Outside::kWapiti);
  EXPECT_EQ(plan.templates[1].literals[0], "u2:");
  EXPECT_EQ(plan.templates[1].literals[1], "") << "Wapiti drops comments at the end of a line";
}

TEST(TemplateParserTest, ANumberSignIsAComment) {
  EXPECT_EQ(parsed("U1#%x[0,0]").templates[0].literals[0], "U1#") << "but not within a CRF++ template";
  EXPECT_EQ(parsed("u1#%x[0,0]").templates[0].references.size(), 0u);
  EXPECT_EQ(parsed("u:%t[0,0,\"#\"]#%x[0,0]").patterns[0].expression(), "#");
}

TEST(TemplateParserTest, AbsoluteAndIndirectRows) {
  const FeaturePlan plan = parsed("u:%x[@1,0]%x[@-1,0]%x[*1,0]%x[@0,0]%x[+2,0]%x[ -1 , 0 ]");
  const auto& references = plan.templates[0].references;
  EXPECT_EQ(references[0].origin, Origin::kStart);
  EXPECT_EQ(references[0].offset, 0);
  EXPECT_EQ(references[1].origin, Origin::kEnd);
  EXPECT_EQ(references[1].offset, -1);
  EXPECT_EQ(references[2].origin, Origin::kIndirect);
  EXPECT_EQ(references[2].offset, 1);
  EXPECT_EQ(references[3].origin, Origin::kStart);
  EXPECT_EQ(references[3].offset, -1);
  EXPECT_EQ(references[4].offset, 2);
  EXPECT_EQ(references[5].offset, -1);
}

TEST(TemplateParserTest, SharesViewsAndPatterns) {
  const FeaturePlan plan = parsed("u1:%t[0,0,\"^\\u\"]\nu2:%t[-1,0,\"^\\u\"]\nu3:%m[0,0,\"^\\u\"]\n");
  EXPECT_EQ(plan.patterns.size(), 1u);
  EXPECT_EQ(plan.views.size(), 2u);
}

TEST(TemplateParserTest, ErrorsNameFileAndLine) {
  EXPECT_THAT(error_of("U:%x[0,0]\n\nV01:%x[0,0]\n"),
              StartsWith("my.template:3: a template line starts with U, B"));
  EXPECT_EQ(error_of("U:%x[0,2]"),
            "my.template:1: '%x[0,2' names column 2, which is not there to look at; there are columns 0, 1");
  EXPECT_THAT(error_of("U:%x[0,-1]"), HasSubstr("names column -1"));
  EXPECT_EQ(error_of("U:%x[0,0"),
            "my.template:1: '%x[0,0' ends where ']' was expected at the end of the command");
  EXPECT_THAT(error_of("U:%x0,0]"), HasSubstr("'%x' is followed by '0'; expected '['"));
  EXPECT_THAT(error_of("U:%x[0 0]"), HasSubstr("expected ',' between row and column"));
  EXPECT_THAT(error_of("U:%x[a,0]"), HasSubstr("'%x[' should go on with the number of a row"));
  EXPECT_THAT(error_of("U:%x[+-1,0]"), HasSubstr("number of a row"));
  EXPECT_THAT(error_of("U:%x[1,]"), HasSubstr("'%x[1,' should go on with the number of a column"));
  EXPECT_THAT(error_of("U:%x[99999999999,0]"), HasSubstr("number of a row"));
  EXPECT_THAT(error_of("U:%x[65,0]"), HasSubstr("too far away"));
  EXPECT_THAT(error_of("U:100%"), HasSubstr("'%' must start %x[row,column]"));
  EXPECT_THAT(error_of("U:%y[0,0]"), HasSubstr("found '%y'"));
  EXPECT_THAT(error_of("u:%x[*7,0]"), HasSubstr("names column 7"));
  EXPECT_THAT(error_of("u:%t[0,0]"), HasSubstr("expected ',' before the pattern"));
  EXPECT_THAT(error_of("u:%t[0,0,x]"), HasSubstr("expected '\"' before the pattern"));
  EXPECT_THAT(error_of("u:%t[0,0,\"x]"), HasSubstr("no closing quote"));
  EXPECT_THAT(error_of("u:%t[0,0,\"x\""), HasSubstr("ends where ']' was expected"));
  EXPECT_THAT(error_of("\nu:%m[0,0,\"*\"]"), StartsWith("my.template:2: '*' in the pattern"));
  EXPECT_EQ(error_of("# nothing\n\n"), "my.template: the template has no U or B line");
}

TEST(TemplateParserTest, AnErrorWithOneColumnReadsWell) {
  const std::vector<size_t> one{0};
  const auto plan = parse_templates("U:%x[0,1]", "t", one);
  ASSERT_FALSE(plan.ok());
  EXPECT_THAT(plan.error().message, HasSubstr("there is only column 0"));
}

}  // namespace
}  // namespace espalier::data

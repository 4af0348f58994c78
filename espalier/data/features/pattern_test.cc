#include "espalier/data/features/pattern.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace espalier::data {
namespace {

using ::testing::HasSubstr;

/// What the expression matches in the text, or "no match".
std::string matched(std::string_view expression, std::string_view text) {
  const auto pattern = Pattern::compile(expression);
  if (!pattern.ok()) return pattern.error().message;
  const auto match = pattern->find(text);
  return match ? std::string(text.substr(match->begin, match->size)) : "no match";
}

TEST(PatternTest, MatchesTheExamplesOfTheWapitiManual) {
  EXPECT_EQ(matched("^.?.?.?.?", "Confidence"), "Conf");
  EXPECT_EQ(matched("^.?.?.?.?", "in"), "in");
  EXPECT_EQ(matched("^\\u\\u*$", "IBM"), "IBM");
  EXPECT_EQ(matched("^\\u\\u*$", "Ibm"), "no match");
}

TEST(PatternTest, FindsTheLeftmostMatch) {
  EXPECT_EQ(matched("a.", "xabac"), "ab");
  EXPECT_EQ(matched("\\d\\d", "a1b234"), "23");
  EXPECT_EQ(matched("", "abc"), "");
  EXPECT_EQ(matched("", ""), "");
  EXPECT_EQ(matched("x", ""), "no match");
}

TEST(PatternTest, OptionalTakesAndRepetitionLeaves) {
  EXPECT_EQ(matched("ab?", "abb"), "ab");
  EXPECT_EQ(matched("ab?b", "ab"), "ab");
  EXPECT_EQ(matched("ab*", "abbb"), "a");
  EXPECT_EQ(matched("ab*$", "abbb"), "abbb");
  EXPECT_EQ(matched("a.*c", "abcbc"), "abc");
  EXPECT_EQ(matched("-?\\d*$", "x-12"), "-12");
}

TEST(PatternTest, AnchorsCountOnlyAtTheEnds) {
  EXPECT_EQ(matched("^b", "ab"), "no match");
  EXPECT_EQ(matched("...$", "running"), "ing");
  EXPECT_EQ(matched("a^b", "a^b"), "a^b");
  EXPECT_EQ(matched("a$b", "a$b"), "a$b");
  EXPECT_EQ(matched("a\\$", "ab a$"), "a$");
  EXPECT_EQ(matched("^$", ""), "");
  EXPECT_EQ(matched("^$", "a"), "no match");
  EXPECT_EQ(matched("$", "abc"), "");
}

TEST(PatternTest, ClassesAndTheirComplements) {
  EXPECT_EQ(matched("\\p", "ab$"), "$");
  EXPECT_EQ(matched("\\p", "ab_"), "_");
  EXPECT_EQ(matched("\\P", ".-a"), "a");
  EXPECT_EQ(matched("\\a", "12c"), "c");
  EXPECT_EQ(matched("\\A", "ab1"), "1");
  EXPECT_EQ(matched("\\w\\W", "ab!"), "b!");
  EXPECT_EQ(matched("\\l\\u", "ABcDE"), "cD");
  EXPECT_EQ(matched("\\L", "ab3"), "3");
  EXPECT_EQ(matched("\\U", "ABc"), "c");
  EXPECT_EQ(matched("\\s", "a b"), " ");
  EXPECT_EQ(matched("\\S", " \tb"), "b");
  EXPECT_EQ(matched("\\D", "12x"), "x");
}

TEST(PatternTest, PlusAndEscapedSignsAreCharacters) {
  EXPECT_EQ(matched("a+", "aa+"), "a+");
  EXPECT_EQ(matched("\\.\\*\\?\\\\", "x.*?\\"), ".*?\\");
  EXPECT_EQ(matched("\\\"", "a\"b"), "\"");
}

TEST(PatternTest, CharactersAreCodePoints) {
  EXPECT_EQ(matched("^..", "Ελλάδα"), "Ελ");
  EXPECT_EQ(matched("..$", "Österå"), "rå");
  EXPECT_EQ(matched("^\\u\\l", "Čapek"), "Ča");
  EXPECT_EQ(matched("ø?k", "søk"), "øk");
  EXPECT_EQ(matched("\\d", "a٣"), "٣");
  EXPECT_EQ(matched(".\xFF", "a\xFF"), "a\xFF") << "bytes that are not UTF-8 are characters too";
}

TEST(PatternTest, ErrorsSayWhatIsWrong) {
  EXPECT_THAT(matched("*a", ""), HasSubstr("'*' in the pattern \"*a\" has no character before it"));
  EXPECT_THAT(matched("^?", ""), HasSubstr("'?' in the pattern"));
  EXPECT_THAT(matched("a**", ""), HasSubstr("write \\* for the character"));
  EXPECT_THAT(matched("ab\\", ""), HasSubstr("ends in a backslash"));
  EXPECT_THAT(matched(std::string(64, 'a'), ""), HasSubstr("at most 63"));
}

TEST(PatternTest, SeesBytesWhereItIsToldTo) {
  const auto found = [](std::string_view expression, std::string_view text) -> std::string {
    const auto match = Pattern::compile(expression, /*bytes=*/true)->find(text);
    return match ? std::string(text.substr(match->begin, match->size)) : "no match";
  };
  EXPECT_EQ(found(".$", "caf\u00e9"), "\xA9");  // half of the last character
  EXPECT_EQ(found("\\a*$", "caf\u00e9"), "");
  EXPECT_EQ(found("\\A\\A$", "caf\u00e9"), "\u00e9");
  EXPECT_EQ(found("\u00e9", "caf\u00e9"), "\u00e9");
  EXPECT_EQ(found("^\\u\\l*$", "Cafe"), "Cafe");
}

TEST(PatternTest, TakesLinearTimeOnExpressionsMadeToBacktrack) {
  std::string expression;
  for (int i = 0; i < 20; ++i) expression += "a*";
  const std::string text(20000, 'a');
  EXPECT_EQ(matched(expression + "b", text), "no match");
  EXPECT_EQ(matched(expression + "$", text).size(), text.size());
}

}  // namespace
}  // namespace espalier::data

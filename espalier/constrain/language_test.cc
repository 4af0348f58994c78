#include "espalier/constrain/language.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace espalier::constrain {
namespace {

using testing::HasSubstr;

Statement only(std::string_view text) {
  const auto parsed = parse_constraints(text, "file");
  EXPECT_TRUE(parsed.ok()) << (parsed.ok() ? "" : parsed.error().message);
  return parsed.ok() && parsed->size() == 1 ? (*parsed)[0] : Statement{};
}

std::string error_of(std::string_view text) {
  const auto parsed = parse_constraints(text, "file");
  return parsed.ok() ? "no error" : parsed.error().message;
}

TEST(Language, NamesPenaltiesAndComments) {
  const auto parsed =
      parse_constraints("# head\n\nscheme: valid iob2  # why\n  forbid A then B soft 2.5\n", "f");
  ASSERT_TRUE(parsed.ok());
  ASSERT_EQ(parsed->size(), 2u);
  EXPECT_EQ((*parsed)[0].name, "scheme");
  EXPECT_EQ((*parsed)[0].scheme, data::Scheme::kIob2);
  EXPECT_EQ((*parsed)[0].penalty, kHard);
  EXPECT_EQ((*parsed)[0].text, "valid iob2");
  EXPECT_EQ((*parsed)[1].name, "line 4");
  EXPECT_EQ((*parsed)[1].penalty, 2.5);
  EXPECT_EQ((*parsed)[1].place.column, 3u);
}

TEST(Language, EveryVerbIsUnderstood) {
  EXPECT_EQ(only("forbid {A, B} then C").verb, Verb::kForbidPair);
  EXPECT_EQ(only("forbid A at start").verb, Verb::kForbidStart);
  EXPECT_EQ(only("forbid A at end").verb, Verb::kForbidEnd);
  EXPECT_EQ(only("require A then B").verb, Verb::kRequireNext);
  EXPECT_EQ(only("require I-$ after {B-$ I-$}").verb, Verb::kRequireBefore);
  EXPECT_EQ(only("require A at start").verb, Verb::kRequireStart);
  EXPECT_EQ(only("require any at end").verb, Verb::kRequireEnd);
  EXPECT_EQ(only("no overlap").verb, Verb::kNoOverlap);
  EXPECT_EQ(only("no embedding of {A}").verb, Verb::kNoEmbedding);
  EXPECT_EQ(only("allow column 3 of {A}").verb, Verb::kAllowColumn);
  EXPECT_EQ(only("force column 2").column, "2");
  EXPECT_EQ(only("assignments \"legal list.txt\"").file, "legal list.txt");
  const Statement most = only("at most 2 of each {A, B}");
  EXPECT_TRUE(most.each && most.most == 2 && most.least == 0);
  const Statement least = only("at least 1 of A");
  EXPECT_TRUE(!least.each && least.most == kNoLimit && least.least == 1);
  const Statement exactly = only("exactly 3 of any");
  EXPECT_TRUE(exactly.most == 3 && exactly.least == 3 && exactly.first.any);
  EXPECT_EQ(only("if A then B").order, Order::kAnywhere);
  EXPECT_EQ(only("if A then B before").order, Order::kBefore);
  EXPECT_EQ(only("if A then {B} after soft 1").order, Order::kAfter);
  const Statement lexicon = only("allow lexicon words.tsv by sense of ARG*");
  EXPECT_EQ(lexicon.file, "words.tsv");
  EXPECT_EQ(lexicon.column, "sense");
}

TEST(Language, QuotesTakeEveryCharacter) {
  const Statement s = only(R"(forbid {"#", "a\"b", "B*"} then "$")");
  ASSERT_EQ(s.first.terms.size(), 3u);
  EXPECT_EQ(s.first.terms[0].text, "#");
  EXPECT_EQ(s.first.terms[1].text, "a\"b");
  EXPECT_TRUE(s.first.terms[2].literal);
  EXPECT_EQ(s.second.terms[0].text, "$");
}

TEST(Language, ErrorsNameLineAndColumn) {
  EXPECT_THAT(error_of("valid iob2\nforbid A than B\n"),
              HasSubstr("file:2:10: expected 'then' or 'at', found 'than'"));
  EXPECT_THAT(error_of("valit iob2"),
              HasSubstr("file:1:1: unknown constraint 'valit'; did you mean 'valid'?"));
  EXPECT_THAT(error_of("valid iob3"), HasSubstr("file:1:7: expected one of iob1"));
  EXPECT_THAT(error_of("at most x of A"), HasSubstr("file:1:9: expected a whole number"));
  EXPECT_THAT(error_of("at most 1 of"), HasSubstr("found the end of the line"));
  EXPECT_THAT(error_of("forbid {A, B then C"), HasSubstr("expected a label or '}'"));
  EXPECT_THAT(error_of("forbid {} then C"), HasSubstr("expected a label"));
  EXPECT_THAT(error_of("forbid \"A then C"), HasSubstr("file:1:8: this quotation mark"));
  EXPECT_THAT(error_of("no overlap soft -1"), HasSubstr("file:1:17: expected a penalty"));
  EXPECT_THAT(error_of("no overlap soft 1 2"), HasSubstr("expected the end of the line"));
  EXPECT_THAT(error_of("a: no overlap\na: no overlap"),
              HasSubstr("file:2:1: there is already a constraint named 'a'"));
  EXPECT_THAT(error_of("# nothing\n"), HasSubstr("the file has no constraints"));
  EXPECT_THAT(error_of("valid iob2\n\xff\n"), HasSubstr("file:2: byte 12"));
}

TEST(Language, NothingThatIsTypedBreaksTheParser) {
  // Every prefix of a valid file is either understood or refused with a place.
  const std::string text =
      "n: if {\"a\\\"\", B-*} then $ before soft 1.5\nat most 1 of each {A}\nallow lexicon \"x\" by 2 of any";
  for (size_t n = 0; n <= text.size(); ++n) {
    const auto parsed = parse_constraints(std::string_view(text).substr(0, n), "f");
    if (!parsed.ok()) {
      EXPECT_THAT(parsed.error().message, HasSubstr("f:"));
    }
  }
}

}  // namespace
}  // namespace espalier::constrain

#include "espalier/eval/span_errors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace espalier::eval {
namespace {

using data::Span;
using testing::ElementsAre;
using Kind = SpanErrorKind;

std::vector<Kind> kinds(const std::vector<Span>& gold, const std::vector<Span>& predicted) {
  std::vector<Kind> out;
  for (const SpanError& error : span_errors(gold, predicted)) out.push_back(error.kind);
  return out;
}

TEST(SpanErrors, EachKindIsWhatItsNameSays) {
  EXPECT_THAT(kinds({{0, 2, "A"}}, {{0, 2, "A"}}), ElementsAre());
  EXPECT_THAT(kinds({{0, 2, "A"}}, {{0, 1, "A"}}), ElementsAre(Kind::kBoundary));
  EXPECT_THAT(kinds({{0, 2, "A"}}, {{0, 2, "B"}}), ElementsAre(Kind::kType));
  EXPECT_THAT(kinds({{0, 2, "A"}}, {{1, 3, "B"}}), ElementsAre(Kind::kBoundaryAndType));
  EXPECT_THAT(kinds({{0, 2, "A"}}, {}), ElementsAre(Kind::kMissed));
  EXPECT_THAT(kinds({}, {{0, 2, "A"}}), ElementsAre(Kind::kInvented));
  EXPECT_THAT(kinds({{0, 2, "A"}}, {{2, 3, "A"}}), ElementsAre(Kind::kMissed, Kind::kInvented));
}

TEST(SpanErrors, EveryWrongSpanIsPartOfExactlyOne) {
  // One long prediction over two gold spans: it is matched with the longer one, the other is missed.
  const std::vector<Span> gold = {{0, 1, "A"}, {1, 4, "A"}, {6, 7, "B"}},
                          predicted = {{0, 4, "A"}, {6, 7, "B"}};
  const auto errors = span_errors(gold, predicted);
  ASSERT_EQ(errors.size(), 2u);
  EXPECT_EQ(errors[0].kind, Kind::kBoundary);
  EXPECT_EQ(errors[0].gold->first, 1u);
  EXPECT_EQ(errors[0].first(), 0u);
  EXPECT_EQ(errors[0].last(), 4u);
  EXPECT_EQ(errors[1].kind, Kind::kMissed);
  // Equal overlaps: the same type is matched.
  EXPECT_THAT(kinds({{0, 1, "A"}, {1, 2, "B"}}, {{0, 2, "B"}}), ElementsAre(Kind::kBoundary, Kind::kMissed));
}

TEST(SpanErrors, HaveNames) {
  for (const Kind kind : kSpanErrorKinds) EXPECT_FALSE(span_error_name(kind).empty());
  EXPECT_EQ(span_error_name(Kind::kMissed), "missed");
}

}  // namespace
}  // namespace espalier::eval

#include "espalier/constrain/label_pattern.h"

#include <gtest/gtest.h>

namespace espalier::constrain {
namespace {

bool matches(std::string_view pattern, std::string_view text) {
  return constrain::matches(pattern, text, nullptr, nullptr);
}

TEST(LabelPattern, StarMatchesAnyText) {
  EXPECT_TRUE(matches("B-*", "B-NP"));
  EXPECT_TRUE(matches("B-*", "B-"));
  EXPECT_TRUE(matches("*-N*", "B-NP"));
  EXPECT_FALSE(matches("B-*", "I-NP"));
  EXPECT_TRUE(matches("O", "O"));
  EXPECT_FALSE(matches("O", "OO"));
  EXPECT_FALSE(matches("OO", "O"));
}

TEST(LabelPattern, TimeDoesNotExplodeWithTheNumberOfStars) {
  const std::string many(3000, '*');
  EXPECT_TRUE(matches("B" + many + "P", "B-NP"));
  EXPECT_FALSE(matches("B" + many + "X", "B-NP"));
  std::string mixed;
  for (int i = 0; i < 3000; ++i) mixed += "*a";
  EXPECT_FALSE(matches(mixed, std::string(60, 'a')));
  EXPECT_FALSE(matches(mixed + "$", std::string(60, 'a') + "b"));
  mixed.clear();
  for (int i = 0; i < 20; ++i) mixed += "*a";
  EXPECT_FALSE(matches(mixed + "*b", std::string(60, 'a')));
  EXPECT_TRUE(matches(mixed + "*b", std::string(60, 'a') + "b"));
  std::string captured;
  EXPECT_TRUE(constrain::matches("*-$*", "B-NP", nullptr, &captured));
  EXPECT_EQ(captured, "N");
  EXPECT_TRUE(constrain::matches("*P$x$", "NPaPQxQ", nullptr, &captured));
  EXPECT_EQ(captured, "Q");
}

TEST(LabelPattern, PlaceholderCapturesAndThenBinds) {
  std::string captured;
  EXPECT_TRUE(constrain::matches("B-$", "B-NP", nullptr, &captured));
  EXPECT_EQ(captured, "NP");
  EXPECT_TRUE(constrain::matches("I-$", "I-NP", &captured, nullptr));
  EXPECT_FALSE(constrain::matches("I-$", "I-VP", &captured, nullptr));
  EXPECT_FALSE(constrain::matches("B-$", "B-", nullptr, &captured)) << "it stands for one character at least";
  // The same text wherever it occurs.
  EXPECT_TRUE(constrain::matches("$-$", "ab-ab", nullptr, &captured));
  EXPECT_EQ(captured, "ab");
  EXPECT_FALSE(constrain::matches("$-$", "ab-ac", nullptr, &captured));
}

}  // namespace
}  // namespace espalier::constrain

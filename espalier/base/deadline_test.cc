#include "espalier/base/deadline.h"

#include <gtest/gtest.h>

#include <cmath>

namespace espalier {
namespace {

TEST(DeadlineTest, ADefaultOneNeverPasses) {
  EXPECT_FALSE(Deadline().passed());
  EXPECT_TRUE(std::isinf(Deadline().left()));
  EXPECT_FALSE(Deadline::after(1e300).passed());
  EXPECT_FALSE(Deadline().share(0.5).passed());
  EXPECT_TRUE(std::isinf(Deadline().at_least(1).left()));
}

TEST(DeadlineTest, PassesWhenItsTimeHasCome) {
  EXPECT_TRUE(Deadline::after(0).passed());
  EXPECT_TRUE(Deadline::after(-3).passed());
  EXPECT_EQ(Deadline::after(0).left(), 0);
  const Deadline later = Deadline::after(1000);
  EXPECT_FALSE(later.passed());
  EXPECT_LE(later.left(), 1000);
  EXPECT_GT(later.left(), 900);
}

TEST(DeadlineTest, SharesAndExtends) {
  const Deadline later = Deadline::after(1000);
  EXPECT_LE(later.share(0.25).left(), 250);
  EXPECT_GT(later.share(0.25).left(), 200);
  EXPECT_GT(later.at_least(5000).left(), 4000);
  EXPECT_LE(later.at_least(5).left(), 1000);
  EXPECT_GT(later.at_least(5).left(), 900);
}

}  // namespace
}  // namespace espalier

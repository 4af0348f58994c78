#include "espalier/base/layout.h"

#include <gtest/gtest.h>

namespace espalier {
namespace {

TEST(Layout, WidthCountsCharactersNotBytes) {
  EXPECT_EQ(display_width("naïve"), 5u);
  EXPECT_EQ(display_width("nai\xCC\x88ve"), 5u);  // a combining diaeresis
  EXPECT_EQ(pad_right("é", 3), "é  ");
  EXPECT_EQ(pad_left("é", 3), "  é");
  EXPECT_EQ(pad_left("long", 3), "long");
}

TEST(Layout, CutTextFitsAndShowsThatItWasCut) {
  EXPECT_EQ(cut("short", 5), "short");
  EXPECT_EQ(cut("longer", 5), "long…");
  EXPECT_EQ(cut("éééé", 3), "éé…");
  EXPECT_EQ(cut("x", 0), "");
}

}  // namespace
}  // namespace espalier

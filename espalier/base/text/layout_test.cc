#include "espalier/base/text/layout.h"
#include "espalier/base/text/counted.h"

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

TEST(Counted, NounsAreSingularOnlyForOne) {
  EXPECT_EQ(counted(0, "label"), "0 labels");
  EXPECT_EQ(counted(1, "label"), "1 label");
  EXPECT_EQ(counted(1234567, "label"), "1,234,567 labels");
}

TEST(Layout, CutTextFitsAndShowsThatItWasCut) {
  EXPECT_EQ(cut("short", 5), "short");
  EXPECT_EQ(cut("longer", 5), "long…");
  EXPECT_EQ(cut("éééé", 3), "éé…");
  EXPECT_EQ(cut("x", 0), "");
}

}  // namespace
}  // namespace espalier

#include "espalier/base/text/format.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace espalier {
namespace {

TEST(Format, AppendsAfterWhatIsThere) {
  std::string out = "one ";
  append_format(out, "{:>4}|{:.2f}", "two", 3.0);
  EXPECT_EQ(out, "one  two|3.00");
}

TEST(Format, JoinsTextsAndNumbers) {
  EXPECT_EQ(joined(std::vector<std::string>{"a", "b", "c"}, ", "), "a, b, c");
  EXPECT_EQ(joined(std::array<std::string_view, 2>{"a", "b"}, ""), "ab");
  EXPECT_EQ(joined(std::vector<int>{4, -1}, " or "), "4 or -1");
  EXPECT_EQ(joined(std::vector<double>{0.5, 2}, ","), "0.5,2");
  EXPECT_EQ(joined(std::vector<std::string>{}, ", "), "");
}

}  // namespace
}  // namespace espalier

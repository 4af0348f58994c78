#include "espalier/base/text/text_buffer.h"

#include <gtest/gtest.h>

#include <string>

namespace espalier {
namespace {

TEST(TextBuffer, HoldsWhatAStringWouldHold) {
  std::string source, expected;
  for (int i = 0; i < 300; ++i) source += static_cast<char>('!' + i % 90);
  TextBuffer buffer;
  EXPECT_EQ(buffer.view(), "");
  for (size_t round = 0; round < 20; ++round)
    for (size_t n = 0; n < 80; ++n) {
      const std::string_view piece = std::string_view(source).substr(round + n, n);
      buffer.append(piece);
      buffer.append('\n');
      expected += piece;
      expected += '\n';
      ASSERT_EQ(buffer.size(), expected.size());
    }
  EXPECT_EQ(buffer.view(), expected);
  EXPECT_TRUE(buffer.holds(buffer.view().substr(7, 2)));
  EXPECT_FALSE(buffer.holds(expected));
  buffer.clear();
  buffer.append("again");
  EXPECT_EQ(buffer.view(), "again");
  TextBuffer moved = std::move(buffer);
  buffer = TextBuffer();
  buffer.append("other");
  EXPECT_EQ(moved.view(), "again");
  TextBuffer copy = moved;
  copy.append(" and again");
  EXPECT_EQ(moved.view(), "again");
  moved = copy;
  EXPECT_EQ(moved.view(), "again and again");
  EXPECT_EQ(buffer.view(), "other");
}

TEST(TextBuffer, ShortCopiesTouchNothingElse) {
  const std::string source(64, 'x');
  for (size_t n = 0; n <= 64; ++n) {
    std::string target(66, '.');
    copy_short(target.data() + 1, source.data(), n);
    EXPECT_EQ(target, "." + source.substr(0, n) + std::string(65 - n, '.'));
  }
}

}  // namespace
}  // namespace espalier

#include "server/json_out.h"

#include <gtest/gtest.h>

#include <limits>

namespace espalier::server {
namespace {

std::string quoted(std::string_view text) {
  std::string out;
  append_json_string(text, out);
  return out;
}

TEST(JsonOut, EscapesWhatJsonCannotHold) {
  EXPECT_EQ(quoted("cat"), "\"cat\"");
  EXPECT_EQ(quoted("a\"b\\c\n\t\r"), R"("a\"b\\c\n\t\r")");
  EXPECT_EQ(quoted(std::string_view("\0\x01\x1F", 3)), R"("\u0000\u0001\u001f")");
  EXPECT_EQ(quoted("Zo\xC3\xAB \xF0\x9F\x98\x80"), "\"Zo\xC3\xAB \xF0\x9F\x98\x80\"");
}

TEST(JsonOut, BytesThatAreNotUtf8BecomeReplacements) {
  EXPECT_EQ(quoted("a\xFFz"), "\"a\xEF\xBF\xBDz\"");
  EXPECT_EQ(quoted("\xC3\xAB\xC3"), "\"\xC3\xAB\xEF\xBF\xBD\"");
  EXPECT_EQ(quoted("\xED\xA0\x80"), "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"");  // half a surrogate pair
}

TEST(JsonOut, NumbersThatAreNotFiniteAreNull) {
  std::string out;
  append_json_number(0.5, out);
  out += ' ';
  append_json_number(std::numeric_limits<double>::quiet_NaN(), out);
  out += ' ';
  append_json_number(-std::numeric_limits<float>::infinity(), out);
  EXPECT_EQ(out, "0.5 null null");
}

}  // namespace
}  // namespace espalier::server

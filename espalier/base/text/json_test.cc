#include "espalier/base/text/json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace espalier {
namespace {

TEST(JsonText, KeepsTheOrderOfKeys) {
  EXPECT_EQ(json_text(parse_json(R"({"z": 1, "a": [true, null]})")), R"({"z":1,"a":[true,null]})");
  EXPECT_EQ(json_text({{"b", 1}}, 1), "{\n \"b\": 1\n}");
}

TEST(JsonText, ReplacesWhatIsNotUtf8) { EXPECT_EQ(json_text(Json("a\xFF")), "\"a\xEF\xBF\xBD\""); }

TEST(JsonText, SaysWhereTextIsNotJson) {
  EXPECT_TRUE(try_parse_json("{\"a\": }").is_discarded());
  EXPECT_TRUE(try_parse_json("").is_discarded());
  EXPECT_TRUE(is_json("[1, 2]"));
  EXPECT_FALSE(is_json("[1, 2"));
  try {
    parse_json("[1, x]");
    FAIL() << "a broken text was read";
  } catch (const Json::parse_error& error) {
    EXPECT_EQ(error.byte, 5U);
  }
}

TEST(JsonText, FindsWholeNumbersThatParsingWouldChange) {
  EXPECT_EQ(oversized_integer(R"({"a": [1, -2.5e7], "b": "123456789012345678901234567890"})"), "");
  EXPECT_EQ(oversized_integer("[18446744073709551615, -9223372036854775808]"), "");
  EXPECT_EQ(oversized_integer("[18446744073709551616]"), "18446744073709551616");
  EXPECT_EQ(oversized_integer("{\"a\\\"1\":-9223372036854775809}"), "-9223372036854775809");
  EXPECT_EQ(oversized_integer("[1234567890123456789012.5, 1e30]"), "");
}

TEST(JsonText, GivesTheTextOfAMember) {
  constexpr std::string_view kText = R"( {"a": 1, "b\"c" : [ {"a": 2}, "}" ] , "d":"x,\"a\": 3", "a" : 4 })";
  EXPECT_EQ(json_member(kText, "a"), "4");  // the last one counts, as it does for the parser
  EXPECT_EQ(json_member(kText, "b\"c"), R"([ {"a": 2}, "}" ])");
  EXPECT_EQ(json_member(kText, "d"), R"("x,\"a\": 3")");
  EXPECT_EQ(json_member(kText, "e"), "");
  EXPECT_EQ(json_member("{}", "a"), "");
}

}  // namespace
}  // namespace espalier

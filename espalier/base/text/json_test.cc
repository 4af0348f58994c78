#include "espalier/base/text/json.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "espalier/base/text/json_as.h"

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

template <typename T>
std::string problem_of(const char* text) {
  try {
    return "read as " + json_text(Json(json_as<T>(parse_json(text))));
  } catch (const Json::exception& problem) {
    return std::string(json_problem(problem));
  }
}

TEST(JsonAs, TakesWholeNumbersThatFitAndNothingElse) {
  EXPECT_EQ(json_as<size_t>(parse_json("18446744073709551615")), UINT64_MAX);
  EXPECT_EQ(json_as<int>(parse_json("-7")), -7);
  EXPECT_EQ(json_as<int64_t>(parse_json("-9223372036854775808")), INT64_MIN);
  EXPECT_EQ(json_as<size_t>(parse_json("3.0")), 3U);
  EXPECT_EQ(json_as<bool>(parse_json("true")), true);
  EXPECT_EQ(json_as<std::vector<size_t>>(parse_json("[1, 2]")), (std::vector<size_t>{1, 2}));
  EXPECT_EQ(problem_of<size_t>("-1"), "expected a whole number from 0 to 18446744073709551615, but found -1");
  EXPECT_EQ(problem_of<uint16_t>("65536"), "expected a whole number from 0 to 65535, but found 65536");
  EXPECT_EQ(problem_of<int>("2147483648"),
            "expected a whole number from -2147483648 to 2147483647, but found 2147483648");
  for (const char* text : {"2.7", "1e60", "-1e60", "\"3\"", "null", "true", "[3]"}) {
    EXPECT_NE(problem_of<size_t>(text).find("but found"), std::string::npos) << text;
    EXPECT_NE(problem_of<int>(text).find("but found"), std::string::npos) << text;
  }
  EXPECT_NE(problem_of<std::vector<size_t>>("[1, -2]").find("but found -2"), std::string::npos);
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

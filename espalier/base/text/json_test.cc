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

}  // namespace
}  // namespace espalier

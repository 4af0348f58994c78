#include "espalier/base/text/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "espalier/base/random.h"

namespace espalier {
namespace {

using namespace std::string_view_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// UTF-8 by the definition of the encoding, for any number up to 21 bits.
std::string encode(uint32_t c) {
  std::string s;
  if (c < 0x80) {
    s += static_cast<char>(c);
  } else if (c < 0x800) {
    s += static_cast<char>(0xC0 | (c >> 6));
    s += static_cast<char>(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    s += static_cast<char>(0xE0 | (c >> 12));
    s += static_cast<char>(0x80 | ((c >> 6) & 0x3F));
    s += static_cast<char>(0x80 | (c & 0x3F));
  } else {
    s += static_cast<char>(0xF0 | (c >> 18));
    s += static_cast<char>(0x80 | ((c >> 12) & 0x3F));
    s += static_cast<char>(0x80 | ((c >> 6) & 0x3F));
    s += static_cast<char>(0x80 | (c & 0x3F));
  }
  return s;
}

bool is_scalar_value(uint32_t c) { return c <= 0x10FFFF && !(c >= 0xD800 && c <= 0xDFFF); }

// Bytes in which valid and broken sequences of every kind are frequent.
std::string random_bytes(Random& random, size_t size) {
  static constexpr std::string_view kBytes =
      "abcXYZ09 -\x80\x82\x9F\xA9\xAC\xBF\xC0\xC3\xDF\xE2\xE2\xED\xEF\xF0\xF4\xF5\xFF";
  std::string s;
  while (s.size() < size) {
    if (random.below(4) == 0) {
      s += encode(static_cast<uint32_t>(random.below(0x10000)));
    } else {
      s += kBytes[random.below(kBytes.size())];
    }
  }
  return s;
}

std::string lower(std::string_view text) {
  std::string out = "left over";
  to_lower(text, out);
  return out;
}
std::string shape_of(std::string_view word) {
  std::string out = "left over";
  shape(word, out);
  return out;
}
std::string short_shape_of(std::string_view word) {
  std::string out = "left over";
  short_shape(word, out);
  return out;
}

TEST(Text, DecodesEveryCodePointAndNothingElse) {
  for (uint32_t c = 0; c < 0x200000; ++c) {
    const std::string s = encode(c);
    const CodePoint decoded = code_point_at(s, 0);
    ASSERT_EQ(valid_utf8(s), is_scalar_value(c)) << c;
    if (is_scalar_value(c)) {
      ASSERT_EQ(static_cast<uint32_t>(decoded.value), c);
      ASSERT_EQ(decoded.size, s.size());
    } else {
      ASSERT_EQ(decoded.value, kInvalidCodePoint) << c;
      ASSERT_EQ(decoded.size, 1u);
    }
  }
}

TEST(Text, SaysWhereUtf8Breaks) {
  const auto bad_at = [](std::string_view text) {
    size_t offset = 999;
    EXPECT_FALSE(valid_utf8(text, &offset));
    return offset;
  };
  size_t offset = 999;
  EXPECT_TRUE(valid_utf8("", &offset));
  EXPECT_TRUE(valid_utf8("plain ASCII, longer than eight bytes", &offset));
  EXPECT_TRUE(valid_utf8("Zürich — 東京 😀", &offset));
  EXPECT_EQ(offset, 999u) << "untouched where all is well";
  EXPECT_EQ(bad_at("\x80"), 0u);
  EXPECT_EQ(bad_at("abcdefghijk\xFF"), 11u);
  EXPECT_EQ(bad_at("é\xC3"), 2u);
  EXPECT_EQ(bad_at("12345678é\xE2\x82x"), 10u) << "a sequence that ends too early";
  EXPECT_EQ(bad_at("a\xC0\xAF"), 1u) << "an overlong slash";
  EXPECT_EQ(bad_at("\xE0\x80\xAF"), 0u);
  EXPECT_EQ(bad_at("\xF0\x80\x80\xAF"), 0u);
}

TEST(Text, ABadByteIsFoundAtEveryPlaceInAWord) {
  for (size_t size = 1; size < 40; ++size) {
    for (size_t at = 0; at < size; ++at) {
      std::string s(size, 'a');
      s[at] = '\x80';
      size_t offset = 999;
      EXPECT_FALSE(valid_utf8(s, &offset));
      EXPECT_EQ(offset, at);
    }
    EXPECT_TRUE(valid_utf8(std::string(size, '\x7f')));
  }
}

TEST(Text, IteratesOverCodePoints) {
  std::vector<char32_t> values;
  for (const CodePoint& c : CodePoints("aé\xFF東😀")) values.push_back(c.value);
  EXPECT_THAT(values, ElementsAre(U'a', U'é', kInvalidCodePoint, U'東', U'😀'));
  for (const CodePoint& c : CodePoints("")) FAIL() << static_cast<uint32_t>(c.value);
}

TEST(Text, LowersLetters) {
  EXPECT_EQ(lower(""), "");
  EXPECT_EQ(lower("McDonald's-97 @[`{ LONGER THAN A WORD"), "mcdonald's-97 @[`{ longer than a word");
  EXPECT_EQ(lower("ÀÉÎ ŁÓDŹ ΑΘΗΝΑ МОСКВА straße"), "àéî łódź αθηνα москва straße");
  EXPECT_EQ(lower("ABCDEFGHIJÄKLM"), "abcdefghijäklm");
  EXPECT_EQ(lower("ẞ"), "ß") << "shorter in lower case";
  EXPECT_EQ(lower("Ⱥ"), "ⱥ") << "longer in lower case";
  EXPECT_EQ(lower("東京"), "東京");
  EXPECT_EQ(lower("A\xFF\xC3Z"), "a\xFF\xC3z") << "bytes that are not UTF-8 stay";
}

TEST(Text, LowersAsciiAsTheByteWiseLoopDoes) {
  Random random(3);
  for (int round = 0; round < 2000; ++round) {
    std::string s, expected;
    for (uint64_t n = random.below(40); n > 0; --n) s += static_cast<char>(random.below(128));
    for (const char c : s) expected += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    ASSERT_EQ(lower(s), expected);
  }
}

TEST(Text, ConvertsLatin1) {
  std::string all, out = "left over";
  for (int c = 0; c < 256; ++c) all += static_cast<char>(c);
  latin1_to_utf8(all, out);
  EXPECT_TRUE(valid_utf8(out));
  uint32_t expected = 0;
  for (const CodePoint& c : CodePoints(out)) EXPECT_EQ(static_cast<uint32_t>(c.value), expected++);
  EXPECT_EQ(expected, 256u);
  latin1_to_utf8("Z\xFCrich, plain text and caf\xE9", out);
  EXPECT_EQ(out, "Zürich, plain text and café");
}

TEST(Text, TellsCharacterClassesApart) {
  EXPECT_EQ(char_class(U'A'), CharClass::kUpper);
  EXPECT_EQ(char_class(U'Ж'), CharClass::kUpper);
  EXPECT_EQ(char_class(U'ǅ'), CharClass::kTitle);
  EXPECT_EQ(char_class(U'z'), CharClass::kLower);
  EXPECT_EQ(char_class(U'ß'), CharClass::kLower);
  EXPECT_EQ(char_class(U'東'), CharClass::kLetterOther);
  EXPECT_EQ(char_class(U'\u0301'), CharClass::kMark);
  EXPECT_EQ(char_class(U'7'), CharClass::kDigit);
  EXPECT_EQ(char_class(U'٣'), CharClass::kDigit);
  EXPECT_EQ(char_class(U'½'), CharClass::kNumberOther);
  EXPECT_EQ(char_class(U'!'), CharClass::kPunctuation);
  EXPECT_EQ(char_class(U'»'), CharClass::kPunctuation);
  EXPECT_EQ(char_class(U'$'), CharClass::kSymbol);
  EXPECT_EQ(char_class(U'😀'), CharClass::kSymbol);
  for (const char32_t c : {U' ', U'\t', U'\n', U'\r', U'\u0085', U'\u00A0', U'\u3000'})
    EXPECT_EQ(char_class(c), CharClass::kSpace) << static_cast<uint32_t>(c);
  EXPECT_EQ(char_class(U'\0'), CharClass::kOther);
  EXPECT_EQ(char_class(U'\x7f'), CharClass::kOther);
  EXPECT_EQ(char_class(kInvalidCodePoint), CharClass::kInvalid);
  EXPECT_EQ(char_class(0x110000), CharClass::kInvalid);
}

TEST(Text, DrawsTheShapeOfAWord) {
  EXPECT_EQ(shape_of("McDonald's-97"), "XxXxxxxx'x-dd");
  EXPECT_EQ(shape_of(""), "");
  EXPECT_EQ(shape_of("Łódź²"), "Xxxxd");
  EXPECT_EQ(shape_of("東京2020年"), "ooddddo");
  EXPECT_EQ(shape_of("$1,000—£"), "$d,ddd—£");
  EXPECT_EQ(shape_of("caf\u0065\u0301"), shape_of("caf\u00e9")) << "decomposed as composed";
  EXPECT_EQ(shape_of("a\xFF"), "x\xFF");
}

TEST(Text, CollapsesRunsInTheShortShape) {
  EXPECT_EQ(short_shape_of("McDonald's-97"), "XxXx'x-d");
  EXPECT_EQ(short_shape_of(""), "");
  EXPECT_EQ(short_shape_of("U.S.A..."), "X.X.X.");
  EXPECT_EQ(short_shape_of("——a"), "—x");
  EXPECT_EQ(short_shape_of("1,000,000"), "d,d,d");
  EXPECT_EQ(short_shape_of("aéb"), "x");
  // One symbol may be the last byte of another.
  EXPECT_EQ(short_shape_of("—\x94"), "—\x94");
}

TEST(Text, MeasuresPrefixesAndSuffixesInCodePoints) {
  EXPECT_EQ(prefix_bytes("Zürich", 2), 3u);
  EXPECT_EQ(suffix_bytes("Zürich", 4), 4u);
  EXPECT_EQ(suffix_bytes("Zürich", 5), 6u);
  EXPECT_EQ(prefix_bytes("東京", 1), 3u);
  EXPECT_EQ(suffix_bytes("a😀", 1), 4u);
  EXPECT_EQ(prefix_bytes("Zürich", 6), 7u);
  EXPECT_EQ(suffix_bytes("Zürich", 6), 7u);
  EXPECT_EQ(prefix_bytes("Zürich", 7), kNoSuchLength);
  EXPECT_EQ(suffix_bytes("Zürich", 7), kNoSuchLength);
  EXPECT_EQ(prefix_bytes("", 0), 0u);
  EXPECT_EQ(suffix_bytes("", 0), 0u);
  EXPECT_EQ(suffix_bytes("", 1), kNoSuchLength);
}

TEST(Text, PrefixAndSuffixMeetOnAnyBytes) {
  Random random(11);
  for (int round = 0; round < 20'000; ++round) {
    const std::string s = random_bytes(random, random.below(12));
    size_t length = 0;
    for ([[maybe_unused]] const CodePoint& c : CodePoints(s)) ++length;
    for (size_t n = 0; n <= length; ++n)
      ASSERT_EQ(prefix_bytes(s, n) + suffix_bytes(s, length - n), s.size()) << ::testing::PrintToString(s);
    ASSERT_EQ(prefix_bytes(s, length + 1), kNoSuchLength);
    ASSERT_EQ(suffix_bytes(s, length + 1), kNoSuchLength);
  }
}

TEST(Text, ParsesNumbers) {
  EXPECT_EQ(*parse_number("3"), 3.0);
  EXPECT_EQ(*parse_number("-0.5"), -0.5);
  EXPECT_EQ(*parse_number("+1e-3"), 1e-3);
  EXPECT_EQ(*parse_number(".25"), 0.25);
  EXPECT_EQ(*parse_number("1."), 1.0);
  EXPECT_EQ(*parse_number("0.1"), 0.1) << "to the last bit";
  EXPECT_EQ(*parse_number("1.7976931348623157e308"), 1.7976931348623157e308);
}

TEST(Text, RefusesWhatIsNoFiniteNumber) {
  for (const std::string_view text : {""sv, "+"sv, "-"sv, "+-1"sv, "++1"sv, "abc"sv, "1x"sv, " 1"sv, "1 "sv,
                                      "1,5"sv, "0x10"sv, "."sv, "1e"sv, "1\0"sv}) {
    const auto number = parse_number(text);
    ASSERT_FALSE(number.ok()) << text;
    EXPECT_EQ(number.error().message, fmt::format("'{}' is not a number", text));
  }
  for (const std::string_view text : {"nan", "NaN", "-nan", "inf", "+inf", "-Infinity", "INF"}) {
    const auto number = parse_number(text);
    ASSERT_FALSE(number.ok()) << text;
    EXPECT_EQ(number.error().message, fmt::format("'{}' is not a finite number", text));
  }
  EXPECT_THAT(parse_number("1e999").error().message, HasSubstr("'1e999' is beyond the range"));
  EXPECT_THAT(parse_number("-1e999").error().message, HasSubstr("beyond the range"));
}

TEST(Text, SuggestsTheNearestName) {
  const std::vector<std::string> learners = {"crf",  "perceptron", "svm",     "searn",
                                             "laso", "laso-br",    "laso-bst"};
  const auto meant = [&](std::string_view wanted) { return nearest(wanted, learners); };
  EXPECT_EQ(meant("crf"), "crf");
  EXPECT_EQ(meant("cfr"), "crf") << "a swap is one slip";
  EXPECT_EQ(meant("CRF"), "crf");
  EXPECT_EQ(meant("perceptorn"), "perceptron");
  EXPECT_EQ(meant("percep"), "perceptron") << "the start of a name";
  EXPECT_EQ(meant("laso-bs"), "laso-br") << "ties go to the first";
  EXPECT_EQ(meant("lasso"), "laso");
  EXPECT_EQ(meant("seran"), "searn");
  EXPECT_EQ(meant("transformer"), "");
  EXPECT_EQ(meant("x"), "");
  EXPECT_EQ(meant(""), "");
  EXPECT_EQ(nearest("x", std::span<const std::string>()), "");
  const std::array<std::string_view, 2> views = {"alpha", "beta"};
  EXPECT_EQ(nearest("bata", views), "beta");
}

}  // namespace
}  // namespace espalier

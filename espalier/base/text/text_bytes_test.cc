#include "espalier/base/text/text_bytes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "espalier/base/random.h"

namespace espalier {
namespace {

// Texts are at the end of their memory, so that sanitizers see a look beyond them.
TEST(TextBytes, PlainAsciiIsWhatNoByteContradicts) {
  for (size_t n = 0; n <= 40; ++n)
    for (int byte = 0; byte < 256; ++byte)
      for (size_t at = 0; at < n; ++at) {
        std::string text(n, 'x');
        text.shrink_to_fit();
        EXPECT_TRUE(is_plain_ascii(text));
        text[at] = static_cast<char>(byte);
        EXPECT_EQ(is_plain_ascii(text), byte > 0 && byte < 128) << n << " bytes, " << byte << " at " << at;
      }
  EXPECT_TRUE(is_plain_ascii({}));
}

TEST(TextBytes, PlacesAreThoseOfEveryByte) {
  Random random(3);
  for (size_t n = 0; n <= 64; ++n)
    for (size_t round = 0; round < 50; ++round) {
      std::string text;
      for (size_t i = 0; i < n; ++i)
        text +=
            random.below(3) == 0 ? " \t\0!\xA0\x89"[random.below(6)] : static_cast<char>(random.below(256));
      uint64_t expected = 0;
      for (size_t i = 0; i < n; ++i) expected |= uint64_t{text[i] == ' ' || text[i] == '\t'} << i;
      EXPECT_EQ(places_of(text, ' ', '\t'), expected) << n << " bytes";
      EXPECT_EQ(places_of(text, '\t', '\t') & ~expected, 0u);
    }
}

}  // namespace
}  // namespace espalier

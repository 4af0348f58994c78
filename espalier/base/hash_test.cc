#include "espalier/base/hash.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <string>
#include <unordered_set>
#include <vector>

#include "espalier/base/random.h"

namespace espalier {
namespace {

TEST(Hash, IsTheSameOnEveryMachine) {
  // Model files hold hashes of features: these values are part of the format.
  EXPECT_EQ(hash_bytes(""), 0x2D06800538D394C2ull);
  EXPECT_EQ(hash_bytes("", 1), 0x4DC5B0CC826F6703ull);
  EXPECT_EQ(hash_combine(1, 2), 0xEDE26BBDEC1829B5ull);
}

TEST(Hash, OfShortTextIsThatOfTheLibrary) {
  Random random(5);
  for (size_t n = 0; n < 40; ++n)
    for (size_t round = 0; round < 50; ++round) {
      std::string text;
      while (text.size() < n) text += static_cast<char>(random.below(256));
      EXPECT_EQ(hash_bytes(text), XXH3_64bits(text.data(), n)) << n << " bytes";
      EXPECT_EQ(hash_bytes(text, 7), XXH3_64bits_withSeed(text.data(), n, 7)) << n << " bytes";
    }
}

TEST(Hash, SeesEveryByteTheLengthAndTheSeed) {
  EXPECT_EQ(hash_bytes("word"), hash_bytes(std::string("word")));
  EXPECT_NE(hash_bytes("word"), hash_bytes("worD"));
  EXPECT_NE(hash_bytes("word"), hash_bytes(std::string("word\0", 5)));
  EXPECT_NE(hash_bytes("word"), hash_bytes("word", 1));
}

TEST(HashCombine, OrderMatters) {
  EXPECT_NE(hash_combine(1, 2), hash_combine(2, 1));
  EXPECT_NE(hash_combine(hash_combine(0, 1), 2), hash_combine(hash_combine(0, 2), 1));
}

TEST(HashCombine, SmallNumbersDoNotCollide) {
  std::unordered_set<uint64_t> seen;
  for (uint64_t a = 0; a < 1000; ++a)
    for (uint64_t b = 0; b < 1000; ++b) seen.insert(hash_combine(a, b));
  EXPECT_EQ(seen.size(), 1'000'000u);
}

TEST(HashCombine, EveryInputBitReachesManyOutputBits) {
  Random random(1);
  for (int bit = 0; bit < 64; ++bit) {
    double of_hash = 0, of_value = 0;
    const int rounds = 400;
    for (int i = 0; i < rounds; ++i) {
      const uint64_t hash = random.next(), value = random.next(), flip = uint64_t{1} << bit;
      of_hash += std::popcount(hash_combine(hash, value) ^ hash_combine(hash ^ flip, value));
      of_value += std::popcount(hash_combine(hash, value) ^ hash_combine(hash, value ^ flip));
    }
    EXPECT_NEAR(of_hash / rounds, 32, 4) << bit;
    EXPECT_NEAR(of_value / rounds, 32, 4) << bit;
  }
}

}  // namespace
}  // namespace espalier

// The hash function of the project: xxHash for bytes, hash_combine to add a value to a hash. Hashes are
// stored in model files, so these functions must never change.
#pragma once

#include <xxhash.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace espalier {

namespace detail {

/// The halves of the 128-bit product, folded together.
inline uint64_t folded_product(uint64_t a, uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

template <typename Word>
uint64_t hashed_word(const char* from) {
  static_assert(std::endian::native == std::endian::little,
                "XXH3 reads words whose first byte is the lowest");
  Word word;
  std::memcpy(&word, from, sizeof(Word));
  return word;
}

/// XXH3 with seed 0 of 1 to 16 bytes, as most words and tags have: without a call. The constants that bytes
/// are combined with come from the library's secret.
inline uint64_t short_hash(const char* text, size_t n) {
  if (n > 8) {
    const uint64_t low = hashed_word<uint64_t>(text) ^ 0x6782737BEA4239B9ull,
                   high = hashed_word<uint64_t>(text + n - 8) ^ 0xAF56BC3B0996523Aull;
    uint64_t hash = n + __builtin_bswap64(low) + high + folded_product(low, high);
    hash = (hash ^ hash >> 37) * 0x165667919E3779F9ull;
    return hash ^ hash >> 32;
  }
  if (n >= 4) {
    uint64_t hash =
        (hashed_word<uint32_t>(text + n - 4) + (hashed_word<uint32_t>(text) << 32)) ^ 0xC73AB174C5ECD5A2ull;
    hash ^= std::rotl(hash, 49) ^ std::rotl(hash, 24);
    hash *= 0x9FB21C651E98DF25ull;
    hash = (hash ^ ((hash >> 35) + n)) * 0x9FB21C651E98DF25ull;
    return hash ^ hash >> 28;
  }
  const auto byte = [&](size_t i) { return uint64_t{static_cast<unsigned char>(text[i])}; };
  uint64_t hash = (byte(0) << 16 | byte(n / 2) << 24 | byte(n - 1) | n << 8) ^ 0x87275A9Bull;
  hash = (hash ^ hash >> 33) * 0xC2B2AE3D27D4EB4Full;
  hash = (hash ^ hash >> 29) * 0x165667B19E3779F9ull;
  return hash ^ hash >> 32;
}

}  // namespace detail

inline uint64_t hash_bytes(std::string_view bytes, uint64_t seed = 0) {
  if (seed == 0 && bytes.size() - 1 < 16) return detail::short_hash(bytes.data(), bytes.size());
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

/// Adds a value to a hash; the order matters. Every input bit reaches every output bit.
inline uint64_t hash_combine(uint64_t hash, uint64_t value) {
  return detail::folded_product(hash ^ 0x9E3779B97F4A7C15ull, value ^ 0xE7037ED1A0B428DBull);
}

}  // namespace espalier

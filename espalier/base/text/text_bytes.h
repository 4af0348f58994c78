// Questions about short pieces of text, eight bytes at a time. Functions are inline: they are called for
// every line and every cell of the input.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace espalier {

namespace detail {

static_assert(std::endian::native == std::endian::little, "the first byte of a text is the lowest of a word");

inline constexpr uint64_t kLowBits = 0x0101010101010101, kHighBit = 0x8080808080808080;

template <typename Word>
uint64_t load_bytes(const char* from) {
  Word word;
  std::memcpy(&word, from, sizeof(Word));
  return word;
}

/// The first n ≤ 8 bytes; zeros after them.
inline uint64_t load_up_to_8(const char* from, size_t n) {
  if (n == 8) return load_bytes<uint64_t>(from);
  if (n >= 4)  // two pieces, which overlap
    return load_bytes<uint32_t>(from) | load_bytes<uint32_t>(from + n - 4) << (8 * (n - 4));
  uint64_t word = 0;
  for (size_t i = 0; i < n; ++i) word |= uint64_t{static_cast<unsigned char>(from[i])} << (8 * i);
  return word;
}

/// The highest bit of every byte that is zero.
inline uint64_t zero_bytes(uint64_t word) { return ~(((word & ~kHighBit) + ~kHighBit) | word | ~kHighBit); }

/// Bit i: the highest bit of byte i.
inline uint64_t high_bits(uint64_t word) { return ((word >> 7 & kLowBits) * 0x0102040810204080) >> 56; }

}  // namespace detail

/// Whether all bytes are ASCII other than zero.
inline bool is_plain_ascii(std::string_view text) {
  const char* at = text.data();
  size_t left = text.size();
  uint64_t wrong = 0;
  for (; left > 8; left -= 8, at += 8) {
    const uint64_t word = detail::load_bytes<uint64_t>(at);
    wrong |= word | detail::zero_bytes(word);
  }
  if (left > 0) {
    const uint64_t word = detail::load_up_to_8(at, left);
    const uint64_t beyond = left == 8 ? 0 : ~uint64_t{0} << (8 * left);
    wrong |= word | (detail::zero_bytes(word) & ~beyond);
  }
  return (wrong & detail::kHighBit) == 0;
}

/// Bit i: byte i is one of the two. Precondition: the text has at most 64 bytes.
inline uint64_t places_of(std::string_view text, char a, char b) {
  const uint64_t all_a = detail::kLowBits * static_cast<unsigned char>(a),
                 all_b = detail::kLowBits * static_cast<unsigned char>(b);
  uint64_t places = 0;
  for (size_t i = 0; i < text.size(); i += 8) {
    const size_t n = text.size() - i < 8 ? text.size() - i : 8;
    const uint64_t word = detail::load_up_to_8(text.data() + i, n);
    const uint64_t found =
        detail::high_bits(detail::zero_bytes(word ^ all_a) | detail::zero_bytes(word ^ all_b));
    places |= (n == 8 ? found : found & ((uint64_t{1} << n) - 1)) << i;
  }
  return places;
}

}  // namespace espalier

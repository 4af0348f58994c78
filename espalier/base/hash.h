// The hash function of the project: xxHash for bytes, hash_combine to add a value to a hash. Hashes are
// stored in model files, so these functions must never change.
#pragma once

#include <xxhash.h>

#include <cstdint>
#include <string_view>

namespace espalier {

inline uint64_t hash_bytes(std::string_view bytes, uint64_t seed = 0) {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

/// Adds a value to a hash; the order matters. The halves of the 128-bit product are folded together,
/// so that every input bit reaches every output bit.
inline uint64_t hash_combine(uint64_t hash, uint64_t value) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(hash ^ 0x9E3779B97F4A7C15ull) * (value ^ 0xE7037ED1A0B428DBull);
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

}  // namespace espalier

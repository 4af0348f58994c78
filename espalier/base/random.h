// Random numbers that are the same on every machine and split into independent streams. Make a Random from a
// seed; call split(key) for a stream of its own per task.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <utility>

namespace espalier {

/// xoshiro256++ seeded by splitmix64. A value type: copy it to replay a stream. `split(key)` gives a stream
/// that depends only on the seed and the key, not on how many numbers were drawn, so that parallel work which
/// keys its streams by item gives the same result at any number of threads.
class Random {
 public:
  explicit Random(uint64_t seed = 1) : seed_(seed) {
    uint64_t x = seed;
    for (uint64_t& s : state_) s = splitmix(x);
  }

  Random split(uint64_t key) const {
    uint64_t x = seed_ ^ (key * 0x9E3779B97F4A7C15ull + 0xD1B54A32D192ED03ull);
    return Random(splitmix(x));
  }

  uint64_t next() {
    const uint64_t result = rotate(state_[0] + state_[3], 23) + state_[0];
    const uint64_t t = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = rotate(state_[3], 45);
    return result;
  }

  /// Uniform in [0, 1).
  double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

  /// Uniform in {0, …, n−1}, without bias (Lemire's multiply-and-reject). Precondition: n > 0.
  uint64_t below(uint64_t n) {
    __extension__ using Wide = unsigned __int128;
    Wide product = static_cast<Wide>(next()) * n;
    if (static_cast<uint64_t>(product) < n) {
      const uint64_t threshold = (0 - n) % n;
      while (static_cast<uint64_t>(product) < threshold) product = static_cast<Wide>(next()) * n;
    }
    return static_cast<uint64_t>(product >> 64);
  }

  /// Standard normal (Marsaglia's polar method; the second value of each pair is discarded).
  double gaussian() {
    while (true) {
      const double u = 2 * uniform() - 1;
      const double v = 2 * uniform() - 1;
      const double s = u * u + v * v;
      if (s > 0 && s < 1) return u * std::sqrt(-2 * std::log(s) / s);
    }
  }

  /// Shuffles uniformly (Fisher–Yates).
  template <typename T>
  void shuffle(std::span<T> items) {
    for (size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
  }

 private:
  static uint64_t rotate(uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }
  static uint64_t splitmix(uint64_t& x) {
    uint64_t z = (x += 0x9E3779B97F4A7C15ull);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
  }

  uint64_t seed_;
  uint64_t state_[4];
};

}  // namespace espalier

// Checks of numbers on the command line. CLI11 reads "-5" as a count of 2^64 - 5, and its own checks print
// limits with 309 digits; pass one of these to check() of every option that takes a number. Tested in
// limits_test.sh.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>

namespace espalier::apps {

inline constexpr uint64_t kLargestCount = 1'000'000'000;

/// Digits only, `least` to `most`.
CLI::Validator whole_number(uint64_t least, uint64_t most = kLargestCount);
/// A seed: any whole number of 64 bits.
CLI::Validator seed_number();
/// A finite number above 0.
CLI::Validator above_zero();

}  // namespace espalier::apps

// Numbers on the command line. CLI11 reads "-5" as a count of 2^64 - 5, and its own checks print limits with
// 309 digits; add every option that takes a whole number with one of these functions, or pass one of these
// validators to its check(). Tested in limits_test.sh.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

namespace espalier::apps {

inline constexpr uint64_t kLargestCount = 1'000'000'000;

/// Digits only, `least` to `most`.
CLI::Validator whole_number(uint64_t least, uint64_t most = kLargestCount);
/// A seed: any whole number of 64 bits.
CLI::Validator seed_number();
/// A finite number above 0.
CLI::Validator above_zero();

/// An option N, a whole number from `least` to `most`.
template <typename Number>
void add_number_option(CLI::App& verb, const std::string& names, Number& value, const std::string& help,
                       uint64_t least, uint64_t most = kLargestCount) {
  verb.add_option(names, value, help)->type_name("N")->check(whole_number(least, most));
}
/// --seed N.
void add_seed_option(CLI::App& verb, uint64_t& seed, const std::string& help);

}  // namespace espalier::apps

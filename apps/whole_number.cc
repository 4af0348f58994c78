#include "apps/whole_number.h"

#include <charconv>
#include <cmath>
#include <limits>

#include "apps/terminal.h"

namespace espalier::apps {

CLI::Validator whole_number(uint64_t least, uint64_t most) {
  const auto check = [least, most](const std::string& text) -> std::string {
    uint64_t value = 0;
    const char* const end = text.data() + text.size();
    const auto parsed = std::from_chars(text.data(), end, value);
    if (parsed.ec == std::errc() && parsed.ptr == end && value >= least && value <= most) return {};
    return fmt::format("'{}' is not a whole number from {} to {}", text, count_text(least), count_text(most));
  };
  return CLI::Validator(check, "");
}

CLI::Validator seed_number() {
  const auto check = [](const std::string& text) -> std::string {
    uint64_t value = 0;
    const char* const end = text.data() + text.size();
    const auto parsed = std::from_chars(text.data(), end, value);
    if (parsed.ec == std::errc() && parsed.ptr == end) return {};
    return fmt::format("'{}' is not a whole number from 0 on, of 64 bits", text);
  };
  return CLI::Validator(check, "");
}

CLI::Validator above_zero() {
  const auto check = [](const std::string& text) -> std::string {
    const auto value = parse_number(text);
    if (value.ok() && std::isfinite(*value) && *value > 0) return {};
    return fmt::format("'{}' is not a number above 0", text);
  };
  return CLI::Validator(check, "");
}

void add_seed_option(CLI::App& verb, uint64_t& seed, const std::string& help) {
  verb.add_option("--seed", seed, help)->type_name("N")->check(seed_number());
}

}  // namespace espalier::apps

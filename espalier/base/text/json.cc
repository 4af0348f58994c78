#include "espalier/base/text/json.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>

namespace espalier {

Json parse_json(std::string_view text) { return Json::parse(text); }

Json try_parse_json(std::string_view text) { return Json::parse(text, nullptr, /*allow_exceptions=*/false); }

bool is_json(std::string_view text) { return Json::accept(text); }

std::string json_text(const Json& value, int indent) {
  return value.dump(indent, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace);
}

namespace {
/// The number if it is whole and not too large for a double to be exact; then fractions like 3.0 are welcome.
std::optional<int64_t> exact_whole(const Json& value) {
  if (!value.is_number_float()) return std::nullopt;
  const double x = value.get<double>();
  constexpr double kExact = 9007199254740992.0;  // 2^53
  if (!(x >= -kExact && x <= kExact) || x != std::trunc(x)) return std::nullopt;
  return static_cast<int64_t>(x);
}

[[noreturn]] void throw_not_whole(const Json& value, const std::string& bounds) {
  std::string text = json_text(value);
  if (text.size() > 40) text = text.substr(0, 40) + " ...";
  throw Json::out_of_range::create(401, "expected a whole number " + bounds + ", but found " + text, &value);
}
}  // namespace

uint64_t whole_number_up_to(const Json& value, uint64_t most) {
  std::optional<uint64_t> found;
  if (value.is_number_unsigned()) found = value.get<uint64_t>();
  if (const auto whole = exact_whole(value); whole && *whole >= 0) found = static_cast<uint64_t>(*whole);
  if (!found || *found > most) throw_not_whole(value, "from 0 to " + std::to_string(most));
  return *found;
}

int64_t whole_number_between(const Json& value, int64_t least, int64_t most) {
  std::optional<int64_t> found = exact_whole(value);
  if (value.is_number_unsigned()) {
    if (const uint64_t x = value.get<uint64_t>(); x <= static_cast<uint64_t>(most))
      return static_cast<int64_t>(x);
  } else if (value.is_number_integer()) {
    found = value.get<int64_t>();
  }
  if (!found || *found < least || *found > most)
    throw_not_whole(value, "from " + std::to_string(least) + " to " + std::to_string(most));
  return *found;
}

namespace {

/// The place after the text that begins with a quotation mark at `at`.
size_t after_quoted(std::string_view json, size_t at) {
  for (++at; at < json.size() && json[at] != '"'; ++at)
    if (json[at] == '\\') ++at;
  return at + 1;
}

}  // namespace

std::string_view oversized_integer(std::string_view json) {
  constexpr std::string_view kDigits = "0123456789";
  constexpr size_t kAlwaysFit = 18;
  for (size_t at = 0; at < json.size();) {
    if (json[at] == '"') {
      at = after_quoted(json, at);
      continue;
    }
    if (json[at] != '-' && kDigits.find(json[at]) == std::string_view::npos) {
      ++at;
      continue;
    }
    const size_t end = std::min(json.find_first_not_of("0123456789+-.eE", at), json.size());
    const std::string_view number = json.substr(at, end - at);
    at = end;
    if (number.size() <= kAlwaysFit || number.find_first_of(".eE") != std::string_view::npos) continue;
    uint64_t positive = 0;
    int64_t negative = 0;
    const auto result = number[0] == '-'
                            ? std::from_chars(number.data(), number.data() + number.size(), negative)
                            : std::from_chars(number.data(), number.data() + number.size(), positive);
    if (result.ec == std::errc::result_out_of_range) return number;
  }
  return {};
}

std::string_view json_member(std::string_view object, std::string_view name) {
  std::string_view found;
  size_t depth = 0, begin = std::string_view::npos;  // of the value of a member of this name
  std::string_view key;                              // in quotation marks, of the member that is being read
  for (size_t at = 0; at < object.size();) {
    const char c = object[at];
    if (c == '"') {
      const size_t end = after_quoted(object, at);
      if (depth == 1 && key.empty()) key = object.substr(at, end - at);
      at = end;
      continue;
    }
    if (c == ':' && depth == 1 && begin == std::string_view::npos &&
        try_parse_json(key) == Json(std::string(name)))
      begin = at + 1;
    const bool ends = depth == 1 && (c == ',' || c == '}');
    if (ends && begin != std::string_view::npos) {
      found = object.substr(begin, at - begin);
      begin = std::string_view::npos;
    }
    if (ends) key = {};
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
    ++at;
  }
  constexpr std::string_view kBlanks = " \t\r\n";
  if (const size_t first = found.find_first_not_of(kBlanks); first != std::string_view::npos)
    found = found.substr(first, found.find_last_not_of(kBlanks) - first + 1);
  return found;
}

std::string_view json_problem(const std::exception& problem) {
  const std::string_view text = problem.what();
  const size_t end = text.starts_with('[') ? text.find("] ") : std::string_view::npos;
  return end == std::string_view::npos ? text : text.substr(end + 2);
}

}  // namespace espalier

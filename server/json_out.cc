#include "server/json_out.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace espalier::server {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

/// The length of the well-formed character at the beginning of `text`; 0 if there is none.
size_t character_length(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  const size_t length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  if (text.size() < length || !simdjson::validate_utf8(text.data(), length)) return 0;
  return length;
}

}  // namespace

void append_json_string(std::string_view text, std::string& out) {
  const auto plain = [](char c) {
    return static_cast<unsigned char>(c) >= ' ' && c != '"' && c != '\\' && c > 0;
  };
  if (std::all_of(text.begin(), text.end(), plain)) {
    out.append("\"").append(text).append("\"");
    return;
  }
  const bool valid = simdjson::validate_utf8(text.data(), text.size());
  out.push_back('"');
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"' || c == '\\') {
      out.push_back('\\');
      out.push_back(c);
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c == '\r') {
      out += "\\r";
    } else if (static_cast<unsigned char>(c) < ' ') {
      fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<int>(c));
    } else if (c > 0 || valid) {
      out.push_back(c);
    } else if (const size_t length = character_length(text.substr(i)); length > 0) {
      out.append(text.substr(i, length));
      i += length - 1;
    } else {
      out += kReplacement;
    }
  }
  out.push_back('"');
}

void append_json_number(double number, std::string& out) {
  if (!std::isfinite(number)) {
    out += "null";
    return;
  }
  fmt::format_to(std::back_inserter(out), "{}", number);
}

void append_json_number(float number, std::string& out) {
  if (!std::isfinite(number)) {
    out += "null";
    return;
  }
  fmt::format_to(std::back_inserter(out), "{}", number);
}

}  // namespace espalier::server

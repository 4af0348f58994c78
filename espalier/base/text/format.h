// Text put together with fmt, compiled once: the templates behind fmt::format_to and fmt::join would be
// instantiated again by every source that uses them, which took a twentieth of the build.
//
// append_format(out, "{} of {}", a, b) appends to a string; joined(names, ", ") is a range as one string.
// Linear in the text.
#pragma once

#include <fmt/format.h>

#include <concepts>
#include <string>
#include <string_view>

namespace espalier {

void append_format_args(std::string& out, fmt::string_view format, fmt::format_args args);

template <typename... Args>
void append_format(std::string& out, fmt::format_string<Args...> format, Args&&... args) {
  append_format_args(out, format, fmt::make_format_args(args...));
}

/// What the range holds, texts or numbers, with the separator between two of them.
template <typename Range>
std::string joined(const Range& range, std::string_view separator) {
  std::string out;
  bool first = true;
  for (const auto& item : range) {
    if (!first) out += separator;
    first = false;
    if constexpr (std::convertible_to<decltype(item), std::string_view>) {
      out += std::string_view(item);
    } else {
      out += fmt::format("{}", item);
    }
  }
  return out;
}

}  // namespace espalier

// JSON written piece by piece at the end of a string, without a tree of objects: numbers, strings, arrays.
// Header only; tested through the command, in apps/tests/verbs_test.sh.
#pragma once

#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "espalier/base/result.h"
#include "espalier/base/text/format.h"
#include "espalier/base/text/json.h"

namespace espalier::model {

/// JSON cannot represent numbers that are not finite.
inline void append_json_number(double number, std::string& out) {
  if (std::isfinite(number)) {
    append_format(out, "{:.9g}", number);
  } else {
    out += "null";
  }
}

/// Most words need no escaping; those that do, or are not UTF-8, take the slow path.
inline void append_json_string(std::string_view text, std::string& out) {
  const bool plain = std::all_of(text.begin(), text.end(),
                                 [](char c) { return c >= ' ' && c < 0x7F && c != '"' && c != '\\'; });
  if (!plain) {
    out += json_text(Json(text));
    return;
  }
  out.append("\"").append(text).append("\"");
}

/// `[` what append(i) writes for each i `]`.
template <typename Append>
void append_json_array(size_t size, std::string& out, Append append) {
  out.push_back('[');
  for (size_t i = 0; i < size; ++i) {
    if (i > 0) out.push_back(',');
    append(i);
  }
  out.push_back(']');
}

}  // namespace espalier::model

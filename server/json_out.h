// JSON written by appending to a string: texts, numbers, lists. Tested in json_out_test.cc.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace espalier::server {

/// In quotes. Bytes that are not UTF-8 become replacement characters.
void append_json_string(std::string_view text, std::string& out);
/// The shortest text that reads as the same number; null if it is not finite.
void append_json_number(double number, std::string& out);
void append_json_number(float number, std::string& out);

/// `[…]`: calls append(i) for each of `size` items.
template <typename Append>
void append_json_list(size_t size, std::string& out, const Append& append) {
  out.push_back('[');
  for (size_t i = 0; i < size; ++i) {
    if (i > 0) out.push_back(',');
    append(i);
  }
  out.push_back(']');
}

}  // namespace espalier::server

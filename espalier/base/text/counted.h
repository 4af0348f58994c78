// Numbers with the noun they count, for messages: counted(1, "sequence") is "1 sequence", counted(1234,
// "sequence") is "1,234 sequences". Nouns form their plural with -s. Tested in layout_test.cc.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace espalier {

/// 1234567 as "1,234,567".
inline std::string count_text(size_t count) {
  const std::string digits = std::to_string(count);
  std::string text;
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

inline std::string counted(size_t count, std::string_view noun) {
  std::string text = count_text(count);
  text += ' ';
  text += noun;
  if (count != 1) text += 's';
  return text;
}

}  // namespace espalier

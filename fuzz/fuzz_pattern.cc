// A label pattern and a text, separated by a line feed: matches() against a plain version of itself.
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "espalier/constrain/label_pattern.h"

namespace {

/// Whether the pattern matches: a table over prefixes of both. `$` stands for `bound`, in full.
bool matches_plain(std::string_view pattern, std::string_view text, std::string_view bound) {
  std::vector<std::vector<char>> fits(pattern.size() + 1, std::vector<char>(text.size() + 1, 0));
  fits[0][0] = 1;
  for (size_t p = 0; p < pattern.size(); ++p)
    for (size_t t = 0; t <= text.size(); ++t) {
      if (!fits[p][t]) continue;
      if (pattern[p] == '*') {
        for (size_t end = t; end <= text.size(); ++end) fits[p + 1][end] = 1;
      } else if (pattern[p] == '$') {
        if (text.substr(t).starts_with(bound)) fits[p + 1][t + bound.size()] = 1;
      } else if (t < text.size() && text[t] == pattern[p]) {
        fits[p + 1][t + 1] = 1;
      }
    }
  return fits[pattern.size()][text.size()] != 0;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size > 200) return 0;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const size_t end = input.find('\n');
  if (end == std::string_view::npos) return 0;
  const std::string_view pattern = input.substr(0, end), text = input.substr(end + 1);
  const std::string bound = "NP";
  if (espalier::constrain::matches(pattern, text, &bound, nullptr) != matches_plain(pattern, text, bound))
    std::abort();
  std::string capture;
  if (!espalier::constrain::matches(pattern, text, nullptr, &capture)) return 0;
  // What `$` captured makes the pattern match again.
  if (pattern.find('$') != std::string_view::npos &&
      (capture.empty() || !espalier::constrain::matches(pattern, text, &capture, nullptr)))
    std::abort();
  return 0;
}

#include "espalier/base/text/layout.h"

#include "espalier/base/text/text.h"

namespace espalier {

size_t display_width(std::string_view text) {
  size_t width = 0;
  for (const CodePoint c : CodePoints(text))
    if (c.value == kInvalidCodePoint || char_class(c.value) != CharClass::kMark) ++width;
  return width;
}

std::string pad_right(std::string_view text, size_t width) {
  std::string out(text);
  const size_t used = display_width(text);
  if (used < width) out.append(width - used, ' ');
  return out;
}

std::string pad_left(std::string_view text, size_t width) {
  const size_t used = display_width(text);
  return std::string(used < width ? width - used : 0, ' ').append(text);
}

std::string cut(std::string_view text, size_t width) {
  if (display_width(text) <= width) return std::string(text);
  if (width == 0) return {};
  const size_t kept = prefix_bytes(text, width - 1);
  return std::string(text.substr(0, kept == kNoSuchLength ? text.size() : kept)) + "…";
}

}  // namespace espalier

#include "espalier/base/text/html.h"

#include "espalier/base/text/text.h"

namespace espalier {

std::string html_escaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  size_t at = 0;
  for (const CodePoint c : CodePoints(text)) {
    const char32_t value = c.value;
    if (value == '&')
      out += "&amp;";
    else if (value == '<')
      out += "&lt;";
    else if (value == '>')
      out += "&gt;";
    else if (value == '"')
      out += "&quot;";
    else if (value == '\'')
      out += "&#39;";
    else if (value == kInvalidCodePoint || (value < 0x20 && value != '\t' && value != '\n') ||
             (value >= 0x7F && value < 0xA0) || value == 0xFFFE || value == 0xFFFF)
      out += "\xEF\xBF\xBD";
    else
      out += text.substr(at, c.size);
    at += c.size;
  }
  return out;
}

}  // namespace espalier

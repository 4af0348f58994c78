#include "espalier/data/formats/json_scan.h"

namespace espalier::data {

bool JsonScan::take_value(std::string_view& value) {
  skip_blanks();
  const char* const first = at_;
  // A parser of the value alone would skip a byte order mark, which is not allowed here.
  if (at_ != end_ && static_cast<unsigned char>(*at_) >= 0x80) return false;
  size_t depth = 0;
  for (; at_ != end_; ++at_) {
    const char c = *at_;
    if (c == '"') {
      for (++at_; at_ != end_ && *at_ != '"'; ++at_)
        if (*at_ == '\\' && ++at_ == end_) return false;
      if (at_ == end_) return false;
    } else if (c == '[' || c == '{') {
      ++depth;
    } else if (depth == 0 && (c == ',' || c == ']' || c == '}')) {
      break;
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  value = {first, static_cast<size_t>(at_ - first)};
  return !value.empty();
}

}  // namespace espalier::data

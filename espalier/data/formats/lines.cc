#include "espalier/data/formats/lines.h"

#include "espalier/base/text.h"

namespace espalier::data {
Result<Encoding> parse_encoding(std::string_view name) {
  if (name == "utf-8" || name == "utf8") return Encoding::kUtf8;
  if (name == "latin1" || name == "iso-8859-1") return Encoding::kLatin1;
  if (name == "bytes") return Encoding::kBytes;
  return fail("unknown encoding '{}'; there are utf-8, latin1 and bytes", name);
}

Result<bool> Lines::next(std::string_view& line) {
  auto more = input_.next_line(line);
  if (encoding_ == Encoding::kBytes || !more.ok() || !*more || is_ascii(line)) return more;
  if (encoding_ == Encoding::kLatin1) {
    latin1_to_utf8(line, converted_);
    line = converted_;
    return more;
  }
  size_t bad = 0;
  if (valid_utf8(line, &bad)) return more;
  return error(
      "byte {} of the line (0x{:02X}) is not UTF-8; is the file in another encoding, such as latin1?",
      bad + 1, static_cast<unsigned char>(line[bad]));
}

std::string in_quotes(std::string_view text) {
  constexpr size_t kLongest = 40;
  if (text.size() <= kLongest) return fmt::format("'{}'", text);
  size_t size = kLongest;
  while (size > 0 && (static_cast<uint8_t>(text[size]) & 0xC0) == 0x80) --size;
  return fmt::format("'{}…'", text.substr(0, size));
}

}  // namespace espalier::data

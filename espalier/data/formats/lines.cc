#include "espalier/data/formats/lines.h"

#include <algorithm>
#include <cstring>

#include "espalier/base/text/text.h"
#include "espalier/base/text/text_bytes.h"

namespace espalier::data {
Result<Encoding> parse_encoding(std::string_view name) {
  if (name == "utf-8" || name == "utf8") return Encoding::kUtf8;
  if (name == "latin1" || name == "iso-8859-1") return Encoding::kLatin1;
  if (name == "bytes") return Encoding::kBytes;
  return fail("unknown encoding '{}'; there are utf-8, latin1 and bytes", name);
}

namespace {
/// A byte order mark, or a zero in every other byte, as in letters of Latin alphabets.
bool looks_like_utf16(std::string_view line) {
  if (line.starts_with("\xFF\xFE") || line.starts_with("\xFE\xFF")) return true;
  const auto zeros = static_cast<size_t>(std::count(line.begin(), line.end(), '\0'));
  return line.size() >= 4 && zeros >= line.size() / 3;
}
}  // namespace

Result<bool> Lines::next(std::string_view& line) {
  auto more = input_.next_line(line);
  if (encoding_ == Encoding::kBytes || !more.ok() || !*more || line.empty()) return more;
  if (number() == 1 && looks_like_utf16(line))
    return error("the text is UTF-16; convert it to UTF-8 first, for example with iconv -f UTF-16 -t UTF-8");
  if (number() == 1 && std::memchr(line.data(), '\r', line.size()) != nullptr)
    return error(
        "a carriage return within the line: are they the ends of lines, as on old Macintosh computers? tr "
        "'\\r' '\\n' would convert them");
  if (encoding_ == Encoding::kUnchecked) return more;
  if (is_plain_ascii(line)) return more;
  if (std::memchr(line.data(), '\0', line.size()) != nullptr)
    return error("a zero byte: this is not text, or UTF-16 (iconv -f UTF-16 -t UTF-8 would convert it)");
  if (encoding_ == Encoding::kLatin1) {
    // Accented letters of latin1 next to each other are hardly ever UTF-8 by chance.
    if (!known_latin1_ && valid_utf8(line))
      return error("the line is UTF-8, but is to be read as latin1; --encoding utf-8 reads it as it is");
    known_latin1_ = true;
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

Status Lines::skip_to_blank() {
  std::string_view line;
  while (true) {
    ESPALIER_ASSIGN(const bool more, input_.next_line(line));
    if (!more || is_blank(line)) return {};
  }
}

std::string in_quotes(std::string_view text) {
  constexpr size_t kLongest = 40;
  size_t size = text.size();
  if (size > kLongest) {
    size = kLongest;
    while (size > 0 && (static_cast<uint8_t>(text[size]) & 0xC0) == 0x80) --size;
  }
  std::string shown(text.substr(0, size));
  for (char& c : shown)
    if (static_cast<unsigned char>(c) < ' ' || c == 0x7F) c = ' ';
  return fmt::format("'{}{}'", shown, size < text.size() ? "…" : "");
}

}  // namespace espalier::data

// The lines of a text file in a known encoding, as UTF-8. Every reader is built on it. Tested in
// columns_reader_test.cc.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "espalier/base/files/input.h"
#include "espalier/base/result.h"

namespace espalier::data {

enum class Encoding {
  kUtf8,       ///< checked
  kLatin1,     ///< converted
  kBytes,      ///< taken as they are
  kUnchecked,  ///< UTF-8 that the caller checks; UTF-16 is an error all the same
};

/// Parses "utf-8" (or "utf8"), "latin1" (or "iso-8859-1") and "bytes".
Result<Encoding> parse_encoding(std::string_view name);

/// The lines of an Input as UTF-8: checked, converted or unchanged. Not thread-safe.
class Lines {
 public:
  Lines(Input input, Encoding encoding) : input_(std::move(input)), encoding_(encoding) {}

  /// The next line without its end, valid until the next call; false at the end of the input. Broken UTF-8,
  /// UTF-16, zero bytes, and UTF-8 that is to be read as latin1, are errors that name file and line; the next
  /// call returns the line after it.
  Result<bool> next(std::string_view& line);
  /// Skips lines up to and including the next blank one. An error if the input cannot be read.
  Status skip_to_blank();
  /// The next line whatever is in it, unconverted.
  Result<bool> next_unchecked(std::string_view& line) { return input_.next_line(line); }

  /// True where input pauses (Input::would_wait).
  bool would_wait(Input::Piece piece = Input::Piece::kLine) { return input_.would_wait(piece); }
  /// Number of the line last read, from 1.
  uint64_t number() const { return input_.line_number(); }
  std::string_view name() const { return input_.name(); }

  /// An error about the line last read: "file:line: …".
  template <typename... Args>
  Error error(fmt::format_string<Args...> format, Args&&... args) const {
    return fail("{}:{}: {}", name(), number(), fmt::format(format, std::forward<Args>(args)...));
  }

 private:
  Input input_;
  Encoding encoding_;
  bool known_latin1_ = false;  ///< some line cannot be UTF-8
  std::string converted_;
};

/// True for a line of nothing but spaces and tabs.
inline bool is_blank(std::string_view line) {
  for (const char c : line)
    if (c != ' ' && c != '\t') return false;
  return true;
}

/// The first line of `text`, which must not be empty, without its end; `text` becomes what comes after it.
inline std::string_view take_line(std::string_view& text) {
  const size_t end = std::min(text.find('\n'), text.size());
  std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

/// Text from a file as an error message shows it: quoted, cut at 40 bytes (never inside a character), with
/// blanks in place of control characters.
std::string in_quotes(std::string_view text);

}  // namespace espalier::data

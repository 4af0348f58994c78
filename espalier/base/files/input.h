// Reads text line by line from files, standard input or memory; gzip is recognised and decompressed. Call
// Input::open and next_line.
#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "espalier/base/result.h"

namespace espalier {

/// A stream of lines from a file (plain or gzip, recognised by its first bytes), from standard input, or from
/// bytes in memory. Uses a fixed buffer, or a few times the longest line if that is more; a line costs one
/// search for its end and no copy. Lines are returned as soon as a pipe delivers them.
///
/// A byte-order mark at the start is dropped. LF and CRLF end a line, the end of the file ends the last one;
/// every other byte is passed on unchanged, including zero bytes. Not thread-safe; move-only.
class Input {
 public:
  /// "-" is standard input.
  static Result<Input> open(const std::string& path);
  /// Plain text in memory, never decompressed. It must outlive the Input; `name` is for error messages.
  static Input from_memory(std::string_view bytes, std::string name);
  /// Bytes from a function, which fills in up to `size` bytes and returns how many, 0 at the end. gzip is
  /// recognised here, too.
  using Read = std::function<Result<size_t>(char* bytes, size_t size)>;
  static Input from_function(Read read, std::string name);

  ~Input();
  Input(Input&&) noexcept;
  Input& operator=(Input&&) noexcept;

  /// The next line without its end, valid until the next call; false at the end of the input. An error (from
  /// the disk, or damaged gzip data) is returned after all complete lines before it, and again on each later
  /// call.
  Result<bool> next_line(std::string_view& line) {
    if (const char* end = find_line_end(cursor_)) {
      take(line, end, end + 1);
      return true;
    }
    return next_line_after_filling(line);
  }

  enum class Piece {
    kLine,
    kParagraph,  ///< lines up to and including one that is blank
  };
  /// True where the next line or paragraph has not come in whole and nobody can tell when it will: a pipe or
  /// terminal that pauses. Reads what has come, so that lines returned before are no longer valid.
  bool would_wait(Piece piece = Piece::kLine);

  /// Number of the last line returned, counted from 1; 0 before the first.
  uint64_t line_number() const { return line_number_; }
  /// The path as it was given, or "standard input".
  const std::string& name() const { return name_; }

 private:
  struct Source;
  explicit Input(std::string name);

  const char* find_line_end(const char* from) const {
    return static_cast<const char*>(std::memchr(from, '\n', static_cast<size_t>(limit_ - from)));
  }
  void take(std::string_view& line, const char* end, const char* next) {
    if (end != cursor_ && end[-1] == '\r') --end;
    line = {cursor_, static_cast<size_t>(end - cursor_)};
    cursor_ = next;
    ++line_number_;
  }
  Result<bool> next_line_after_filling(std::string_view& line);
  bool holds(Piece piece) const;
  Status fill();
  Status start();
  bool make_room();

  std::string name_;
  std::unique_ptr<Source> source_;  ///< null for memory
  std::unique_ptr<char[]> buffer_;
  size_t capacity_ = 0;
  const char* cursor_ = "";      ///< first byte not handed out yet
  const char* limit_ = cursor_;  ///< one past the last byte read
  bool at_end_ = false;          ///< the source has nothing more
  bool started_ = false;         ///< the first bytes have been looked at
  uint64_t line_number_ = 0;
  std::optional<Error> error_;
};

/// All lines of a file (or of standard input, "-"), each ended by one '\n'.
Result<std::string> read_text_file(const std::string& path);

}  // namespace espalier

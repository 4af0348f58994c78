#include "espalier/base/files/input.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <new>
#include <utility>

#include "espalier/base/files/file_descriptor.h"
#include "espalier/base/files/gzip_stream.h"
#include "espalier/base/files/wait_scope.h"

namespace espalier {
namespace {

// Large enough to make the cost of a system call negligible, small enough to stay in the cache.
constexpr size_t kFirstCapacity = size_t{256} << 10;
static_assert(kFirstCapacity <= GzipStream::kInputSize);
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::string_view kGzipMagic = "\x1f\x8b";

bool is_proper_prefix(std::string_view part, std::string_view whole) {
  return part.size() < whole.size() && whole.starts_with(part);
}

}  // namespace

struct Input::Source {
  FileDescriptor file;
  Read function;                     ///< in place of the file
  bool pauses = false;               ///< a pipe or terminal, which may have nothing for a while
  std::unique_ptr<GzipStream> gzip;  ///< none where the file is plain

  Result<size_t> read_raw(char* space, size_t size) const {
    if (function) return function(space, size);
    if (pauses && (WaitScope::wanted() || !wait_until_readable(file.number())))
      return fail("stopped while waiting for input");
    ssize_t count;
    do count = ::read(file.number(), space, size);
    while (count < 0 && errno == EINTR);
    if (count < 0) return fail("cannot read: {}", system_message(errno));
    return static_cast<size_t>(count);
  }
  Result<size_t> read(char* space, size_t size) const {
    if (!gzip) return read_raw(space, size);
    return gzip->read(space, size, [this](char* to, size_t n) { return read_raw(to, n); });
  }
};

Input::Input(std::string name) : name_(std::move(name)) {}
Input::~Input() = default;
Input::Input(Input&&) noexcept = default;
Input& Input::operator=(Input&&) noexcept = default;

Result<Input> Input::open(const std::string& path) {
  const bool standard_input = path == "-";
  Input input(standard_input ? "standard input" : path);
  input.source_ = std::make_unique<Source>();
  if (standard_input) {
    input.source_->file = FileDescriptor(STDIN_FILENO, /*owned=*/false);
  } else {
    ESPALIER_ASSIGN(input.source_->file, open_for_reading(path));
    // A hint only: read ahead further. It fails on pipes, which does not matter.
    (void)::posix_fadvise(input.source_->file.number(), 0, 0, POSIX_FADV_SEQUENTIAL);
  }
  struct stat info;
  input.source_->pauses = ::fstat(input.source_->file.number(), &info) == 0 && !S_ISREG(info.st_mode);
  return input;
}

Input Input::from_function(Read read, std::string name) {
  Input input(std::move(name));
  input.source_ = std::make_unique<Source>();
  input.source_->function = std::move(read);
  return input;
}

Input Input::from_memory(std::string_view bytes, std::string name) {
  Input input(std::move(name));
  if (bytes.starts_with(kByteOrderMark)) bytes.remove_prefix(kByteOrderMark.size());
  if (!bytes.empty()) {
    input.cursor_ = bytes.data();
    input.limit_ = bytes.data() + bytes.size();
  }
  input.started_ = true;
  input.at_end_ = true;
  return input;
}

/// Whether the bytes that were read have the next piece in whole.
bool Input::holds(Piece piece) const {
  bool any = false;  // of the paragraph; blank lines before it are none of its own
  for (const char *line = cursor_, *end; (end = find_line_end(line)) != nullptr; line = end + 1) {
    if (piece == Piece::kLine) return true;
    const bool blank = std::all_of(line, end, [](char c) { return c == ' ' || c == '\t' || c == '\r'; });
    if (blank && any) return true;
    any |= !blank;
  }
  return false;
}

bool Input::would_wait(Piece piece) {
  if (!source_ || !source_->pauses) return false;
  constexpr ptrdiff_t kLongPiece = 1 << 20;  // is not gathered here, whoever reads it waits for its parts
  while (!at_end_ && !error_ && !holds(piece) && limit_ - cursor_ < kLongPiece) {
    pollfd waiting{source_->file.number(), POLLIN, 0};
    if (::poll(&waiting, 1, 0) == 0) return true;  // the end of a pipe can always be read
    if (Status status = fill(); !status.ok()) error_ = fail("{}: {}", name_, status.error().message);
  }
  return false;
}

Result<bool> Input::next_line_after_filling(std::string_view& line) {
  if (error_) return *error_;
  while (!at_end_) {
    // The buffer holds no line end, so only the bytes added to it need to be searched. Except at the start,
    // where bytes are removed: a byte-order mark is dropped, gzip data is replaced by its contents.
    const size_t searched = started_ ? static_cast<size_t>(limit_ - cursor_) : 0;
    if (Status status = fill(); !status.ok()) {
      error_ = fail("{}: {}", name_, status.error().message);
      cursor_ = limit_;
      return *error_;
    }
    if (const char* end = find_line_end(cursor_ + searched)) {
      take(line, end, end + 1);
      return true;
    }
  }
  if (cursor_ == limit_) return false;
  take(line, limit_, limit_);
  return true;
}

Status Input::fill() {
  if (!make_room()) return fail("line {} is too long for the memory there is", line_number_ + 1);
  char* end = buffer_.get() + (limit_ - buffer_.get());
  ESPALIER_ASSIGN(const size_t count,
                  source_->read(end, capacity_ - static_cast<size_t>(limit_ - buffer_.get())));
  limit_ += count;
  at_end_ = count == 0;
  return started_ ? Status() : start();
}

Status Input::start() {
  const std::string_view head(cursor_, static_cast<size_t>(limit_ - cursor_));
  // Wait for more bytes only while they could still matter: someone who types "a" and Enter expects an
  // answer.
  if (!at_end_ && (is_proper_prefix(head, kByteOrderMark) || is_proper_prefix(head, kGzipMagic))) return {};
  if (!source_->gzip && looks_like_gzip(head)) {
    ESPALIER_ASSIGN(source_->gzip, GzipStream::make(head));
    cursor_ = limit_ = buffer_.get();
    at_end_ = false;
    return {};
  }
  if (!source_->gzip && at_end_ && name_.ends_with(".gz") && is_proper_prefix(head, kGzipMagic))
    return fail("damaged gzip data: the file ends too early");
  if (head.starts_with(kByteOrderMark)) cursor_ += kByteOrderMark.size();
  started_ = true;
  return {};
}

bool Input::make_room() {
  const size_t pending = static_cast<size_t>(limit_ - cursor_);
  if (buffer_ != nullptr && pending <= capacity_ / 2) {
    // Do not move a long line once for each small piece in which it arrives.
    if (cursor_ != buffer_.get()) std::memmove(buffer_.get(), cursor_, pending);
  } else {
    const size_t larger = capacity_ == 0 ? kFirstCapacity : 2 * capacity_;
    std::unique_ptr<char[]> space(new (std::nothrow) char[larger]);
    if (space == nullptr) return false;
    std::memcpy(space.get(), cursor_, pending);
    buffer_ = std::move(space);
    capacity_ = larger;
  }
  cursor_ = buffer_.get();
  limit_ = cursor_ + pending;
  return true;
}

Result<std::string> read_text_file(const std::string& path) {
  ESPALIER_ASSIGN(Input input, Input::open(path));
  std::string text;
  std::string_view line;
  while (true) {
    ESPALIER_ASSIGN(const bool more, input.next_line(line));
    if (!more) return text;
    if (input.line_number() == 1 && (line.starts_with("\xFF\xFE") || line.starts_with("\xFE\xFF")))
      return fail(
          "{}: the text is UTF-16; convert it to UTF-8 first, for example with iconv -f UTF-16 -t UTF-8",
          input.name());
    text.append(line).push_back('\n');
  }
}

}  // namespace espalier

// Output files that are either complete or absent: a reader never sees half of one, and a crash leaves the
// older file. Call AtomicFile::open, write, commit.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "espalier/base/result.h"

namespace espalier {

/// A file that appears under its name only when it is complete: bytes go to `<path>.partial-<process id>` in
/// the same directory, and commit() syncs them to disk and renames. Without commit, the destructor removes
/// the temporary file and an older file of that name stays as it was. Every write, sync, close and rename is
/// checked; the first error is kept and returned by commit() as well, so it is enough to check there.
///
/// Opening one also removes temporary files of the same target that killed processes left behind; those of
/// living processes stay.
///
/// "-" is standard output. Standard output, pipes and devices such as /dev/null cannot be renamed: bytes go
/// to them directly, and the destructor flushes what was written. A symbolic link is followed, an existing
/// file keeps its mode.
///
/// Buffered: a small write costs a copy; large writes bypass the buffer. Move-only; one thread at a time.
class AtomicFile {
 public:
  static Result<AtomicFile> open(const std::string& path);

  /// Whether open(path) would succeed now. Ask before hours of work. Leaves no file behind.
  static Status check_writable(const std::string& path);

  ~AtomicFile();
  AtomicFile(AtomicFile&&) noexcept;
  AtomicFile& operator=(AtomicFile&&) noexcept;

  Status write(std::span<const std::byte> bytes);
  Status write(std::string_view text) { return write(std::as_bytes(std::span(text.data(), text.size()))); }

  /// Passes the buffer to the operating system, for a reader that waits at the other end of a pipe.
  Status flush();

  /// Completes the file. Precondition here and above: not committed yet.
  Status commit();

  /// Where the bytes are until commit(), for checking them after flush(); empty for streams.
  const std::string& partial_path() const;

  /// The path as it was given, or "standard output".
  const std::string& name() const;

 private:
  struct State;
  explicit AtomicFile(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace espalier

// Output files that are there whole or not at all.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "espalier/base/result.h"

namespace espalier {

/// A file that appears under its name only when it is complete: bytes go to `<path>.partial-<process id>`
/// beside it, and commit() makes them durable and renames. Dropped without commit, nothing is left and an
/// older file of that name stays as it was. Every write, sync, close and rename is checked; the first error
/// stays and comes back from commit too, so that a caller may check there alone.
///
/// "-" is standard output. That, and pipes and devices such as /dev/null, cannot be renamed: they are
/// streamed to, and dropping the object flushes what was written. A symbolic link is followed, an existing
/// file keeps its mode.
///
/// Buffered: a write costs a copy, large ones go straight through. Move-only; one thread at a time.
class AtomicFile {
 public:
  static Result<AtomicFile> open(const std::string& path);

  /// Whether open(path) would succeed now, for asking before hours of work. Leaves nothing behind.
  static Status check_writable(const std::string& path);

  ~AtomicFile();
  AtomicFile(AtomicFile&&) noexcept;
  AtomicFile& operator=(AtomicFile&&) noexcept;

  Status write(std::span<const std::byte> bytes);
  Status write(std::string_view text) { return write(std::as_bytes(std::span(text.data(), text.size()))); }

  /// Hands what is buffered to the operating system: for a reader who waits at the other end of a pipe.
  Status flush();

  /// Completes the file. Precondition here and above: not committed yet.
  Status commit();

  /// The path as it was given, or "standard output".
  const std::string& name() const;

 private:
  struct State;
  explicit AtomicFile(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace espalier

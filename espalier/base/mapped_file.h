// A file seen as memory.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "espalier/base/result.h"

namespace espalier {

/// A whole file mapped read-only. Opening costs a few system calls whatever the size; pages are shared with
/// every other process that maps the same file. The bytes start on a page boundary and stay where they are
/// when the object is moved. An empty file is an empty span. Any number of threads may read the bytes.
///
/// A file that another process cuts short while it is mapped ends this process with a signal when the lost
/// part is touched; AtomicFile replaces files instead of changing them, so this library never does that to
/// itself.
class MappedFile {
 public:
  static Result<MappedFile> open(const std::string& path);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;

  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  explicit MappedFile(std::span<const std::byte> bytes) : bytes_(bytes) {}
  std::span<const std::byte> bytes_;
};

}  // namespace espalier

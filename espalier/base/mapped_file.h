// A file mapped into memory for reading. Call MappedFile::open and bytes().
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "espalier/base/result.h"

namespace espalier {

/// A whole file mapped read-only. Opening takes a few system calls whatever the size; pages are shared with
/// other processes that map the same file. The bytes start on a page boundary and stay where they are when
/// the object is moved. An empty file is an empty span. Any number of threads may read the bytes.
///
/// If another process truncates the file while it is mapped, reading the lost part kills this process with a
/// signal. AtomicFile replaces files instead of changing them, so this library never does that to itself.
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

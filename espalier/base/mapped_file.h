// A file in memory for reading: copied, or mapped where it is large. Call MappedFile::open and bytes().
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "espalier/base/result.h"

namespace espalier {

/// A whole file in memory, read-only. Files of up to kCopiedUpTo bytes are copied: whatever another process does to the
/// file afterwards, the bytes stay as they were. Larger ones are mapped: opening takes a few system calls, and pages are
/// shared with other processes that map the same file; if one of them truncates it, reading the lost part ends this
/// process with SIGBUS. (AtomicFile replaces files instead of changing them.)
///
/// The bytes start on a page boundary and stay where they are when the object is moved. An empty file is an empty span.
/// Any number of threads may read the bytes.
class MappedFile {
 public:
  static constexpr size_t kCopiedUpTo = size_t{64} << 20;

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

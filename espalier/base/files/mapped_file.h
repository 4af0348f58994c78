// A file in memory for reading: copied, or mapped where it is large. Call MappedFile::open and bytes().
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "espalier/base/files/file_descriptor.h"
#include "espalier/base/result.h"

namespace espalier {

/// A whole file in memory, read-only. Files of up to kCopiedUpTo bytes are copied: whatever another process
/// does to the file afterwards, the bytes stay as they were. Larger ones are mapped: opening takes a few
/// system calls, and pages are shared with other processes that map the same file. If one of them changes it
/// in place, the bytes change here, too; if it is truncated, reading the lost part raises SIGBUS. (AtomicFile
/// replaces files instead of changing them.) unchanged() tells, so ask it before the bytes are used, and
/// again before the results are passed on.
///
/// The bytes start on a page boundary and stay where they are when the object is moved. An empty file is an
/// empty span. Any number of threads may read the bytes.
class MappedFile {
 public:
  static constexpr size_t kCopiedUpTo = size_t{64} << 20;

  static Result<MappedFile> open(const std::string& path);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;

  std::span<const std::byte> bytes() const { return bytes_; }

  /// An error if the file was changed in place since it was opened and the bytes may have changed with it.
  /// Costs nothing for a copy, otherwise one system call.
  Status unchanged() const;

 private:
  explicit MappedFile(std::span<const std::byte> bytes) : bytes_(bytes) {}
  std::span<const std::byte> bytes_;
  FileDescriptor file_;          ///< of a file that is mapped; otherwise closed
  int64_t changed_seconds_ = 0;  ///< when it was last changed before it was opened
  int64_t changed_nanoseconds_ = 0;
  std::string path_;
};

}  // namespace espalier

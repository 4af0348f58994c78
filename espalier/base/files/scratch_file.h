// Temporary files without a name: the system removes them when they are closed, however the process ends.
// Programs append to one and read it with cursors. They are made in $TMPDIR, or /var/tmp where that is not
// set: /tmp may be in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "espalier/base/files/file_descriptor.h"
#include "espalier/base/result.h"

namespace espalier {

/// Thrown where a temporary file cannot be made, written or read in the middle of work that has no other way
/// to say so: a message for the user.
class ScratchFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};
inline void scratch_or_throw(const Status& status) {
  if (!status.ok()) throw ScratchFailure(status.error().message);
}
template <typename T>
T scratch_or_throw(Result<T> result) {
  if (!result.ok()) throw ScratchFailure(result.error().message);
  return std::move(result).value();
}

/// A new file without a name, open for reading and writing. `what` it is for appears in the error.
Result<FileDescriptor> make_unnamed_file(std::string_view what);

/// Bytes written once and read any number of times. Written by one thread; any number of cursors may read
/// what was flushed. Move-only; cursors must not outlive it.
class ScratchFile {
 public:
  /// `what` it holds, for error messages: "votes".
  static Result<ScratchFile> make(std::string what);

  Status append(std::string_view bytes);
  /// Call before reading.
  Status flush();
  /// Bytes appended.
  uint64_t size() const { return written_ + waiting_.size(); }

  /// Copies `size` bytes from `offset` on to `out`. From any thread.
  Status read(uint64_t offset, size_t size, void* out) const;

  /// Reads a part of the file from front to back.
  class Cursor {
   public:
    /// The bytes [begin, end), through a buffer of at least `buffer` bytes.
    Cursor(const ScratchFile& file, uint64_t begin, uint64_t end, size_t buffer = kBlock)
        : file_(&file), offset_(begin), end_(end), least_(buffer) {}

    /// The next `size` bytes, valid until the next call; null at the end. An error where fewer are left.
    Result<const char*> take(size_t size);

   private:
    const ScratchFile* file_;
    uint64_t offset_, end_;  ///< of what is not in the buffer yet
    size_t least_;
    size_t used_ = 0, filled_ = 0;
    std::vector<char> buffer_;
  };

 private:
  static constexpr size_t kBlock = size_t{1} << 20;
  ScratchFile(FileDescriptor file, std::string what) : file_(std::move(file)), what_(std::move(what)) {}

  FileDescriptor file_;
  std::string what_;
  std::string waiting_;  ///< not written yet
  uint64_t written_ = 0;
};

}  // namespace espalier

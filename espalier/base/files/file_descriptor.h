// An open file of the operating system, closed by its destructor. Tested in input_test.cc and
// atomic_file_test.cc.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "espalier/base/result.h"

namespace espalier {

/// Owns a descriptor, or borrows one such as standard input. Move-only; not thread-safe.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  /// `owned` false: never closed here.
  explicit FileDescriptor(int number, bool owned = true) : number_(number), owned_(owned) {}
  ~FileDescriptor() { discard(); }
  FileDescriptor(FileDescriptor&& other) noexcept
      : number_(std::exchange(other.number_, -1)), owned_(other.owned_) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    if (this != &other) {
      discard();
      number_ = std::exchange(other.number_, -1);
      owned_ = other.owned_;
    }
    return *this;
  }

  int number() const { return number_; }
  bool is_open() const { return number_ >= 0; }

  /// Closes it now: closing can be the first call that reports a write error. Returns 0 or the error number.
  int close();

 private:
  void discard() { (void)close(); }

  int number_ = -1;
  bool owned_ = true;
};

/// The operating system's text for an error number.
std::string system_message(int error_number);

/// Opens an existing file for reading. Directories are refused: the system would open one and fail only at
/// the first read, where the name is no longer known. A named pipe to which nobody writes yet is opened, too:
/// wait (wait_scope.h) before the first read, which would take it for one that has ended.
Result<FileDescriptor> open_for_reading(const std::string& path);

}  // namespace espalier

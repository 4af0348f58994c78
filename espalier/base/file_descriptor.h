// An open file of the operating system, closed when its owner goes. Tested in input_test.cc and
// atomic_file_test.cc.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "espalier/base/result.h"

namespace espalier {

/// Owns a descriptor (or borrows one, as standard input and output are). Move-only; not thread-safe.
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

  /// Closes it now, because closing may be where a write error first shows. Returns 0 or the error number.
  int close();

 private:
  void discard() { (void)close(); }

  int number_ = -1;
  bool owned_ = true;
};

/// What the operating system says an error number means.
std::string system_message(int error_number);

/// Opens an existing file for reading. A directory is refused here, where its name is still known; opening
/// one succeeds, and only the first read would fail.
Result<FileDescriptor> open_for_reading(const std::string& path);

}  // namespace espalier

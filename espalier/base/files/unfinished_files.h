// The names of files that are being written, so that a program that must end at once can remove them.
// AtomicFile keeps the list; a handler of a signal or of std::terminate calls remove_unfinished_files().
// Tested in atomic_file_test.cc.
#pragma once

#include <cstddef>
#include <string>

namespace espalier {

/// Remembers a file while it exists. At most kMostUnfinishedFiles are remembered, and no path of 1024 bytes
/// or more: the others are only removed when their writers end as usual. Any thread may make and destroy
/// these. No memory is allocated.
class UnfinishedFile {
 public:
  UnfinishedFile() = default;
  explicit UnfinishedFile(const std::string& path);
  ~UnfinishedFile() { forget(); }
  UnfinishedFile(UnfinishedFile&& other) noexcept;
  UnfinishedFile& operator=(UnfinishedFile&& other) noexcept;

  void forget();

 private:
  int place_ = -1;
};

inline constexpr size_t kMostUnfinishedFiles = 32;

/// Removes every remembered file from the disk. For the last moments of a process: a signal handler may call
/// it.
void remove_unfinished_files();

}  // namespace espalier

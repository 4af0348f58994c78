#include "espalier/base/files/scratch_memory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>

#include "espalier/base/files/scratch_file.h"

namespace espalier {
namespace {

constexpr auto kLookEvery = std::chrono::milliseconds(5);

/// Bytes of memory the process takes, and how many of them are pages of files.
struct Resident {
  size_t all = 0, files = 0;
};

Resident resident_now(int statm) {
  char text[128];
  const ssize_t n = ::pread(statm, text, sizeof text - 1, 0);
  if (n <= 0) return {};
  text[n] = '\0';
  char* at = text;
  std::strtoull(at, &at, 10);
  const size_t page = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  Resident now;
  now.all = std::strtoull(at, &at, 10) * page;
  now.files = std::strtoull(at, &at, 10) * page;
  return now;
}

}  // namespace

ScratchMemory::~ScratchMemory() {
  {
    const std::lock_guard lock(mutex_);
    end_ = true;
  }
  ended_.notify_all();
  if (watcher_.joinable()) watcher_.join();
  for (const Block& block : blocks_) ::munmap(block.begin, block.bytes);
}

void* ScratchMemory::allocate(size_t bytes) {
  auto file = make_unnamed_file("training data");
  if (!file.ok()) throw ScratchFailure(file.error().message);
  const auto refuse = [&](int error) -> void* {
    throw ScratchFailure(fmt::format(
        "a temporary file of {} MB for training data: {}; TMPDIR names the directory for such files",
        (bytes >> 20) + 1, system_message(error)));
  };
  if (const int error = ::posix_fallocate(file->number(), 0, static_cast<off_t>(bytes)); error != 0)
    return refuse(error);
  void* const begin = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file->number(), 0);
  if (begin == MAP_FAILED) return refuse(errno);
  const std::lock_guard lock(mutex_);
  try {
    blocks_.push_back({begin, bytes});
    if (!watcher_.joinable()) watcher_ = std::thread([this] { watch(); });
  } catch (...) {
    if (!blocks_.empty() && blocks_.back().begin == begin) blocks_.pop_back();
    ::munmap(begin, bytes);
    throw;
  }
  return begin;
}

void ScratchMemory::release(void* block, size_t bytes) {
  const std::lock_guard lock(mutex_);
  std::erase_if(blocks_, [&](const Block& b) { return b.begin == block; });
  ::munmap(block, bytes);
}

void ScratchMemory::drop_pages() {
  const std::lock_guard lock(mutex_);
  for (const Block& block : blocks_) ::madvise(block.begin, block.bytes, MADV_DONTNEED);
}

void ScratchMemory::watch() {
  const FileDescriptor statm(::open("/proc/self/statm", O_RDONLY | O_CLOEXEC));
  std::unique_lock lock(mutex_);
  while (!ended_.wait_for(lock, kLookEvery, [this] { return end_; })) {
    // Where the system does not say, pages leave at every look.
    const Resident now =
        statm.is_open() ? resident_now(statm.number()) : Resident{most_resident_ + 1, most_resident_};
    // Between two looks, and more so where other processes keep this thread waiting, a process can take up
    // tens of megabytes: pages leave at three quarters of the limit. Dropping a few again and again would
    // cost more than it gains.
    if (now.all <= most_resident_ / 4 * 3 || now.files < most_resident_ / 32) continue;
    for (const Block& block : blocks_) ::madvise(block.begin, block.bytes, MADV_DONTNEED);
  }
}

}  // namespace espalier

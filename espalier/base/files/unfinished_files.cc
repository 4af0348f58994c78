#include "espalier/base/files/unfinished_files.h"

#include <unistd.h>

#include <atomic>
#include <cstring>
#include <utility>

namespace espalier {
namespace {

/// In static memory: a signal handler may neither take locks nor allocate.
struct Remembered {
  enum State { kFree, kTaken, kReady };
  std::atomic<int> state{kFree};
  char path[1024];
};
static_assert(std::atomic<int>::is_always_lock_free);
Remembered remembered[kMostUnfinishedFiles];

}  // namespace

UnfinishedFile::UnfinishedFile(const std::string& path) {
  if (path.size() >= sizeof(Remembered::path)) return;
  for (size_t i = 0; i < kMostUnfinishedFiles; ++i) {
    int free = Remembered::kFree;
    if (!remembered[i].state.compare_exchange_strong(free, Remembered::kTaken)) continue;
    std::memcpy(remembered[i].path, path.c_str(), path.size() + 1);
    remembered[i].state = Remembered::kReady;
    place_ = static_cast<int>(i);
    return;
  }
}

UnfinishedFile::UnfinishedFile(UnfinishedFile&& other) noexcept : place_(std::exchange(other.place_, -1)) {}

UnfinishedFile& UnfinishedFile::operator=(UnfinishedFile&& other) noexcept {
  std::swap(place_, other.place_);
  return *this;
}

void UnfinishedFile::forget() {
  if (place_ >= 0) remembered[place_].state = Remembered::kFree;
  place_ = -1;
}

void remove_unfinished_files() {
  for (Remembered& file : remembered)
    if (file.state == Remembered::kReady) ::unlink(file.path);
}

}  // namespace espalier

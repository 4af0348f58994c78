#include "apps/free_memory.h"

#include <malloc.h>

#include <atomic>
#include <chrono>
#include <utility>

namespace espalier::apps {

void return_free_memory() {
#ifdef __GLIBC__
  using Clock = std::chrono::steady_clock;
  constexpr auto kPause = std::chrono::seconds(1);
  static std::atomic<Clock::rep> next{0};
  const Clock::duration now = Clock::now().time_since_epoch();
  Clock::rep due = next.load(std::memory_order_relaxed);
  if (now.count() < due) return;
  if (next.compare_exchange_strong(due, (now + Clock::duration(kPause)).count())) ::malloc_trim(0);
#endif
}

namespace {
/// From its first large piece that is freed on, glibc would take others of that size from the memory that it
/// keeps, where what is allocated next to them decides how much can be given back.
void map_large_pieces() {
#ifdef __GLIBC__
  constexpr int kLarge = 1 << 20;
  ::mallopt(M_MMAP_THRESHOLD, kLarge);
#endif
}
}  // namespace

std::function<bool(const Progress&)> returning_free_memory(std::function<bool(const Progress&)> next) {
  map_large_pieces();
  return [next = std::move(next)](const Progress& progress) {
    return_free_memory();
    return !next || next(progress);
  };
}

}  // namespace espalier::apps

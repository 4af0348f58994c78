#include "espalier/base/parallel.h"

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <thread>

#ifdef __SANITIZE_THREAD__
#include <atomic>
#include <exception>
#include <vector>
#endif

namespace espalier {

struct Workers::Arena {
  // Allows more threads than cores where the caller asks for them (TBB would cap silently).
  tbb::global_control limit;
  tbb::task_arena arena;
  explicit Arena(int threads)
      : limit(tbb::global_control::max_allowed_parallelism, static_cast<size_t>(threads)), arena(threads) {}
};

Workers::Workers(int threads)
    : threads_(threads > 0 ? threads : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()))) {
  if (threads_ > 1) arena_ = std::make_unique<Arena>(threads_);
}
Workers::~Workers() = default;
Workers::Workers(Workers&&) noexcept = default;
Workers& Workers::operator=(Workers&&) noexcept = default;

void Workers::for_each(size_t pieces, const std::function<void(size_t)>& run) const {
  if (threads_ == 1 || pieces <= 1) {
    for (size_t i = 0; i < pieces; ++i) run(i);
    return;
  }
#ifdef __SANITIZE_THREAD__
  // TBB's own library is not instrumented, so the sanitizer does not see how it orders things and finds races
  // everywhere. Plain threads show it what is to be checked: the pieces.
  std::atomic<size_t> next{0};
  std::vector<std::exception_ptr> thrown(pieces);
  const auto work = [&] {
    for (size_t i = next++; i < pieces; i = next++) {
      try {
        run(i);
      } catch (...) {
        thrown[i] = std::current_exception();
      }
    }
  };
  std::vector<std::thread> crew;
  for (int t = 1; t < threads_; ++t) crew.emplace_back(work);
  work();
  for (std::thread& thread : crew) thread.join();
  for (const std::exception_ptr& exception : thrown)
    if (exception) std::rethrow_exception(exception);
#else
  arena_->arena.execute([&] {
    tbb::parallel_for(
        size_t{0}, pieces, [&](size_t i) { run(i); }, tbb::simple_partitioner());
  });
#endif
}

}  // namespace espalier

#include "espalier/base/parallel.h"

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <thread>

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
  arena_->arena.execute([&] {
    tbb::parallel_for(size_t{0}, pieces, [&](size_t i) { run(i); }, tbb::simple_partitioner());
  });
}

}  // namespace espalier

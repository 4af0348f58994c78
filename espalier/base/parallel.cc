#include "espalier/base/parallel.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <limits>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "espalier/base/result.h"

#if defined(__x86_64__) || defined(__i386__)
#include <immintrin.h>
#endif

namespace espalier {

namespace {

/// How long an idle thread spins before it sleeps. Training runs two short loops per mini-batch, a few
/// hundred microseconds each, with a little serial work between them: a thread that slept in between would
/// spend the loop waking up.
constexpr auto kPatience = std::chrono::microseconds(100);

void pause_briefly() {
#if defined(__x86_64__) || defined(__i386__)
  _mm_pause();
#else
  std::this_thread::yield();
#endif
}

/// Spins until `ready()`; false if it gave up first.
template <typename Ready>
bool spin_until(const Ready& ready) {
  const auto start = std::chrono::steady_clock::now();
  while (true) {
    for (int i = 0; i < 64; ++i) {
      if (ready()) return true;
      pause_briefly();
    }
    if (std::chrono::steady_clock::now() - start > kPatience) return false;
  }
}

}  // namespace

/// Threads that share the pieces of one loop at a time. The remaining work is one atomic number, so that a
/// late thread cannot take a piece of a loop that is over: the high half of `open_` counts loops, the low
/// half the pieces not taken yet. A thread takes a piece by decrementing it; while a piece runs the loop
/// cannot end, so the thread may read run_ and pieces_.
class Workers::Crew {
 public:
  explicit Crew(int others) {
    try {
      threads_.reserve(static_cast<size_t>(others));
      for (int t = 0; t < others; ++t) threads_.emplace_back([this] { live(); });
    } catch (const std::system_error& error) {
      const size_t started = threads_.size();
      dismiss();
      throw std::system_error(error.code(),
                              fmt::format("cannot start thread {} of {}", started + 2, others + 1));
    } catch (...) {
      dismiss();
      throw;
    }
  }
  ~Crew() { dismiss(); }

  /// Returns false without running anything if the pool is busy with another loop.
  bool run_all(size_t pieces, const std::function<void(size_t)>& run) {
    if (busy_.exchange(true)) return false;
    pieces_ = pieces;
    run_ = &run;
    done_ = 0;
    open_ = ((open_.load() >> 32) + 1) << 32 | pieces;
    if (sleeping_ > 0) {
      // The lock ensures that a thread which has counted itself as sleeping either sees the pieces or gets
      // the notification.
      { const std::lock_guard lock(mutex_); }
      wake_.notify_all();
    }
    take_pieces();
    while (!spin_until([&] { return done_ == pieces; })) std::this_thread::yield();
    const std::exception_ptr thrown = std::exchange(thrown_, nullptr);
    busy_ = false;
    if (thrown) std::rethrow_exception(thrown);
    return true;
  }

 private:
  void dismiss() {
    {
      const std::lock_guard lock(mutex_);
      dismissed_ = true;
    }
    wake_.notify_all();
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }

  static uint32_t left(uint64_t open) { return static_cast<uint32_t>(open); }

  void take_pieces() {
    uint64_t open = open_;
    while (left(open) > 0) {
      if (!open_.compare_exchange_weak(open, open - 1)) continue;
      const size_t piece = pieces_ - left(open);
      try {
        (*run_)(piece);
      } catch (...) {
        const std::lock_guard lock(mutex_);
        if (!thrown_) thrown_ = std::current_exception();
      }
      ++done_;
      open = open_;
    }
  }

  void live() {
    while (true) {
      take_pieces();
      if (spin_until([&] { return left(open_) > 0; })) continue;
      std::unique_lock lock(mutex_);
      ++sleeping_;
      wake_.wait(lock, [&] { return dismissed_ || left(open_) > 0; });
      --sleeping_;
      if (dismissed_) return;
    }
  }

  std::atomic<bool> busy_{false};  ///< with a loop
  std::atomic<uint64_t> open_{0};
  std::atomic<size_t> done_{0};
  size_t pieces_ = 0;
  const std::function<void(size_t)>* run_ = nullptr;
  std::exception_ptr thrown_;

  std::mutex mutex_;  ///< for sleep, and for thrown_
  std::condition_variable wake_;
  std::atomic<int> sleeping_{0};
  bool dismissed_ = false;
  std::vector<std::thread> threads_;
};

Workers::Workers(int threads)
    : threads_(threads > 0 ? threads : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()))) {
  if (threads_ > 1) crew_ = std::make_unique<Crew>(threads_ - 1);
}
Workers::~Workers() = default;
Workers::Workers(Workers&&) noexcept = default;
Workers& Workers::operator=(Workers&&) noexcept = default;

void Workers::for_each(size_t pieces, const std::function<void(size_t)>& run) const {
  ESPALIER_CHECK(pieces <= std::numeric_limits<uint32_t>::max());
  if (crew_ != nullptr && pieces > 1 && crew_->run_all(pieces, run)) return;
  for (size_t i = 0; i < pieces; ++i) run(i);
}

}  // namespace espalier

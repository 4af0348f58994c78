// Who has the interpreter lock while sequences are labelled one by one.
//
// Labelling a sentence takes 3 to 30 µs, about as long as to wake a thread that sleeps until it gets the
// lock, or less. And next to a thread that computes in Python, whoever gives the lock away waits 5 ms for it
// (the interpreter's switch interval). So a call whose work is short keeps the lock, unless several threads
// are labelling. These take turns: each marks when it holds the lock, and whoever wants it watches the mark
// for a moment before it goes to sleep. If a thread gets the lock back late all the same, the next calls keep
// it. Threads that label batches mark and watch, too, and for longer: what the other one reads between two
// blocks takes it a tenth of a millisecond or two.
//
// Tested in python/tests/test_threads.py; python/bench.py threads measures it.
#pragma once

#include <Python.h>

#include <ctime>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "python/native/interpreter_lock.h"

namespace espalier::python {

/// Gives the interpreter lock away until it is destroyed, if that is worth it.
class Unlocked {
 public:
  using Clock = std::chrono::steady_clock;

  /// `expected`: how long the work takes.
  explicit Unlocked(std::chrono::microseconds expected) : watch_(expected >= kShort ? kLongWatch : kWatch) {
    if (!worth_it(expected)) return;
    kept_before_ = kept_.load(std::memory_order_relaxed);
    thread_ = PyEval_SaveThread();
    taken_.store(false, std::memory_order_release);
  }
  ~Unlocked() {
    if (thread_ == nullptr) return;
    watch(watch_);
    const auto began = about_now();
    take_lock([&] { PyEval_RestoreThread(thread_); });
    mark();
    if (about_now() - began > kLate) late();
  }
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;

  /// The calling thread has the lock, and will soon give it away or be done.
  static void mark() {
    if (!taken_.load(std::memory_order_relaxed)) taken_.store(true, std::memory_order_relaxed);
  }

 private:
  static constexpr std::chrono::microseconds kTiny{2}, kShort{100}, kWatch{120}, kLongWatch{250}, kLate{1500};
  static constexpr int kCompared = 8;      ///< every so many calls a thread looks whether others label, too
  static constexpr int kAlternating = 64;  ///< calls after which a thread counts as the only one
  static constexpr int kKept = 256;        ///< calls that keep the lock after two that got it back late
  static constexpr int kRare = 256;        ///< calls between the two, or more: they are no reason

  /// What a thread counts for itself.
  struct Calls {
    int until_compared = 0;
    int alternating = 0;  ///< so many calls to come are next to another thread's
    int since_late = kRare;
  };
  static Calls& mine() {
    thread_local Calls calls;
    return calls;
  }

  /// This thread got the lock back late. That may happen once, for example because another program needed the
  /// processor, and it happens whenever another thread keeps the lock for its calls, which is over by itself.
  /// If neither is the reason, some thread computes in Python, and the next calls had better keep the lock.
  void late() const {
    if (kept_.load(std::memory_order_relaxed) != kept_before_) return;
    Calls& calls = mine();
    if (calls.since_late < kRare) keep_.store(kKept, std::memory_order_relaxed);
    calls.since_late = 0;
  }

  /// What several threads write here goes from one core to the other, so in most calls it is only read.
  static bool worth_it(std::chrono::microseconds expected) {
    if (expected >= kShort) return true;
    Calls& calls = mine();
    if (--calls.until_compared < 0) {
      calls.until_compared = kCompared - 1;
      calls.alternating = std::max(0, calls.alternating - kCompared);
      // All threads that come here have the lock, so plain loads and stores are enough.
      if (last_.load(std::memory_order_relaxed) != &calls) {
        last_.store(&calls, std::memory_order_relaxed);
        calls.alternating = kAlternating;
      }
    }
    if (calls.alternating == 0 || expected < kTiny) return false;
    const int keep = keep_.load(std::memory_order_relaxed);
    if (keep > 0) {
      keep_.store(keep - 1, std::memory_order_relaxed);
      kept_.store(kept_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
      return false;
    }
    calls.since_late = std::min(kRare, calls.since_late + 1);
    return true;
  }

  /// The time to within a few milliseconds, which takes a fifth as long to ask for. A wait that is shorter
  /// may seem as long as that, about once in a thousand calls.
  static std::chrono::nanoseconds about_now() {
#if defined(CLOCK_MONOTONIC_COARSE)
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
#else
    return Clock::now().time_since_epoch();
#endif
  }

  /// Waits until no thread is marked as having the lock, but not long; then marks this one.
  static void watch(std::chrono::microseconds time) {
    if (take_mark()) return;
    static const bool alone = std::thread::hardware_concurrency() < 2;
    if (alone || watching_.exchange(true, std::memory_order_relaxed)) return;  // one that watches is enough
    for (Clock::time_point until{};;) {
      for (int i = 0; i < 64; ++i) {
        pause();
        if (taken_.load(std::memory_order_relaxed) || !take_mark()) continue;
        watching_.store(false, std::memory_order_relaxed);
        return;
      }
      const auto now = Clock::now();  // most waits are over before it is asked
      if (until == Clock::time_point{}) until = now + time;
      if (now >= until) break;
    }
    watching_.store(false, std::memory_order_relaxed);
  }
  static bool take_mark() {
    bool expected = false;
    return taken_.compare_exchange_strong(expected, true, std::memory_order_acquire);
  }
  static void pause() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#else
    std::atomic_signal_fence(std::memory_order_seq_cst);
#endif
  }

  std::chrono::microseconds watch_;
  PyThreadState* thread_ = nullptr;
  unsigned kept_before_ = 0;  ///< `kept_` when the lock was given away
  // In cache lines of their own: a thread that watches the mark must not hold up those that count their
  // calls.
  alignas(64) static inline std::atomic<bool> taken_{false};
  static inline std::atomic<bool> watching_{false};
  alignas(64) static inline std::atomic<const Calls*> last_{nullptr};
  alignas(64) static inline std::atomic<int> keep_{0};
  static inline std::atomic<unsigned> kept_{0};  ///< calls that kept the lock
};

}  // namespace espalier::python

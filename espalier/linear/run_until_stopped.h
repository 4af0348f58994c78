// Lets work end at once that cannot be stopped: the solver of libsvm looks at no flag. Call run_until_stopped
// with work that owns all it touches. Tested in run_until_stopped_test.cc.
#pragma once

#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "espalier/base/progress.h"

namespace espalier::linear {

/// What `work` returns, or nothing once the monitor asks to stop. The work then goes on in a thread of its
/// own that nobody waits for, until it ends or the program does; so it must own, through shared pointers,
/// whatever it reads and writes. Where nobody can ask to stop, or no thread can be had, it runs in the
/// calling thread. What it throws is thrown here.
template <typename T>
std::optional<T> run_until_stopped(const Monitor& monitor, std::function<T()> work) {
  if (monitor.stop == nullptr && monitor.cancelled == nullptr) return work();
  struct Shared {
    std::function<T()> work;
    std::mutex mutex;
    std::condition_variable has_ended;
    bool ended = false;
    std::optional<T> result;
    std::exception_ptr thrown;
  };
  const auto shared = std::make_shared<Shared>();
  shared->work = std::move(work);
  std::thread thread;
  try {
    thread = std::thread([shared] {
      std::optional<T> result;
      std::exception_ptr thrown;
      try {
        result = shared->work();
      } catch (...) {
        thrown = std::current_exception();
      }
      const std::scoped_lock lock(shared->mutex);
      shared->result = std::move(result);
      shared->thrown = thrown;
      shared->ended = true;
      shared->has_ended.notify_one();
    });
  } catch (const std::system_error&) {
    return shared->work();
  }
  {
    constexpr std::chrono::milliseconds kLookEvery(20);
    std::unique_lock lock(shared->mutex);
    while (!shared->has_ended.wait_for(lock, kLookEvery, [&] { return shared->ended; })) {
      if (!monitor.stop_requested()) continue;
      thread.detach();
      return std::nullopt;
    }
  }
  thread.join();
  if (shared->thrown) std::rethrow_exception(shared->thrown);
  return std::move(shared->result);
}

}  // namespace espalier::linear

// How long work talks to its caller: reports go out through a callback, the wish to stop comes in through a
// flag.
#pragma once

#include <atomic>
#include <functional>

#include "espalier/public/progress.h"

namespace espalier {

/// Given to every long-running function. Copyable, cheap; a default one is silent and never stops.
struct Monitor {
  std::function<void(const Progress&)> on_progress;
  const std::atomic<bool>* stop = nullptr;  ///< a caller's flag, set from anywhere (a signal, another thread)
  const std::atomic<bool>* cancelled = nullptr;  ///< a second one: whoever hears the reports asks to stop

  void report(const Progress& progress) const {
    if (on_progress) on_progress(progress);
  }
  /// True once the caller wants the work to end early with what it has.
  bool stop_requested() const { return is_set(stop) || is_set(cancelled); }

 private:
  static bool is_set(const std::atomic<bool>* flag) {
    return flag != nullptr && flag->load(std::memory_order_relaxed);
  }
};

}  // namespace espalier

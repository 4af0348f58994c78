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
  const std::atomic<bool>* stop = nullptr;

  void report(const Progress& progress) const {
    if (on_progress) on_progress(progress);
  }
  /// True once the caller wants the work to end early with what it has.
  bool stop_requested() const { return stop != nullptr && stop->load(std::memory_order_relaxed); }
};

}  // namespace espalier

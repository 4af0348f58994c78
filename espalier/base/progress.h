// How long-running work talks to its caller: it reports progress through a callback and looks at a flag that
// asks it to stop. Calling Monitor::report costs a function call; do it a few times per second, not per
// token.
#pragma once

#include <atomic>
#include <functional>

#include "espalier/public/progress.h"

namespace espalier {

/// Given to every long-running function. Copyable, cheap; a default one is silent and never stops.
struct Monitor {
  std::function<void(const Progress&)> on_progress;
  const std::atomic<bool>* stop = nullptr;       ///< a caller's flag, set from anywhere (a signal, another thread)
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

/// A report on work that goes over its data several times: `share` of pass number `pass`, counted from 1, is
/// done.
inline Progress pass_progress(int pass, int passes, double share) {
  Progress progress;
  progress.phase = "training";
  progress.done = pass - 1 + share;
  progress.total = passes;
  progress.round = pass;
  return progress;
}

}  // namespace espalier

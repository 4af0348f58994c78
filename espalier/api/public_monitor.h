// The monitor behind the progress callback and the stop flag of a public function.
//
// Make a PublicMonitor on the stack and pass monitor() to the library's own functions; stopped() says
// afterwards whether the caller ended the work. Both the callback and the flag must outlive it. Make it
// before any file is opened: it also ends waits for pipes. Tested in train_test.cc and ensemble_test.cc.
#pragma once

#include <atomic>
#include <functional>

#include "espalier/base/files/wait_scope.h"
#include "espalier/base/progress.h"

namespace espalier::api {

/// Neither copyable nor movable: the monitor points into the object. Of one thread, as its WaitScope.
class PublicMonitor {
 public:
  PublicMonitor(const std::function<bool(const Progress&)>& on_progress, const std::atomic<bool>* stop) {
    monitor_.stop = stop;
    monitor_.cancelled = &cancelled_;
    if (on_progress)
      monitor_.on_progress = [this, &on_progress](const Progress& progress) {
        if (!on_progress(progress)) cancelled_.store(true, std::memory_order_relaxed);
      };
  }
  PublicMonitor(const PublicMonitor&) = delete;
  PublicMonitor& operator=(const PublicMonitor&) = delete;

  const Monitor& monitor() const { return monitor_; }
  bool stopped() const { return monitor_.stop_requested(); }

 private:
  std::atomic<bool> cancelled_{false};  ///< set when the callback returns false
  Monitor monitor_;
  const WaitScope waiting_{monitor_};
};

}  // namespace espalier::api

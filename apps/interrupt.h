// Ctrl-C as a request to stop early instead of the end of the process.
//
// Make an InterruptGuard before long work, and give its flag() to the library. Tested in interrupt_test.sh.
#pragma once

#include <signal.h>

#include <atomic>
#include <thread>

namespace espalier::apps {

/// While it exists, the first SIGINT, SIGTERM or SIGHUP only sets a flag; the second ends the process as
/// usual. A read that waits for a line ends, too, where the library has the flag. Only one may exist at a
/// time. Throws std::system_error if the system refuses to start a thread.
///
/// The signals are blocked in the calling thread, and so in those that it starts, and taken by a thread of
/// their own: whatever handler a library installs meanwhile (CBC does, for SIGINT) is never called. Make one
/// before any thread starts. A process that is started meanwhile has to unblock them.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  const std::atomic<bool>* flag() const;
  /// The signal that was received, or 0.
  int signal() const;

 private:
  sigset_t mask_before_{};
  std::atomic<bool> ending_{false};
  std::thread watcher_;
};

}  // namespace espalier::apps

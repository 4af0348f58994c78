// Ctrl-C as a wish to stop rather than the end.
#pragma once

#include <atomic>

namespace espalier::apps {

/// While one of these lives, the first SIGINT, SIGTERM or SIGHUP only sets a flag, for a Monitor to see; the
/// second of its kind ends the process as usual. With `end_input`, the first also ends standard input, so
/// that somebody who waits there for a line that never comes gets to see the flag. One at a time.
class InterruptGuard {
 public:
  enum class Input { kLeave, kEnd };
  explicit InterruptGuard(Input input);
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  const std::atomic<bool>* flag() const;
  /// The signal that came, or 0.
  int signal() const;
};

}  // namespace espalier::apps

// Ctrl-C as a request to stop early instead of the end of the process.
//
// Make an InterruptGuard before long work, and give its flag() to the library. Tested in interrupt_test.sh.
#pragma once

#include <atomic>

namespace espalier::apps {

/// While it exists, the first SIGINT, SIGTERM or SIGHUP only sets a flag; the second signal of the same kind
/// ends the process as usual. With Input::kEnd, the first also ends standard input, so that a read that waits
/// for a line returns and the flag is seen. Only one may exist at a time.
class InterruptGuard {
 public:
  enum class Input { kLeave, kEnd };
  explicit InterruptGuard(Input input);
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  const std::atomic<bool>* flag() const;
  /// The signal that was received, or 0.
  int signal() const;
};

}  // namespace espalier::apps

// Ends a wait for a file that may never be ready: a pipe that nobody writes to or reads from, a terminal at
// which nobody types. Make a WaitScope where a stop flag is known; Input and AtomicFile ask it. Tested in
// input_test.cc, atomic_file_test.cc and apps/tests/interrupt_test.sh.
#pragma once

#include "espalier/base/progress.h"

namespace espalier {

/// While it lives, reads and writes of its thread that wait for another program fail soon after the monitor
/// asks to stop. A thread's own, and no argument, as a StopScope: whoever opens a file knows of no monitor.
/// The innermost one counts.
class WaitScope {
 public:
  explicit WaitScope(const Monitor& monitor) : monitor_(monitor), outer_(current_) { current_ = this; }
  ~WaitScope() { current_ = outer_; }
  WaitScope(const WaitScope&) = delete;
  WaitScope& operator=(const WaitScope&) = delete;

  /// Whether there is one, and nobody should wait any longer.
  static bool wanted() { return current_ != nullptr && current_->monitor_.stop_requested(); }
  /// Whether there is one.
  static bool present() { return current_ != nullptr; }

 private:
  static inline thread_local WaitScope* current_ = nullptr;
  const Monitor& monitor_;
  WaitScope* outer_;
};

/// Waits until the file can be read at once, or has ended or failed, which a read tells. False: a WaitScope
/// asked to stop first.
bool wait_until_readable(int file);
/// Waits until a few thousand bytes (PIPE_BUF) can be written at once, or never. False as above.
bool wait_until_writable(int file);
/// Waits a moment, for what cannot be waited for otherwise.
void wait_a_moment();

}  // namespace espalier

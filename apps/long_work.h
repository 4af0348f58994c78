// Long work in a verb: a bar on a terminal, and Ctrl-C as a request to stop.
//
// Make a LongWork, let it watch() the options of the call, and return interrupted(...) if that has a value.
// Header only; tested in interrupt_test.sh.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "apps/command.h"
#include "apps/free_memory.h"
#include "apps/interrupt.h"
#include "apps/progress_display.h"

namespace espalier::apps {

/// Must outlive the call that it watches. Only one may exist at a time.
class LongWork {
 public:
  explicit LongWork(bool quiet)
      : display_(quiet ? ProgressDisplay::Mode::kQuiet : ProgressDisplay::Mode::kBarOnly) {}

  template <typename Options>
  void watch(Options& options) {
    options.on_progress = display_.callback();
    options.stop = interrupt_.flag();
  }
  /// The same for work that trains models: memory that it has freed goes back to the system.
  template <typename Options>
  void watch_training(Options& options) {
    watch(options);
    options.on_progress = returning_free_memory(std::move(options.on_progress));
  }
  ProgressDisplay& display() { return display_; }
  const std::atomic<bool>* stop() const { return interrupt_.flag(); }
  int signal() const { return interrupt_.signal(); }

  /// To be called when the work has ended: removes the bar. After a signal, the outcome of the verb, with
  /// this message.
  std::optional<Outcome> interrupted(std::string message) {
    display_.clear();
    if (signal() == 0) return std::nullopt;
    return Outcome{128 + signal(), std::move(message)};
  }

 private:
  ProgressDisplay display_;
  InterruptGuard interrupt_;
};

}  // namespace espalier::apps

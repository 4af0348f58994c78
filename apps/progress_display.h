// Shows the progress of long work on standard error.
//
// Make a ProgressDisplay and pass callback() to the library. Costs nothing noticeable: at most ten redraws
// per second on a terminal, a line every few seconds elsewhere.
#pragma once

#include <chrono>
#include <functional>
#include <mutex>
#include <string>

#include "espalier/espalier.h"

namespace espalier::apps {

/// The bar: phase, how much is done, pass, objective, score on the development data, time left. At most
/// `width` characters wide. `seconds` is how long the phase has been running.
std::string progress_bar(const Progress& progress, double seconds, size_t width);

/// The log line of a round if there is no terminal: phase, pass, objective, score, time since the start.
std::string progress_line(const Progress& progress, double seconds);

/// On a terminal, a line that is redrawn at most ten times per second; otherwise, one line at the end of a
/// round, at most one every three seconds, and always one for the last round. Warnings are told at once. Safe
/// to call from any thread.
class ProgressDisplay {
 public:
  enum class Mode { kAuto, kQuiet, kBarOnly };  ///< kBarOnly: nothing if there is no terminal
  explicit ProgressDisplay(Mode mode);
  ~ProgressDisplay() { clear(); }
  ProgressDisplay(const ProgressDisplay&) = delete;
  ProgressDisplay& operator=(const ProgressDisplay&) = delete;

  void show(const Progress& progress);
  /// Removes the bar from the screen, so that other text can follow.
  void clear();
  /// A callback that shows reports here and never stops the work; this object must outlive it.
  std::function<bool(const Progress&)> callback();

 private:
  using Clock = std::chrono::steady_clock;
  void say_held(Clock::time_point now);

  Mode mode_;
  size_t width_;  ///< of the terminal; 0: no terminal
  std::mutex mutex_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point phase_start_ = start_;
  Clock::time_point reported_at_ = start_;
  Clock::time_point drawn_at_{};
  Clock::time_point said_at_ = start_;  ///< without a terminal: the last line
  std::string held_;                    ///< the line of a round that ended since then
  std::string phase_;
  bool drawn_ = false;
};

}  // namespace espalier::apps

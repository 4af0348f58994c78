// How long work talks to its caller: reports go out through a callback, the wish to stop comes in through a
// flag.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>

namespace espalier {

/// One report. `done` of `total` steps of the named phase; the other fields where they make sense.
struct Progress {
  std::string phase;  ///< for example "reading", "training"
  double done = 0;
  double total = 0;                 ///< 0 when unknown
  std::optional<int> round;         ///< pass or iteration, from 1
  std::optional<double> objective;  ///< the learner's own measure, per token where it is a sum
  std::optional<double> dev_score;  ///< in percent
  bool round_ended = false;         ///< the last report of its round: worth a line in a log
};

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

// A point in time by which work must end. Make one with Deadline::after, pass it down by value, and ask
// passed() every few thousand steps: a call reads the clock, about 30 ns. Nothing ends by itself. Where the
// thread's work is to stop (stop_scope.h), time is up.
#pragma once

#include <algorithm>
#include <chrono>
#include <limits>

#include "espalier/base/stop_scope.h"

namespace espalier {

/// Wall-clock time. A default one never passes.
class Deadline {
 public:
  Deadline() = default;
  /// So many seconds from now; infinite or very large: never.
  static Deadline after(double seconds) {
    Deadline out;
    if (seconds < kNever) out.end_ = Clock::now() + duration(std::max(seconds, 0.0));
    return out;
  }

  bool passed() const {
    return (end_ != Clock::time_point::max() && Clock::now() >= end_) || StopScope::wanted();
  }
  /// The seconds that are left: 0 if it has passed, infinite if it never passes.
  double left() const {
    if (StopScope::wanted()) return 0;
    if (end_ == Clock::time_point::max()) return std::numeric_limits<double>::infinity();
    return std::max(0.0, std::chrono::duration<double>(end_ - Clock::now()).count());
  }
  /// An earlier one, for a first attempt that must leave time for a second: when this share of what is left
  /// has gone by.
  Deadline share(double part) const { return after(part * left()); }
  /// The same, or so many seconds from now if that is later.
  Deadline at_least(double seconds) const {
    Deadline out = *this;
    out.end_ = std::max(end_, after(seconds).end_);
    return out;
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr double kNever = 1e9;  ///< thirty years
  static Clock::duration duration(double seconds) {
    return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  }

  Clock::time_point end_ = Clock::time_point::max();
};

}  // namespace espalier

// Ends work in the middle of one step: the best hundred labellings of a hundred thousand tokens take minutes,
// an integer program as long as its time limit. Make a StopScope around the step; the work asks
// StopScope::wanted(). Tested in stop_scope_test.cc and apps/tests/interrupt_test.sh.
#pragma once

#include "espalier/base/progress.h"

namespace espalier {

/// While it lives, work that its thread does ends early, with results that mean nothing, once the monitor
/// asks to stop; whoever makes one of these looks at told() afterwards and drops them. A thread's own, and no
/// argument, because between the loop over sequences and what takes long there are interfaces that know of no
/// monitor (Predictor, BatchRunner::Gradient, Restriction). The innermost one counts.
class StopScope {
 public:
  explicit StopScope(const Monitor& monitor) : monitor_(monitor), outer_(current_) { current_ = this; }
  ~StopScope() { current_ = outer_; }
  StopScope(const StopScope&) = delete;
  StopScope& operator=(const StopScope&) = delete;

  /// Asked by the work; costs two loads. After true, it returns as soon as it can, with anything.
  static bool wanted() {
    if (current_ == nullptr || !current_->monitor_.stop_requested()) return false;
    current_->told_ = true;
    return true;
  }
  /// Whether any work was told to end.
  bool told() const { return told_; }

 private:
  static inline thread_local StopScope* current_ = nullptr;
  const Monitor& monitor_;
  StopScope* outer_;
  bool told_ = false;
};

}  // namespace espalier

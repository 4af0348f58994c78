// Ends kernels in the middle of a sequence: with thousands of labels one position takes 20 milliseconds, and
// a long sequence minutes. Tested in kernels_test.cc and apps/tests/many_labels_test.sh.
#pragma once

#include <cstddef>

#include "espalier/base/progress.h"

namespace espalier::chain {

/// While it lives, the kernels that its thread calls ask the monitor, at each position, whether to stop. Once
/// that is wanted they return at once, with sums and labels that mean nothing: whoever makes one of these
/// looks at the monitor afterwards and drops them. A thread's own, and no argument, because between a learner
/// and the kernels there are interfaces that know of no monitor (BatchRunner::Gradient, Restriction).
class StopKernels {
 public:
  explicit StopKernels(const Monitor& monitor) : before_(watched_) { watched_ = &monitor; }
  ~StopKernels() { watched_ = before_; }
  StopKernels(const StopKernels&) = delete;
  StopKernels& operator=(const StopKernels&) = delete;

  /// Asked by the kernels.
  static bool wanted(size_t labels) {
    constexpr size_t kManyLabels = 256;  // with fewer, sequences are short work
    return labels >= kManyLabels && watched_ != nullptr && watched_->stop_requested();
  }

 private:
  static inline thread_local const Monitor* watched_ = nullptr;
  const Monitor* before_;
};

}  // namespace espalier::chain

// Ends kernels in the middle of a sequence: with thousands of labels one position takes 20 milliseconds, and
// a long sequence minutes. Tested in kernels_test.cc and apps/tests/many_labels_test.sh.
#pragma once

#include <cstddef>

#include "espalier/base/stop_scope.h"

namespace espalier::chain {

/// A StopScope for kernels, which ask at each position. Once they are to stop they return at once, with sums
/// and labels that mean nothing.
class StopKernels : public StopScope {
 public:
  using StopScope::StopScope;

  /// Asked by the kernels.
  static bool wanted(size_t labels) {
    constexpr size_t kManyLabels = 256;  // with fewer, sequences are short work
    return labels >= kManyLabels && StopScope::wanted();
  }
};

}  // namespace espalier::chain

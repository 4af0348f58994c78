// Cuts one pass over the training data into a few steps, for progress reports and periodic work.
#pragma once

#include <cstddef>

#include "espalier/base/progress.h"

namespace espalier::chain {

/// At the end of each step, progress is reported and work on all weights (penalties, averages) is done, which
/// is cheap compared with the step itself.
class PassSteps {
 public:
  static constexpr size_t kSteps = 8;

  PassSteps(const Monitor& monitor, int pass, int passes, size_t sequences)
      : monitor_(monitor), pass_(pass), passes_(passes), sequences_(sequences) {}

  /// `done` sequences of the pass have been processed. Returns how many steps have ended since the last call:
  /// mostly 0, several if there are few sequences.
  size_t advance(size_t done) {
    const size_t ended = done * kSteps / sequences_;
    const size_t newly = ended - ended_;
    ended_ = ended;
    if (newly == 0) return 0;
    monitor_.report(
        pass_progress(pass_, passes_, static_cast<double>(done) / static_cast<double>(sequences_)));
    return newly;
  }

 private:
  const Monitor& monitor_;
  int pass_, passes_;
  size_t sequences_;
  size_t ended_ = 0;
};

}  // namespace espalier::chain

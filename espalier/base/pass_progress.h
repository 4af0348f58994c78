// How learners that go over their data again and again tell how far they are.
#pragma once

#include "espalier/base/progress.h"

namespace espalier {

/// The report that this share of the pass, counted from 1, is done.
inline Progress pass_progress(int pass, int passes, double share) {
  Progress progress;
  progress.phase = "training";
  progress.done = pass - 1 + share;
  progress.total = passes;
  progress.round = pass;
  return progress;
}

}  // namespace espalier

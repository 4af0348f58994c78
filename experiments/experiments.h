// The functions behind the table of experiments, one source file each (or one for a few that belong
// together).
#pragma once

#include "experiments/experiment.h"

namespace espalier::experiments {}  // namespace espalier::experiments

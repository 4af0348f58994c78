// The functions behind the table of experiments, one source file each (or one for a few that belong
// together).
#pragma once

#include "experiments/experiment.h"

namespace espalier::experiments {

Result<Report> beam_counterexamples(const Request& request);
Result<Report> beam_bounds(const Request& request);
Result<Report> beam_consistency(const Request& request);

}  // namespace espalier::experiments

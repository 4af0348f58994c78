// Public scores, merged: what cross-validation needs beyond the public header. Tested with api/evaluate_test.cc.
#pragma once

#include <vector>

#include "espalier/public/evaluate.h"

namespace espalier::api {

/// The scores of all predictions together.
Scores merged(const std::vector<Scores>& parts);

}  // namespace espalier::api

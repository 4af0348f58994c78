// A predicted summary as JSON. Tested in apps/tests/summary_test.sh.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "espalier/data/predictor.h"

namespace espalier::model {

/// Appends one object: the summary with the source of each token (tasks/summary/cluster.h), its score, and
/// how the search ended; with `nbest`, all summaries. `labels` are the names of the labels.
void append_summary_json(const data::Sequence& sequence, const data::Prediction& prediction,
                         std::span<const std::string_view> labels, bool nbest, std::string& out);

}  // namespace espalier::model

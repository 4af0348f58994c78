// Parses CRF++ templates and Wapiti patterns into a feature plan.
#pragma once

#include <span>
#include <string_view>

#include "espalier/base/result.h"
#include "espalier/data/features/feature_plan.h"

namespace espalier::data {

/// Parses the text of a template file. Each line is a CRF++ template (`U…`, `B…`) or a Wapiti pattern (`u…`,
/// `b…`, `*…`). A `U` or `B` line that uses a feature of Wapiti (%X, %t, %m, rows with @ or *) is a Wapiti
/// pattern, too. The dialects differ in what they see outside the sequence and in comments: Wapiti drops
/// everything after a `#`. `columns` are the cells that may be named. `bytes`: patterns and lower case see
/// bytes and ASCII letters, as Wapiti does, instead of characters. Errors start with `name:line:`.
Result<FeaturePlan> parse_templates(std::string_view text, std::string_view name,
                                    std::span<const size_t> columns, bool bytes = false);

}  // namespace espalier::data

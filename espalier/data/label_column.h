// Which column holds the label.
#pragma once

#include <cstddef>
#include <string_view>

#include "espalier/base/result.h"
#include "espalier/data/reader.h"

namespace espalier::data {

inline constexpr size_t kConlluColumns = 10;

/// The label's column from 0, in rows of `columns` cells (label included): what ReadOptions::label_column
/// says, or the format's default. Formats whose rows hold no label cell (CRFsuite items, letters, JSON lines)
/// take no choice.
Result<size_t> resolve_label_column(const ReadOptions& options, size_t columns);

}  // namespace espalier::data

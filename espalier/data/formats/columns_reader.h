// Reads columns: one token per line, cells separated by spaces or tabs, a blank line between sequences.
#pragma once

#include <memory>

#include "espalier/data/formats/lines.h"
#include "espalier/data/formats/reader.h"

namespace espalier::data {

/// Cells are separated by runs of spaces and tabs; if the first row contains a tab, by single tabs, so that
/// cells may be empty or contain spaces. Every row must have as many cells as the first.
Result<std::unique_ptr<Reader>> make_columns_reader(Lines lines, const ReadOptions& options);

}  // namespace espalier::data

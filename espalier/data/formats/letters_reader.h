// Reads handwritten letters in the format of Kassel's and Taskar's letter.data.
#pragma once

#include <memory>

#include "espalier/data/formats/lines.h"
#include "espalier/data/formats/reader.h"

namespace espalier::data {

/// One letter per line, tab-separated: id, letter, next_id, word_id, position, fold, then 16 × 8 pixels, row
/// by row. A word is a sequence; it ends where next_id is -1. The letter is the label, each pixel that is on
/// is an attribute `p_row_column` of value 1. A tab after the last pixel, as in the original file, is
/// allowed.
Result<std::unique_ptr<Reader>> make_letters_reader(Lines lines, const ReadOptions& options);

}  // namespace espalier::data

// Reads raw text: sentences found by text_split.h, each a sequence of one column, the word, with its place in
// the text (Sequence::offsets).
//
// Memory: a paragraph, or about a megabyte where a paragraph is longer. Sentences that have ended are
// returned as soon as their paragraph (for blanks: their line) has been read. Offsets count code points from
// the start of the text; a line end counts as one, a byte-order mark not at all.
#pragma once

#include <memory>

#include "espalier/data/formats/lines.h"
#include "espalier/data/formats/reader.h"

namespace espalier::data {

Result<std::unique_ptr<Reader>> make_text_reader(Lines lines, TextSplit split);

}  // namespace espalier::data

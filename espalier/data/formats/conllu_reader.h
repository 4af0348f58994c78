// Reads CoNLL-U treebanks.
#pragma once

#include <memory>

#include "espalier/data/formats/lines.h"
#include "espalier/data/formats/reader.h"

namespace espalier::data {

/// Ten tab-separated columns a word, all of them cells; a blank line after each sentence. Comments are kept
/// with the sequence; multiword tokens (`1-2`) and empty nodes (`8.1`) are no rows but extra lines, so that a
/// writer can put them back. Words must be numbered 1, 2, 3 …: that is what HEAD refers to, and how a missing
/// blank line shows.
Result<std::unique_ptr<Reader>> make_conllu_reader(Lines lines, const ReadOptions& options);

}  // namespace espalier::data

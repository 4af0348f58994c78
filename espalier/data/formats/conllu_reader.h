// Reads CoNLL-U treebanks: ten columns per word, a blank line after each sentence.
#pragma once

#include <memory>

#include "espalier/data/formats/lines.h"
#include "espalier/data/formats/reader.h"

namespace espalier::data {

/// All ten columns become cells. Comments are kept with the sequence; multiword tokens (`1-2`) and empty
/// nodes (`8.1`) are not rows but extra lines, so that a writer can put them back. Words must be numbered 1,
/// 2, 3 …, as HEAD refers to these numbers; this also detects a missing blank line.
Result<std::unique_ptr<Reader>> make_conllu_reader(Lines lines, const ReadOptions& options);

}  // namespace espalier::data

// Reads JSON lines: one object a line, one sequence an object.
#pragma once

#include <memory>

#include "espalier/data/formats/lines.h"
#include "espalier/data/formats/reader.h"

namespace espalier::data {

/// {"tokens": ["the", "cat"], "labels": ["DT", "NN"]} — a token is a string, an array of strings (its cells,
/// as many for every token of the file) or an object of numbers (its attributes: name and value). A label may
/// be null where it is not known. "fold" (a whole number) and "weight" (a number from 0 up) are optional;
/// other keys are passed over.
///
/// Labels become the last cell, after the token's own, exactly as in columns; a model trained on one serves
/// the other.
Result<std::unique_ptr<Reader>> make_jsonl_reader(Lines lines, const ReadOptions& options);

}  // namespace espalier::data

// Reads JSON lines: one object per line, one sequence per object.
#pragma once

#include <memory>

#include "espalier/data/formats/lines.h"
#include "espalier/data/formats/reader.h"

namespace espalier::data {

/// {"tokens": ["the", "cat"], "labels": ["DT", "NN"]} — a token is a string, an array of strings (its cells,
/// as many for every token of the file) or an object of numbers (its attributes: name and value). An unknown
/// label is null. "fold" (a whole number) and "weight" (a number of at least 0) are optional; other keys are
/// kept (Sequence::other_fields), so that writers of JSON lines put them back.
///
/// Labels become the last cell, after the token's own, as in columns, so a model trained on one format reads
/// the other.
Result<std::unique_ptr<Reader>> make_jsonl_reader(Lines lines, const ReadOptions& options);

}  // namespace espalier::data

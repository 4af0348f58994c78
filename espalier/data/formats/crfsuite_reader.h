// Reads CRFsuite items: one token per line, its label and then its attributes, a blank line between
// sequences.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "espalier/data/formats/lines.h"
#include "espalier/data/formats/reader.h"

namespace espalier::data {

/// `label TAB attribute TAB attribute:value …`. In names, `\:` stands for a colon and `\\` for a backslash;
/// any other backslash stands for itself, as in CRFsuite. A missing value is 1. A field `@weight:2.5` in
/// place of the label sets the weight of the sequence.
Result<std::unique_ptr<Reader>> make_crfsuite_reader(Lines lines, const ReadOptions& options);

/// Appends a label or an attribute's name with colons and backslashes escaped.
void append_crfsuite_name(std::string_view name, std::string& out);

}  // namespace espalier::data

// The text of a sequence as bytes, for temporary files: what features are made of, its cells and attributes,
// and nothing else.
#pragma once

#include <string>
#include <string_view>

#include "espalier/data/sequence.h"

namespace espalier::linear {

/// Appends the cells and attributes of a sequence.
void append_text(const data::Sequence& sequence, std::string& out);

/// Makes a sequence of what append_text appended. It has no labels, lines or comments. Precondition: the
/// bytes are those of one sequence.
void restore_text(std::string_view bytes, data::Sequence& out);

}  // namespace espalier::linear

// Patterns for labels in constraints, such as `B-*` and `I-$`: `*` stands for any text, `$` for one text that
// is the same wherever it occurs in a statement.
#pragma once

#include <string>
#include <string_view>

#include "espalier/constrain/language.h"

namespace espalier::constrain {

/// Whether the pattern matches the whole text. `*` matches any text, also none. `$` matches *bound; where
/// `bound` is null, `$` matches any text of at least one character, the shortest that fits, which is stored
/// in *capture unless that is null. Time: at most length of pattern × length of text, whatever the number of
/// stars; times the squared length of the text for an unbound `$`.
bool matches(std::string_view pattern, std::string_view text, const std::string* bound, std::string* capture);

/// Whether the term is a pattern, not the name of a label.
bool is_pattern(const LabelTerm& term);
/// Whether any of the terms contains `$`.
bool has_placeholder(const LabelTerms& terms);

}  // namespace espalier::constrain

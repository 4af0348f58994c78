// Expert automata in OpenFst's text format, as fstcompile reads it and fstprint writes it. Call
// parse_fst_text(). Linear in the text.
#pragma once

#include <string>
#include <string_view>

#include "espalier/base/result.h"
#include "espalier/ensemble/automaton/openfst_bridge.h"

namespace espalier::ensemble {

/// One transition per line, "source target label [cost]", or "state [cost]" for a final state; the source of
/// the first line is the start. States are any whole numbers from 0. Where all labels are whole numbers they
/// are experts, from 1; otherwise all are experts' names. Input and output label, as fstprint writes them,
/// are understood where they are equal: every transition has five fields, or four of which the last two are
/// the same. Costs are −log of weights. Errors name the line.
Result<openfst::PlainFst> parse_fst_text(std::string_view text, const std::string& name);

/// Whether a file begins as text of this kind does: with a digit, after blanks.
bool looks_like_fst_text(std::string_view beginning);

}  // namespace espalier::ensemble

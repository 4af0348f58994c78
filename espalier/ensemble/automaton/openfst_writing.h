// For tests only: OpenFst files to read. Tested in automaton_test.cc.
#pragma once

#include <string>

#include "espalier/ensemble/automaton/openfst_bridge.h"

namespace espalier::ensemble::openfst {

/// Writes an acceptor as a binary vector FST of standard arcs. Returns whether it could be written.
bool write_fst(const std::string& path, const PlainFst& fst);

}  // namespace espalier::ensemble::openfst

// Which code made a result. A result that `reproduce --all` kept stands in for a new run only while the code
// that an experiment runs is what it was: code_of() is a hash over the sources of the modules that its paper
// uses and of the paper's own folder (cmake/code_parts.cmake computes the parts when the program is built).
// Comments count as code: a result that was thrown away for nothing costs minutes, one that was kept wrongly
// is wrong.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace espalier::research {

/// A module or a folder of research/, and a hash over its headers and sources.
struct CodePart {
  std::string_view name, hash;
};
/// Of the tree that the program was built from.
std::span<const CodePart> code_parts();

/// The parts whose code an experiment runs: "espalier/chain", "research/searn".
std::vector<std::string_view> parts_of(std::string_view experiment);
/// A hash over those.
std::string code_of(std::string_view experiment, std::span<const CodePart> parts = code_parts());

}  // namespace espalier::research

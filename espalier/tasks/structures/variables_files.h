// The synthetic variables as files: what `synth variables` writes and `train --task variables` reads. Tested
// in variables_test.cc and apps/tests/tasks_test.sh.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "espalier/tasks/structures/variables.h"

namespace espalier::tasks {

/// One example as a line: {"x":[[numbers of variable 1], …],"y":[0, 1, …]}. The 1 of the threshold is left
/// out.
std::string variables_line(const VariablesData& data, size_t example);
/// The legal assignments, one per line: 0 1 1 0 1.
std::string legal_assignments(const VariablesProblem& problem);

}  // namespace espalier::tasks

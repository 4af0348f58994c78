// The verb compare in the programs that do its work; the command only checks its options (compare.cc). Tested in
// compare_test.sh and mpi_test.sh.
#pragma once

#include <string>
#include <vector>

#include "apps/command.h"

namespace espalier::apps {

void add_compare_run(CLI::App& app, Action& action);

/// An error if the page would overwrite one of its inputs, or cannot be written.
Status check_page(const std::string& page, const std::vector<std::vector<std::string>>& inputs);

}  // namespace espalier::apps

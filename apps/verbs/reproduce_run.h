// The verb reproduce in the programs that do its work; the command only checks its options (reproduce.cc).
// Tested in reproduce_test.sh and mpi_test.sh.
#pragma once

#include "apps/command.h"

namespace espalier::apps {

void add_reproduce_run(CLI::App& app, Action& action);

}  // namespace espalier::apps

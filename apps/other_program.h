// Verbs that are programs of their own: this process becomes the other program, with the same command line,
// standard streams and signals. Tested in reproduce_test.sh and server/server_test.py.
#pragma once

#include <string_view>

#include "apps/command.h"

namespace espalier::apps {

/// Only returns if the program cannot be run. It is looked for next to this one, as in the build tree, and
/// where `make install` puts it. `what` begins a message: "experiments are" not installed.
Outcome become_program(std::string_view program, std::string_view what);

}  // namespace espalier::apps

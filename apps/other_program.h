// Verbs that are programs of their own: this process becomes the other program, with the same command line,
// standard streams and signals. Tested in reproduce_test.sh and server/server_test.py.
#pragma once

#include <string>
#include <string_view>

#include "apps/command.h"

namespace espalier::apps {

/// The path of one of our programs. An error that says where it was looked for: next to this one, as in the
/// build tree, and where `make install` puts it.
Result<std::string> find_program(std::string_view program);

/// Only returns if the program cannot be run. `what` begins a message: "experiments are" not installed.
Outcome become_program(std::string_view program, std::string_view what);

}  // namespace espalier::apps

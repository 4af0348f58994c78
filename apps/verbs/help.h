// What the command says about tasks and learners, for `espalier help` and for the help of verbs that train.
// Tested in apps/tests/command_line_test.sh.
#pragma once

#include <string>

namespace espalier::apps {

/// The tasks, and the learners with a line each.
std::string learners_help();

}  // namespace espalier::apps

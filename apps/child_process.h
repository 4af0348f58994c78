// Runs this program again as a child, for work whose memory is measured or that must be ended by force.
// Tested in compare_test.sh.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "apps/command.h"

namespace espalier::apps {

/// Starts the program of this process with these arguments, gives it `input` on standard input and returns
/// what it prints. An error with its last message if it fails; if it takes longer than `seconds` (0: no
/// limit) or *stop becomes true, it is killed, which is an error too. It dies with this process.
Result<std::string> run_self(const std::vector<std::string>& arguments, const std::string& input,
                             double seconds, const std::atomic<bool>* stop);

}  // namespace espalier::apps

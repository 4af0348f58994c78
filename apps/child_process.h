// Runs one of our programs as a child, for work whose memory is measured or that must be ended by force.
// Tested in compare_test.sh.
#pragma once

#include <atomic>
#include <string>

#include "apps/crew.h"

namespace espalier::apps {

/// Starts the job's program, gives it its input and returns what it prints. An error with its last message if
/// it fails; if it takes longer than it may or *stop becomes true, it is killed, which is an error, too. It
/// dies with the calling thread.
Result<std::string> run_child(const ChildJob& job, const std::atomic<bool>* stop);

}  // namespace espalier::apps

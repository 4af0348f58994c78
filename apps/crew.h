// Runs programs as children, here or on all ranks: what `compare` and `reproduce --all` share out.
//
// Rank 0 makes a crew and calls run() from as many threads as size() says; the other ranks call work(), which
// returns when rank 0 is done with its crew. Without ranks, children run on this machine. Tested in
// compare_test.sh, reproduce_test.sh and mpi_test.sh.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "apps/command.h"

namespace espalier::apps {

/// A program to run, and what it gets.
struct ChildJob {
  std::string program;             ///< of ours, such as espalier-compare
  std::vector<std::string> words;  ///< its command line
  std::string input;               ///< its standard input
  double seconds = 0;              ///< after which it is killed; 0: never
};

class Crew {
 public:
  virtual ~Crew() = default;
  /// How many jobs can run at a time.
  virtual size_t size() const = 0;
  /// Waits for a free place, runs the job there and returns what it prints. An error with its last message if
  /// it fails; if it takes longer than it may or *stop becomes true, it is killed, which is an error, too.
  /// For any number of threads.
  virtual Result<std::string> run(const ChildJob& job, const std::atomic<bool>* stop) = 0;
  /// On ranks other than 0: runs what rank 0 asks for, until its crew is gone.
  virtual void work() = 0;
};

/// A crew that runs `per_machine` jobs at a time on every rank, or on this machine if there are none.
std::unique_ptr<Crew> make_crew(size_t per_machine);

/// How make_crew() makes one where there are ranks; a program sets it before run_command.
using CrewMaker = std::function<std::unique_ptr<Crew>(size_t per_machine)>;
void set_crew_maker(CrewMaker maker);

}  // namespace espalier::apps

// espalier reproduce: passes its command line to the program that runs the papers' experiments
// (reproduce_main.cc). Tested in reproduce_test.sh.
#include <CLI/CLI.hpp>
#include <memory>

#include "apps/command.h"
#include "apps/other_program.h"
#include "apps/verbs/reproduce_options.h"

namespace espalier::apps {

void add_reproduce(CLI::App& app, Action& action) {
  // The options are only checked here, but parsing writes them: the flags live as long as the verb.
  const std::shared_ptr<ReproduceFlags> flags = add_reproduce_options(app);
  app.get_subcommand("reproduce")->callback([&action, flags] {
    action = [] { return become_program("espalier-reproduce", "experiments are"); };
  });
}

}  // namespace espalier::apps

// espalier serve: passes its command line to the program that serves models over HTTP (serve_main.cc). Tested
// in server/server_test.py.
#include <CLI/CLI.hpp>
#include <memory>

#include "apps/command.h"
#include "apps/other_program.h"
#include "apps/verbs/serve_options.h"

namespace espalier::apps {

void add_serve(CLI::App& app, Action& action) {
  // The options are only checked here, but parsing writes them: the flags live as long as the verb.
  const std::shared_ptr<ServeFlags> flags = add_serve_options(app);
  app.get_subcommand("serve")->callback(
      [&action, flags] { action = [] { return become_program("espalier-serve", "server is"); }; });
}

}  // namespace espalier::apps

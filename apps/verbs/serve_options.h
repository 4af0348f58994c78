// The options of `espalier serve`, which two programs parse: the command, for its help and for errors on the
// command line, and then the program that serves (serve_main.cc). Tested in server/server_test.py and
// command_line_test.sh.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "apps/options.h"

namespace CLI {
class App;
}

namespace espalier::apps {

struct ServeFlags {
  std::vector<std::string> models, pipelines;
  std::string host = "127.0.0.1", token_file, cors_origin, log;
  int port = 8080, threads = 0;
  size_t body_bytes = 10'000'000, header_bytes = 16'384, tokens = 100'000, connections = 4'096,
         connection_requests = 100'000;
  double request_seconds = 30, idle_seconds = 60;
  bool allow_reload = false, quiet = false;
};

/// Adds the verb with its options and help. Parsing the command line fills the flags in, so the caller keeps
/// them until then.
[[nodiscard]] std::shared_ptr<ServeFlags> add_serve_options(CLI::App& app);

}  // namespace espalier::apps

// The program behind `espalier serve`, which starts it with its own command line (serve.cc): models over
// HTTP. It is a separate program so that the command can be built and installed without Boost. Tested in
// server/server_test.py.
#include <memory>

#include "apps/command.h"
#include "apps/terminal.h"
#include "apps/verbs/serve_options.h"
#include "server/server.h"

namespace espalier::apps {
namespace {

Outcome run(const ServeFlags& flags) {
  server::ServeOptions options;
  options.models = flags.models;
  options.pipelines = flags.pipelines;
  options.host = flags.host;
  options.port = flags.port;
  options.threads = flags.threads;
  options.limits = {flags.body_bytes,         flags.header_bytes, flags.tokens,
                    flags.request_seconds,    flags.idle_seconds, flags.connections,
                    flags.connection_requests};
  options.token_file = flags.token_file;
  options.cors_origin = flags.cors_origin;
  options.log = flags.log;
  options.allow_reload = flags.allow_reload;
  ESPALIER_TRY(server::serve(options, [&](const std::string& line) {
    const bool needed = line.starts_with("listening") || line.starts_with("error");
    if (needed || !flags.quiet) say("espalier: " + line);
  }));
  return {};
}

void add_server(CLI::App& app, Action& action) {
  const std::shared_ptr<ServeFlags> flags = add_serve_options(app);
  action = [flags] { return run(*flags); };
}

}  // namespace
}  // namespace espalier::apps

int main(int argc, char** argv) {
  static constexpr espalier::apps::AddVerb kVerbs[] = {espalier::apps::add_server};
  return espalier::apps::run_command(argc, argv, kVerbs);
}

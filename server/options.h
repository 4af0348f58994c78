// What `espalier serve` was asked for: models, where to listen, limits. apps/verbs/serve_options.cc fills it
// in from the command line.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace espalier::server {

/// What a client may cost. A request above a limit is refused with a status that says so.
struct Limits {
  size_t body_bytes = 10'000'000;
  size_t header_bytes = 16'384;
  size_t tokens = 100'000;               ///< of one sequence
  double request_seconds = 30;           ///< to receive a request, to answer it, and to send the answer
  double idle_seconds = 60;              ///< between the requests of a connection
  size_t connections = 4'096;            ///< at once
  size_t connection_requests = 100'000;  ///< on one connection; 0: no limit
};

struct ServeOptions {
  /// Each a path, or NAME=PATH. Without a name, that of the file without folder and ending.
  std::vector<std::string> models;
  std::vector<std::string> pipelines;  ///< each NAME=MODEL,MODEL…
  std::string host = "127.0.0.1";
  int port = 8080;  ///< 0: any that is free
  int threads = 0;  ///< 0: one per core
  Limits limits;
  std::string token_file;     ///< holds the bearer token that requests need; empty: none do
  std::string cors_origin;    ///< the origin whose pages may call the service; empty: none but its own
  std::string log;            ///< file of the access log, "-": standard output; empty: none
  bool allow_reload = false;  ///< POST /v1/models/NAME/reload
};

}  // namespace espalier::server

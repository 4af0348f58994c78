// The server: listens, hands connections to threads, and reacts to signals.
//
// serve() returns when the server has been asked to end: SIGTERM and SIGINT let it answer what it has begun,
// a second one ends it at once; SIGHUP reloads models that have changed and opens the log again. Tested in
// server_test.py.
#pragma once

#include <functional>
#include <string>

#include "espalier/public/result.h"
#include "server/options.h"

namespace espalier::server {

/// Runs until it is asked to end. `say` gets lines for the person who started it. An error if models cannot
/// be opened or the port is taken.
Status serve(const ServeOptions& options, const std::function<void(const std::string& line)>& say);

}  // namespace espalier::server

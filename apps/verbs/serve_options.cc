#include "apps/verbs/serve_options.h"

#include <CLI/CLI.hpp>

#include "apps/whole_number.h"

namespace espalier::apps {
namespace {

constexpr const char* kServeHelp =
    R"(Answer requests over HTTP, and show a page that tags text in a browser

Each MODEL is a model file, under its name without folder and ending, or under a name of its own (entities=ner.model). The
page is at http://HOST:PORT/; requests and answers are described in docs/service.md. Nothing leaves the machine, and nothing is
stored. SIGTERM and Ctrl-C answer what has begun and end; SIGHUP reloads models whose files have changed, and keeps those
that are damaged.)";

constexpr const char* kServeExamples = R"(Examples:
  espalier serve chunks.model
  espalier serve pos.model chunks.model entities=ner.model --pipeline all=pos,chunks,entities
  espalier serve chunks.model --port 0 --log access.log --token-file token.txt
The first request:
  curl http://127.0.0.1:8080/v1/tag -d '{"tokens": ["The", "cat", "slept"]}')";

}  // namespace

std::shared_ptr<ServeFlags> add_serve_options(CLI::App& app) {
  CLI::App& verb = *app.add_subcommand("serve", kServeHelp);
  const auto flags = std::make_shared<ServeFlags>();
  verb.add_option("MODEL", flags->models, "model files, each FILE or NAME=FILE")->type_name("")->required();
  add_repeated_option(
      verb, "--pipeline", flags->pipelines,
      "models that run one after the other, each reading the labels of\nthose before it; may be repeated",
      "NAME=MODEL,MODEL");
  add_number_option(verb, "--port", flags->port,
                    "port to listen on; 0: any that is free, which is printed [8080]", 0, 65535);
  verb.add_option("--host", flags->host, "address to listen on [127.0.0.1, this machine only]")
      ->type_name("ADDRESS");
  verb.add_option("--token-file", flags->token_file,
                  "requests need the bearer token in this file's first line")
      ->type_name("FILE");
  verb.add_option("--cors-origin", flags->cors_origin, "pages of this origin may call the service [none]")
      ->type_name("ORIGIN");
  verb.add_option("--log", flags->log, "write a line of JSON per request; -: to standard output [none]")
      ->type_name("FILE");
  verb.add_flag("--allow-reload", flags->allow_reload, "allow POST /v1/models/NAME/reload");
  add_number_option(verb, "--max-body", flags->body_bytes, "bytes of a request's body [10000000]", 1,
                    2'000'000'000);
  add_number_option(verb, "--max-header", flags->header_bytes, "bytes of a request's header [16384]", 256,
                    1'000'000);
  add_number_option(verb, "--max-tokens", flags->tokens, "tokens of a sequence [100000]", 1, 100'000'000);
  add_number_option(verb, "--max-connections", flags->connections, "connections at once [4096]", 1,
                    1'000'000);
  add_number_option(verb, "--max-requests", flags->connection_requests,
                    "requests on one connection; 0: no limit [100000]", 0, 1'000'000'000);
  verb.add_option("--request-time", flags->request_seconds, "seconds to receive, to answer and to send [30]")
      ->type_name("S")
      ->check(above_zero());
  verb.add_option("--idle-time", flags->idle_seconds, "seconds between the requests of a connection [60]")
      ->type_name("S")
      ->check(above_zero());
  add_threads_option(verb, flags->threads);
  verb.add_flag("-q,--quiet", flags->quiet, "print errors and the address only");
  verb.footer(kServeExamples);
  return flags;
}

}  // namespace espalier::apps

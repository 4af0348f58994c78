// Reads the input as the bytes of a connection: requests are parsed, routed and answered as the server does,
// by two small models and a pipeline. Every input is also tried as a file of scores, and one that looks like
// JSON as the body of a request to each path.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "server/http.h"
#include "server/server_test_support.h"
#include "server/service.h"

namespace {

using namespace espalier::server;

Service& the_service() {
  static const ModelFolder folder;
  static const std::unique_ptr<Service> service = [] {
    ServeOptions options;
    options.limits.tokens = 200;
    options.limits.body_bytes = 100'000;
    options.limits.request_seconds = 1;
    return small_service(folder, options);
  }();
  return *service;
}

void check(const HttpAnswer& answer) {
  if (answer.status < 200 || answer.status > 599 || answer.status == 500) std::abort();
  if (answer.status >= 400 && answer.status != 503 && answer.type != "application/problem+json") std::abort();
}

/// As connection.cc does it, without a socket.
void as_connection(std::string_view bytes) {
  Service& service = the_service();
  RequestReader reader(service.limits());
  for (int steps = 0; steps < 1000; ++steps) {
    size_t used = 0;
    const RequestReader::State state = reader.feed(bytes, used);
    bytes.remove_prefix(used);
    if (state == RequestReader::State::kFailed) return check(reader.failure());
    if (state == RequestReader::State::kHeader) {
      if (const auto refused = service.accept_header(reader.request())) return check(*refused);
      if (Service::is_stream(reader.request())) reader.stream_body();
      continue;
    }
    if (state == RequestReader::State::kNeedsMore) {
      if (used == 0) return;
      continue;
    }
    if (Service::is_stream(reader.request())) {
      if (service.answer_line(reader.request().body).empty()) std::abort();
    } else {
      check(service.answer(reader.request()));
    }
    reader.next();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  as_connection(bytes);
  if (bytes.starts_with("{"))
    for (const char* path : {"/v1/tag", "/v1/explain", "/v1/decode"}) {
      HttpRequest request;
      request.method = "POST";
      request.path = path;
      request.body = bytes;
      check(the_service().answer(request));
    }
  HttpRequest scores;
  scores.method = "POST";
  scores.path = "/v1/decode";
  scores.query = bytes.starts_with("\x93NUMPY") ? "labels=A,B&nbest=2" : "marginals=true";
  scores.content_type =
      bytes.starts_with("PK") || !scores.query.starts_with("m") ? "application/octet-stream" : "text/plain";
  scores.body = bytes;
  check(the_service().answer(scores));
  return 0;
}

// HTTP/1.1 as values: a request, an answer, and the parser that makes requests of bytes.
//
// RequestReader takes bytes as they arrive and keeps nothing that it does not need: a body is copied once,
// and never grows beyond the limit. No sockets here; connection.h has them. The parser is Boost.Beast's.
// Tested in http_test.cc.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "server/options.h"

namespace espalier::server {

struct HttpRequest {
  std::string method;  ///< as sent, such as POST
  std::string path;    ///< percent-decoded, without the query
  std::string query;   ///< after the question mark, as sent
  std::string content_type, accept, authorization, if_none_match;
  std::string body;
  bool keep_alive = true;
  bool http_1_0 = false;
  bool expects_continue = false;  ///< the client waits for "100 Continue" before it sends the body
};

struct HttpAnswer {
  int status = 200;
  std::string type = "application/json";
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers = {};
};

/// An error as application/problem+json.
HttpAnswer problem(int status, std::string_view detail);
/// The words that belong to a status, such as "Not Found".
std::string_view reason_phrase(int status);
/// The object of a problem, without a line feed.
std::string problem_json(int status, std::string_view detail);

/// Appends the bytes of an answer. `head_only`: for HEAD, without the body. `chunked`: the body follows in
/// chunks (append_chunk), the answer's own is left out.
struct AnswerStyle {
  bool close = false;
  bool head_only = false;
  bool chunked = false;
  std::string_view date;  ///< the value of the header Date
};
void append_answer(const HttpAnswer& answer, const AnswerStyle& style, std::string& out);
/// Appends one chunk of a chunked body; an empty one ends it.
void append_chunk(std::string_view bytes, std::string& out);

/// "%41b+c" as text: "Ab c" in queries, "Ab+c" in paths. Nothing if an escape is malformed.
std::optional<std::string> percent_decoded(std::string_view text, bool plus_is_blank);
/// The names and values of a query, decoded. Nothing if it is malformed.
std::optional<std::vector<std::pair<std::string, std::string>>> query_fields(std::string_view query);

/// Reads the requests of one connection. Not safe to share between threads.
class RequestReader {
 public:
  enum class State {
    kNeedsMore,
    kHeader,  ///< the header is complete, request() has it; the body, if any, follows
    kDone,    ///< request() is complete
    kFailed   ///< failure() says why; nothing more can be read from the connection
  };
  explicit RequestReader(const Limits& limits);
  ~RequestReader();
  RequestReader(RequestReader&&) noexcept;
  RequestReader& operator=(RequestReader&&) noexcept;

  /// Takes bytes, as many as belong to the step that it completes; `used` is their number. Bytes that were
  /// not used are given again, with those that follow them.
  State feed(std::string_view bytes, size_t& used);
  HttpRequest& request() { return request_; }
  const HttpAnswer& failure() const { return failure_; }
  /// Whether bytes of a request have been seen.
  bool begun() const { return begun_; }
  /// The body has no limit of its own; the caller takes what has arrived out of request().body. Call it in
  /// kHeader.
  void stream_body() { streaming_ = true; }
  /// Begins the next request.
  void next();

 private:
  struct Parser;
  State fail(int status, std::string_view detail);
  State take_header();

  Limits limits_;
  std::unique_ptr<Parser> parser_;
  HttpRequest request_;
  HttpAnswer failure_;
  bool begun_ = false, header_taken_ = false, streaming_ = false;
};

}  // namespace espalier::server

#include "server/http.h"

#include <fmt/format.h>

#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <cstdint>
#include <iterator>
#include <limits>

#include "server/json_out.h"

namespace espalier::server {

namespace http = boost::beast::http;

std::string_view reason_phrase(int status) {
  const auto phrase = http::obsolete_reason(static_cast<http::status>(status));
  return {phrase.data(), phrase.size()};
}

std::string problem_json(int status, std::string_view detail) {
  std::string out = "{\"type\":\"about:blank\",\"title\":";
  append_json_string(reason_phrase(status), out);
  fmt::format_to(std::back_inserter(out), ",\"status\":{},\"detail\":", status);
  append_json_string(detail, out);
  out += "}";
  return out;
}

HttpAnswer problem(int status, std::string_view detail) {
  return {status, "application/problem+json", problem_json(status, detail) + "\n"};
}

void append_answer(const HttpAnswer& answer, const AnswerStyle& style, std::string& out) {
  fmt::format_to(std::back_inserter(out), "HTTP/1.1 {} {}\r\nContent-Type: {}\r\n", answer.status,
                 reason_phrase(answer.status), answer.type);
  if (style.chunked) {
    out += "Transfer-Encoding: chunked\r\n";
  } else if (answer.status != 204 && answer.status != 304) {
    fmt::format_to(std::back_inserter(out), "Content-Length: {}\r\n", answer.body.size());
  }
  if (!style.date.empty()) out.append("Date: ").append(style.date).append("\r\n");
  out += "X-Content-Type-Options: nosniff\r\n";
  for (const auto& [name, value] : answer.headers) out.append(name).append(": ").append(value).append("\r\n");
  if (style.close) out += "Connection: close\r\n";
  out += "\r\n";
  if (!style.head_only && !style.chunked) out += answer.body;
}

void append_chunk(std::string_view bytes, std::string& out) {
  fmt::format_to(std::back_inserter(out), "{:x}\r\n", bytes.size());
  out.append(bytes).append("\r\n");
}

namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

/// The part of a media type before its parameters, in lower case.
std::string media_type(std::string_view value) {
  value = value.substr(0, value.find(';'));
  while (!value.empty() && (value.back() == ' ' || value.back() == '\t')) value.remove_suffix(1);
  std::string out(value);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

}  // namespace

/// A body that grows as bytes arrive: nothing is allocated because a header promises it.
struct GrowingBody {
  using value_type = std::string;
  class reader {
   public:
    template <bool isRequest, class Fields>
    reader(http::header<isRequest, Fields>&, value_type& body) : body_(body) {}
    void init(const boost::optional<std::uint64_t>&, boost::beast::error_code& ec) { ec = {}; }
    template <class Buffers>
    size_t put(const Buffers& buffers, boost::beast::error_code& ec) {
      ec = {};
      size_t taken = 0;
      for (const auto buffer : boost::beast::buffers_range_ref(buffers)) {
        body_.append(static_cast<const char*>(buffer.data()), buffer.size());
        taken += buffer.size();
      }
      return taken;
    }
    void finish(boost::beast::error_code& ec) { ec = {}; }

   private:
    value_type& body_;
  };
};

std::optional<std::string> percent_decoded(std::string_view text, bool plus_is_blank) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && plus_is_blank) {
      out.push_back(' ');
    } else if (text[i] != '%') {
      out.push_back(text[i]);
    } else {
      if (i + 2 >= text.size()) return std::nullopt;
      const int high = hex_digit(text[i + 1]), low = hex_digit(text[i + 2]);
      if (high < 0 || low < 0) return std::nullopt;
      out.push_back(static_cast<char>(high * 16 + low));
      i += 2;
    }
  }
  return out;
}

std::optional<std::vector<std::pair<std::string, std::string>>> query_fields(std::string_view query) {
  std::vector<std::pair<std::string, std::string>> out;
  while (!query.empty()) {
    const std::string_view item = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(query.size(), item.size() + 1));
    if (item.empty()) continue;
    const size_t equals = item.find('=');
    auto name = percent_decoded(item.substr(0, equals), true);
    auto value = percent_decoded(equals == item.npos ? std::string_view() : item.substr(equals + 1), true);
    if (!name || !value) return std::nullopt;
    out.emplace_back(std::move(*name), std::move(*value));
  }
  return out;
}

struct RequestReader::Parser {
  std::optional<http::request_parser<GrowingBody>> parser;

  void begin(const Limits& limits) {
    parser.emplace();
    parser->header_limit(static_cast<std::uint32_t>(limits.header_bytes));
    // Not boost::none: this version of Beast then refuses every body.
    parser->body_limit(
        std::numeric_limits<std::uint64_t>::max());  // feed() counts: what the limit is depends on the header
    parser->eager(false);
  }
};

RequestReader::RequestReader(const Limits& limits) : limits_(limits), parser_(std::make_unique<Parser>()) {
  parser_->begin(limits_);
}
RequestReader::~RequestReader() = default;
RequestReader::RequestReader(RequestReader&&) noexcept = default;
RequestReader& RequestReader::operator=(RequestReader&&) noexcept = default;

void RequestReader::next() {
  parser_->begin(limits_);
  request_ = {};
  begun_ = header_taken_ = streaming_ = false;
}

RequestReader::State RequestReader::fail(int status, std::string_view detail) {
  failure_ = problem(status, detail);
  return State::kFailed;
}

RequestReader::State RequestReader::take_header() {
  auto& parser = *parser_->parser;
  const auto& message = parser.get();
  const auto text = [&](http::field name) {
    const auto value = message[name];
    return std::string(value.data(), value.size());
  };
  const auto target = message.target();
  const std::string_view whole(target.data(), target.size());
  const size_t question = whole.find('?');
  const auto path = percent_decoded(whole.substr(0, question), false);
  request_.method = std::string(message.method_string().data(), message.method_string().size());
  if (!path || whole.empty() || (whole[0] != '/' && whole != "*"))
    return fail(400, "the target of the request is not a path");
  request_.path = *path;
  if (question != whole.npos) request_.query = whole.substr(question + 1);
  if (message.version() != 11 && message.version() != 10)
    return fail(505, "HTTP/1.1 and HTTP/1.0 are supported");
  request_.http_1_0 = message.version() == 10;
  if (!request_.http_1_0 && message.count(http::field::host) != 1)
    return fail(400, "the header Host must be there once");
  request_.keep_alive = parser.keep_alive() && !request_.http_1_0;
  request_.content_type = media_type(text(http::field::content_type));
  request_.accept = text(http::field::accept);
  request_.authorization = text(http::field::authorization);
  request_.if_none_match = text(http::field::if_none_match);
  request_.expects_continue = boost::beast::iequals(message[http::field::expect], "100-continue");
  header_taken_ = true;
  return State::kHeader;
}

RequestReader::State RequestReader::feed(std::string_view bytes, size_t& used) {
  used = 0;
  auto& parser = *parser_->parser;
  const auto too_large = [&] {
    return fail(413, fmt::format("the body is larger than {} bytes", limits_.body_bytes));
  };
  if (header_taken_) {
    if (!streaming_ && parser.content_length() && *parser.content_length() > limits_.body_bytes)
      return too_large();
    if (parser.is_done()) {
      request_.body.append(parser.get().body());
      parser.get().body().clear();
      return State::kDone;
    }
    parser.eager(true);
  }
  begun_ = begun_ || !bytes.empty();
  boost::beast::error_code ec;
  used = parser.put(boost::asio::const_buffer(bytes.data(), bytes.size()), ec);
  if (ec && ec != http::error::need_more) {
    if (ec == http::error::header_limit)
      return fail(431, fmt::format("the header is larger than {} bytes", limits_.header_bytes));
    return fail(400, fmt::format("this is not an HTTP request: {}", ec.message()));
  }
  if (!header_taken_) return parser.is_header_done() ? take_header() : State::kNeedsMore;
  std::string& body = parser.get().body();
  if (request_.body.empty()) {
    request_.body.swap(body);
  } else {
    request_.body.append(body);
  }
  body.clear();
  if (!streaming_ && request_.body.size() > limits_.body_bytes) return too_large();
  return parser.is_done() ? State::kDone : State::kNeedsMore;
}

}  // namespace espalier::server

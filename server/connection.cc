#include "server/connection.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <chrono>
#include <cstring>
#include <ctime>

namespace espalier::server {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

constexpr size_t kSmallBuffer = 4 * 1024, kLargeBuffer = 64 * 1024;
constexpr auto kTick = std::chrono::milliseconds(250);
constexpr auto kLinger = std::chrono::seconds(5);

Clock::duration seconds(double count) {
  return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(count));
}

}  // namespace

// ---- Shard
// ---------------------------------------------------------------------------------------------------------

Shard::Shard(Shared& shared) : shared_(shared), work_(asio::make_work_guard(context_)), timer_(context_) {
  asio::post(context_, [this] { tick(); });
}

void Shard::tick() {
  date_ = fmt::format("{:%a, %d %b %Y %H:%M:%S} GMT", fmt::gmtime(std::time(nullptr)));
  const auto now = Clock::now();
  const std::vector<std::shared_ptr<Connection>> all(connections_.begin(), connections_.end());
  for (const auto& connection : all) connection->check(now);
  shared_.log.flush();
  end_if_drained();
  timer_.expires_after(kTick);
  timer_.async_wait([this](const boost::system::error_code& error) {
    if (!error) tick();
  });
}

void Shard::end_if_drained() {
  if (draining_ && connections_.empty()) end();
}

void Shard::end() {
  if (ended_) return;
  ended_ = true;
  if (on_end) on_end();
  context_.stop();
}

void Shard::add(tcp::socket socket, bool refused) {
  auto connection = std::make_shared<Connection>(*this, std::move(socket));
  connections_.insert(connection);
  if (draining_) return connection->close();
  if (refused) return connection->refuse(problem(503, "there are too many connections"));
  connection->start();
}

void Shard::drain() {
  draining_ = true;
  const std::vector<std::shared_ptr<Connection>> all(connections_.begin(), connections_.end());
  for (const auto& connection : all) connection->drain();
  end_if_drained();
}

void Shard::stop() {
  const std::vector<std::shared_ptr<Connection>> all(connections_.begin(), connections_.end());
  for (const auto& connection : all) connection->close();
  end();
}

// ---- Connection
// ----------------------------------------------------------------------------------------------------

Connection::Connection(Shard& shard, tcp::socket socket)
    : shard_(shard),
      service_(shard.shared().service),
      socket_(std::move(socket)),
      reader_(service_.limits()),
      buffer_(kSmallBuffer) {
  boost::system::error_code ignored;
  if (shard_.shared().log.enabled()) client_ = socket_.remote_endpoint(ignored).address().to_string();
  socket_.non_blocking(true, ignored);
  socket_.set_option(tcp::no_delay(true), ignored);
}

Connection::~Connection() { service_.metrics().connections.fetch_sub(1, std::memory_order_relaxed); }

void Connection::start() {
  enter(Phase::kIdle);
  read();
}

void Connection::enter(Phase phase) {
  phase_ = phase;
  const Limits& limits = service_.limits();
  const auto now = Clock::now();
  switch (phase) {
    case Phase::kIdle:
      deadline_ = now + seconds(limits.idle_seconds);
      break;
    case Phase::kLingering:
      deadline_ = now + kLinger;
      break;
    case Phase::kWorking:
      deadline_ = Clock::time_point::max();  // the service keeps to its own deadline
      break;
    default:
      deadline_ = now + seconds(limits.request_seconds);
  }
}

void Connection::check(Clock::time_point now) {
  if (now < deadline_ || closed_) return;
  if (phase_ != Phase::kLingering && phase_ != Phase::kIdle)
    service_.metrics().timeouts.fetch_add(1, std::memory_order_relaxed);
  if (phase_ == Phase::kReceiving && !streaming_) {
    boost::system::error_code ignored;
    socket_.cancel(ignored);  // the read; its handler sees the phase and leaves
    return refuse(problem(
        408, fmt::format("the request did not arrive within {} s", service_.limits().request_seconds)));
  }
  close();
}

void Connection::drain() {
  close_after_ = true;
  if (phase_ == Phase::kIdle) return close();
  if (streaming_ && phase_ == Phase::kReceiving && stream_header_sent_) {  // between two lines
    boost::system::error_code ignored;
    socket_.cancel(ignored);  // the read; its handler sees the phase and leaves
    phase_ = Phase::kWorking;
    lines_done({});
  }
}

void Connection::close() {
  if (closed_) return;
  closed_ = true;
  boost::system::error_code ignored;
  socket_.close(ignored);
  shard_.remove(shared_from_this());
}

void Connection::read() {
  if (begin_ == end_) {
    begin_ = end_ = 0;
    // Between requests only a small buffer is held.
    if (phase_ == Phase::kIdle && buffer_.size() > kSmallBuffer) {
      buffer_.resize(kSmallBuffer);
      buffer_.shrink_to_fit();
    }
  } else if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (end_ == buffer_.size() ||
      (phase_ == Phase::kReceiving && buffer_.size() < kLargeBuffer && begin_ == end_))
    buffer_.resize(std::max(buffer_.size() * 2, phase_ == Phase::kReceiving ? kLargeBuffer : kSmallBuffer));
  socket_.async_read_some(asio::buffer(buffer_.data() + end_, buffer_.size() - end_),
                          [self = shared_from_this()](const boost::system::error_code& error, size_t bytes) {
                            self->on_read(error, bytes);
                          });
}

void Connection::on_read(const boost::system::error_code& error, size_t bytes) {
  // A read that was under way when time was up: its connection is being refused already.
  if (closed_ || (phase_ != Phase::kIdle && phase_ != Phase::kReceiving)) return;
  if (error) return close();
  received_ += bytes;
  end_ += bytes;
  process();
}

void Connection::process() {
  processing_ = true;  // answers that are ready at once are sent without another call of this function
  while (!closed_ && (phase_ == Phase::kIdle || phase_ == Phase::kReceiving)) {
    const std::string_view bytes(buffer_.data() + begin_, end_ - begin_);
    if (phase_ == Phase::kIdle) {
      if (bytes.empty()) break;
      enter(Phase::kReceiving);
      request_began_ = Clock::now();
    }
    size_t used = 0;
    const RequestReader::State state = reader_.feed(bytes, used);
    begin_ += used;
    if (state == RequestReader::State::kFailed) {
      refuse(reader_.failure());
      break;
    }
    if (state == RequestReader::State::kHeader) {
      if (!take_header()) break;
      continue;
    }
    if (state == RequestReader::State::kDone) {
      request_complete_ = Clock::now();
      if (streaming_) {
        stream_ended_ = true;
        answer_lines();
      } else {
        answer_request();
      }
      continue;
    }
    // More is needed. Bytes that the parser does not take are a header, or the line before a chunk.
    if (used == 0 && end_ - begin_ > service_.limits().header_bytes + kSmallBuffer) {
      refuse(problem(400, "the header of a chunk is too long"));
      break;
    }
    if (streaming_ && reader_.request().body.find('\n') != std::string::npos) {
      answer_lines();
      continue;
    }
    if (streaming_ && reader_.request().body.size() > service_.limits().body_bytes) {
      refuse(problem(413, fmt::format("a line is longer than {} bytes", service_.limits().body_bytes)));
      break;
    }
    if (begin_ == end_ || used == 0) break;
  }
  processing_ = false;
  if (!closed_ && (phase_ == Phase::kIdle || phase_ == Phase::kReceiving)) read();
}

bool Connection::take_header() {
  HttpRequest& request = reader_.request();
  ++requests_;
  const size_t most = service_.limits().connection_requests;
  close_after_ =
      close_after_ || !request.keep_alive || (most > 0 && requests_ >= most) || service_.draining();
  if (auto refused = service_.accept_header(request)) {
    refuse(*refused);
    return false;
  }
  streaming_ = Service::is_stream(request);
  if (streaming_) {
    reader_.stream_body();
    if (!request.query.empty() || request.http_1_0) {
      refuse(problem(400, request.http_1_0
                              ? "streams need HTTP/1.1"
                              : "options of a stream are fields of its lines, not in the query"));
      return false;
    }
  }
  if (request.expects_continue) {
    size_t used = 0;
    // A body that is too long is refused before the client sends it.
    if (reader_.feed({}, used) == RequestReader::State::kFailed) {
      refuse(reader_.failure());
      return false;
    }
    constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
    boost::system::error_code ignored;
    socket_.write_some(asio::buffer(kContinue.data(), kContinue.size()), ignored);
  }
  return true;
}

void Connection::answer_request() {
  enter(Phase::kWorking);
  if (Service::is_quick(reader_.request())) return finish(service_.answer(reader_.request()));
  asio::post(shard_.shared().workers, [self = shared_from_this()] {
    auto answer = std::make_shared<HttpAnswer>(self->service_.answer(self->reader_.request()));
    asio::post(self->shard_.context(), [self, answer] {
      if (!self->closed_) self->finish(*answer);
    });
  });
}

void Connection::finish(const HttpAnswer& answer) {
  append_answer(answer, {close_after_, reader_.request().method == "HEAD", false, shard_.date()}, out_);
  log(answer.status);
  send();
}

void Connection::refuse(const HttpAnswer& answer) {
  if (stream_header_sent_) return close();  // in the middle of an answer there is no place for another
  close_after_ = true;
  request_complete_ = Clock::now();
  append_answer(answer, {true, reader_.request().method == "HEAD", false, shard_.date()}, out_);
  log(answer.status);
  reader_.request().keep_alive = false;
  streaming_ = false;
  phase_ = Phase::kWorking;
  send();
}

void Connection::answer_lines() {
  std::string& body = reader_.request().body;
  const size_t end = stream_ended_ ? body.size() : body.rfind('\n') + 1;
  auto lines = std::make_shared<std::string>(body.substr(0, end));
  body.erase(0, end);
  enter(Phase::kWorking);
  asio::post(shard_.shared().workers, [self = shared_from_this(), lines] {
    auto chunks = std::make_shared<std::string>();
    std::string_view rest = *lines;
    while (!rest.empty()) {
      const std::string_view line = rest.substr(0, rest.find('\n'));
      rest.remove_prefix(std::min(rest.size(), line.size() + 1));
      if (line.find_first_not_of(" \t\r") == line.npos) continue;
      append_chunk(self->service_.answer_line(std::string(line)), *chunks);
    }
    asio::post(self->shard_.context(), [self, chunks] {
      if (!self->closed_) self->lines_done(*chunks);
    });
  });
}

void Connection::lines_done(const std::string& chunks) {
  if (!stream_header_sent_) {
    HttpAnswer answer;
    answer.type = "application/x-ndjson";
    append_answer(answer, {close_after_, false, true, shard_.date()}, out_);
    stream_header_sent_ = true;
  }
  out_ += chunks;
  stream_ended_ = stream_ended_ || service_.draining();  // a stream could go on for ever
  if (stream_ended_) {
    append_chunk({}, out_);
    log(200);
  }
  send();
}

void Connection::log(int status) {
  const auto now = Clock::now();
  const double took = std::chrono::duration<double>(now - request_complete_).count();
  const HttpRequest& request = reader_.request();
  if (!streaming_) service_.metrics().count_request(service_.endpoint_of(request), status, took);
  service_.metrics().count_bytes(std::exchange(received_, 0), out_.size() - out_begin_);
  if (!shard_.shared().log.enabled()) return;
  shard_.shared().log.add({client_, request.method, request.path, status, request.body.size(),
                           out_.size() - out_begin_,
                           std::chrono::duration<double>(now - request_began_).count()});
}

void Connection::send() {
  enter(Phase::kSending);
  boost::system::error_code error;
  while (out_begin_ < out_.size()) {
    const size_t written =
        socket_.write_some(asio::buffer(out_.data() + out_begin_, out_.size() - out_begin_), error);
    if (error == asio::error::would_block || error == asio::error::try_again) break;
    if (error) return close();
    out_begin_ += written;
  }
  if (out_begin_ == out_.size()) return sent();
  asio::async_write(socket_, asio::buffer(out_.data() + out_begin_, out_.size() - out_begin_),
                    [self = shared_from_this()](const boost::system::error_code& failed, size_t) {
                      if (self->closed_) return;
                      if (failed) return self->close();
                      self->sent();
                    });
}

void Connection::sent() {
  constexpr size_t kKept = 64 * 1024;
  if (out_.capacity() > kKept) {
    out_ = {};
  } else {
    out_.clear();
  }
  out_begin_ = 0;
  if (streaming_ && !stream_ended_) {
    enter(Phase::kReceiving);
    deadline_ = Clock::now() + seconds(service_.limits().idle_seconds);  // for the next line
  } else if (close_after_) {
    enter(Phase::kLingering);
    boost::system::error_code ignored;
    socket_.shutdown(tcp::socket::shutdown_send, ignored);
    return linger();
  } else {
    reader_.next();
    streaming_ = stream_ended_ = stream_header_sent_ = false;
    enter(Phase::kIdle);
  }
  if (!processing_) process();
}

void Connection::linger() {
  if (buffer_.size() < kLargeBuffer) buffer_.resize(kLargeBuffer);
  socket_.async_read_some(asio::buffer(buffer_),
                          [self = shared_from_this()](const boost::system::error_code& error, size_t) {
                            if (self->closed_) return;
                            if (error) return self->close();
                            self->linger();
                          });
}

}  // namespace espalier::server

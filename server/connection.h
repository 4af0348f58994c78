// One connection: reads requests, has them answered, writes the answers.
//
// A connection belongs to one thread (its Shard) and is touched by no other. Requests that take long are
// answered by a pool of threads; the connection reads nothing meanwhile, so a client cannot pile up work. A
// total time for receiving a request, not one per byte, keeps slow clients from holding a connection. Tested
// in server_test.py.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "server/access_log.h"
#include "server/http.h"
#include "server/service.h"

namespace espalier::server {

class Connection;

/// What all connections use.
struct Shared {
  Service& service;
  AccessLog& log;
  boost::asio::thread_pool& workers;
};

/// The connections of one thread, and the thread's clock: deadlines are checked four times per second.
class Shard {
 public:
  explicit Shard(Shared& shared);
  void run() { context_.run(); }
  boost::asio::io_context& context() { return context_; }
  /// Takes over a socket that was accepted for this shard's context; `refused`: only to say that there are
  /// too many. Call on the shard's thread.
  void add(boost::asio::ip::tcp::socket socket, bool refused);
  void remove(const std::shared_ptr<Connection>& connection) { connections_.erase(connection); }
  /// Closes what is idle; the rest is closed after its answer. The thread ends when nothing is left.
  void drain();
  /// Called, on the shard's thread, before it ends.
  std::function<void()> on_end;
  /// Closes everything at once.
  void stop();
  std::string_view date() const { return date_; }
  Shared& shared() { return shared_; }

 private:
  void tick();
  void end_if_drained();
  void end();

  Shared& shared_;
  boost::asio::io_context context_{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
  boost::asio::steady_timer timer_;
  std::unordered_set<std::shared_ptr<Connection>> connections_;
  std::string date_;
  bool draining_ = false, ended_ = false;
};

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(Shard& shard, boost::asio::ip::tcp::socket socket);
  ~Connection();
  void start();
  /// Sends an answer after which nothing is read any more.
  void refuse(const HttpAnswer& answer);
  /// Closes the connection if its time is up.
  void check(Clock::time_point now);
  void drain();
  void close();

 private:
  enum class Phase {
    kIdle,       ///< between requests
    kReceiving,  ///< part of a request is here
    kWorking,    ///< it is being answered
    kSending,
    kLingering  ///< the last answer is sent; what still comes is thrown away, so that the client reads the
                ///< answer
  };
  void enter(Phase phase);
  void read();
  void on_read(const boost::system::error_code& error, size_t bytes);
  /// Goes on with the bytes that are here, until more are needed or a request is being worked on.
  void process();
  /// The header is complete. False if the connection was closed or refused the request.
  bool take_header();
  void answer_request();
  void finish(const HttpAnswer& answer);
  void answer_lines();
  void lines_done(const std::string& chunks);
  void send();
  void sent();
  void linger();
  void log(int status);

  Shard& shard_;
  Service& service_;
  boost::asio::ip::tcp::socket socket_;
  std::string client_;
  RequestReader reader_;
  std::vector<char> buffer_;
  size_t begin_ = 0, end_ = 0;  ///< unread bytes in it
  std::string out_;
  size_t out_begin_ = 0;
  Phase phase_ = Phase::kIdle;
  Clock::time_point deadline_, request_began_, request_complete_;
  size_t requests_ = 0, received_ = 0;
  bool close_after_ = false, streaming_ = false, stream_ended_ = false, stream_header_sent_ = false,
       closed_ = false, processing_ = false;
};

}  // namespace espalier::server

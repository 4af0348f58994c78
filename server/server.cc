#include "server/server.h"

#include <fmt/format.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <system_error>
#include <thread>

#include "server/connection.h"

namespace espalier::server {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using Say = std::function<void(const std::string&)>;

template <typename... Args>
Error failed(fmt::format_string<Args...> format, Args&&... args) {
  return Error{fmt::format(format, std::forward<Args>(args)...)};
}

/// Tells systemd how the service is doing, if it started it (Type=notify).
void notify(std::string_view state) {
  const char* const path = std::getenv("NOTIFY_SOCKET");
  if (path == nullptr || (path[0] != '/' && path[0] != '@')) return;
  sockaddr_un address{};
  const std::string_view name = path;
  if (name.size() >= sizeof(address.sun_path)) return;
  address.sun_family = AF_UNIX;
  name.copy(address.sun_path, name.size());
  if (name[0] == '@') address.sun_path[0] = '\0';
  const int socket = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (socket < 0) return;
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
  (void)::sendto(socket, state.data(), state.size(), MSG_NOSIGNAL,
                 reinterpret_cast<const sockaddr*>(&address), size);
  ::close(socket);
}

Result<std::string> read_token(const std::string& path) {
  if (path.empty()) return std::string();
  std::ifstream file(path);
  std::string token;
  if (!std::getline(file, token)) return failed("cannot read a token from '{}'", path);
  while (!token.empty() && (token.back() == '\r' || token.back() == ' ')) token.pop_back();
  constexpr size_t kFewest = 16;
  if (token.size() < kFewest) return failed("the token in '{}' is shorter than {} characters", path, kFewest);
  return token;
}

/// Allows as many open files as connections need. Returns how many connections are possible.
size_t allow_files(size_t connections) {
  constexpr size_t kOthers = 192;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return connections;
  const rlim_t wanted = connections + kOthers;
  if (limit.rlim_cur < wanted) {
    limit.rlim_cur = std::min<rlim_t>(wanted, limit.rlim_max);
    ::setrlimit(RLIMIT_NOFILE, &limit);
    ::getrlimit(RLIMIT_NOFILE, &limit);
  }
  return limit.rlim_cur >= wanted   ? connections
         : limit.rlim_cur > kOthers ? static_cast<size_t>(limit.rlim_cur) - kOthers
                                    : 1;
}

/// Blocks the signals that a server heeds while it lives, in the calling thread and those that it starts, and
/// is a file that they can be read from: whatever handler a library installs meanwhile (CBC does, for SIGINT)
/// takes none away.
class SignalFile {
 public:
  SignalFile() {
    sigset_t heeded;
    ::sigemptyset(&heeded);
    for (const int number : {SIGTERM, SIGINT, SIGHUP}) ::sigaddset(&heeded, number);
    ::pthread_sigmask(SIG_BLOCK, &heeded, &before_);
    number_ = ::signalfd(-1, &heeded, SFD_CLOEXEC | SFD_NONBLOCK);
  }
  ~SignalFile() {
    if (number_ >= 0) ::close(number_);
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  SignalFile(const SignalFile&) = delete;
  SignalFile& operator=(const SignalFile&) = delete;

  bool open() const { return number_ >= 0; }
  int number() const { return number_; }
  /// A signal that has come, or 0.
  int take() const {
    signalfd_siginfo info{};
    return ::read(number_, &info, sizeof info) == sizeof info ? static_cast<int>(info.ssi_signo) : 0;
  }

 private:
  sigset_t before_{};
  int number_ = -1;
};

class Server {
 public:
  Server(const ServeOptions& options, const Say& say, Service& service, AccessLog& log, size_t threads,
         const SignalFile& signals)
      : options_(options),
        say_(say),
        service_(service),
        log_(log),
        workers_(threads),
        shared_{service, log, workers_},
        most_connections_(allow_files(options.limits.connections)),
        signal_file_(signals),
        signals_(main_, signals.number()) {
    for (size_t i = 0; i < threads; ++i) {
      shards_.push_back(std::make_unique<Shard>(shared_));
      shards_.back()->on_end = [this] {
        if (--running_ == 0) main_.stop();
      };
    }
    running_ = threads;
  }
  ~Server() { signals_.release(); }  // the file is not ours
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  Status listen() {
    boost::system::error_code error;
    tcp::resolver resolver(main_);
    const auto found =
        resolver.resolve(options_.host, std::to_string(options_.port), tcp::resolver::passive, error);
    if (error || found.empty()) return failed("cannot listen on '{}': {}", options_.host, error.message());
    const tcp::endpoint endpoint = *found.begin();
    acceptor_.emplace(main_);
    acceptor_->open(endpoint.protocol(), error);
    if (!error) acceptor_->set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor_->bind(endpoint, error);
    if (!error) acceptor_->listen(asio::socket_base::max_listen_connections, error);
    if (error) return failed("cannot listen on {}:{}: {}", options_.host, options_.port, error.message());
    return {};
  }

  std::string url() const {
    const tcp::endpoint at = acceptor_->local_endpoint();
    return at.address().is_v6() ? fmt::format("http://[{}]:{}/", at.address().to_string(), at.port())
                                : fmt::format("http://{}:{}/", at.address().to_string(), at.port());
  }

  void run() {
    if (most_connections_ < options_.limits.connections)
      say_(fmt::format("only {} connections are possible: the limit of open files is too low",
                       most_connections_));
    wait_for_signals();
    accept();
    notify("READY=1");
    std::vector<std::thread> threads;
    for (const auto& shard : shards_) threads.emplace_back([&shard] { shard->run(); });
    main_.run();
    for (std::thread& thread : threads) thread.join();
    workers_.join();
    log_.flush();
  }

 private:
  void accept() {
    next_ = (next_ + 1) % shards_.size();
    Shard& shard = *shards_[next_];
    acceptor_->async_accept(
        shard.context(), [this, &shard](const boost::system::error_code& error, tcp::socket socket) {
          if (!acceptor_->is_open()) return;
          if (error) {  // out of descriptors or memory: wait until some connections are gone
            retry_.expires_after(std::chrono::milliseconds(100));
            retry_.async_wait([this](const boost::system::error_code& stopped) {
              if (!stopped && acceptor_->is_open()) accept();
            });
            return;
          }
          take(shard, std::move(socket));
          accept();
        });
  }

  void take(Shard& shard, tcp::socket socket) {
    Metrics& metrics = service_.metrics();
    constexpr size_t kRefusals = 64;  // connections that are told that there are too many
    const size_t open = metrics.connections.load(std::memory_order_relaxed);
    const bool refused = open >= most_connections_;
    if (refused) metrics.connections_refused.fetch_add(1, std::memory_order_relaxed);
    if (open >= most_connections_ + kRefusals) return;  // closes it
    metrics.connections.fetch_add(1, std::memory_order_relaxed);
    metrics.connections_total.fetch_add(1, std::memory_order_relaxed);
    asio::post(shard.context(), [&shard, refused, socket = std::move(socket)]() mutable {
      shard.add(std::move(socket), refused);
    });
  }

  void wait_for_signals() {
    signals_.async_wait(signals_.wait_read, [this](const boost::system::error_code& error) {
      if (error) return;
      const int signal = signal_file_.take();
      if (signal == 0) {
        // it has gone
      } else if (signal == SIGHUP) {
        asio::post(workers_, [this] { reload(); });
      } else if (!service_.draining()) {
        drain();
      } else {
        say_("ending at once");
        for (const auto& shard : shards_) asio::post(shard->context(), [&shard] { shard->stop(); });
      }
      wait_for_signals();
    });
  }

  void drain() {
    notify("STOPPING=1");
    say_("shutting down: requests that have begun are answered");
    service_.begin_draining();
    boost::system::error_code ignored;
    acceptor_->close(ignored);
    for (const auto& shard : shards_) asio::post(shard->context(), [&shard] { shard->drain(); });
  }

  void reload() {
    notify("RELOADING=1");
    log_.reopen();
    const Registry::Reloaded done = service_.registry().reload_changed();
    for (const std::string& name : done.names) {
      service_.metrics().count_reload(true);
      say_(fmt::format("model '{}' is reloaded", name));
    }
    for (const std::string& error : done.errors) {
      service_.metrics().count_reload(false);
      say_("error: " + error);
    }
    if (done.names.empty() && done.errors.empty()) say_("no model has changed");
    notify("READY=1");
  }

  const ServeOptions& options_;
  const Say& say_;
  Service& service_;
  AccessLog& log_;
  asio::io_context main_{1};  ///< accepts connections and waits for signals
  asio::thread_pool workers_;
  Shared shared_;
  size_t most_connections_;
  std::vector<std::unique_ptr<Shard>> shards_;
  std::atomic<size_t> running_{0};
  std::optional<tcp::acceptor> acceptor_;
  const SignalFile& signal_file_;
  asio::posix::stream_descriptor signals_;
  asio::steady_timer retry_{main_};
  size_t next_ = 0;
};

}  // namespace

Status serve(const ServeOptions& options, const Say& say) {
  auto registry = Registry::open(options.models, options.pipelines);
  if (!registry.ok()) return std::move(registry).error();
  auto token = read_token(options.token_file);
  if (!token.ok()) return std::move(token).error();
  AccessLog log;
  if (Status status = log.open(options.log); !status.ok()) return status;
  Service service(std::move(registry).value(), options, std::move(token).value());
  const size_t threads = options.threads > 0 ? static_cast<size_t>(options.threads)
                                             : std::max(1U, std::thread::hardware_concurrency());
  const SignalFile signals;
  if (!signals.open()) return failed("cannot wait for signals: {}", std::generic_category().message(errno));
  Server server(options, say, service, log, threads, signals);
  if (Status status = server.listen(); !status.ok()) return status;
  say(fmt::format("listening on {}", server.url()));
  server.run();
  return {};
}

}  // namespace espalier::server

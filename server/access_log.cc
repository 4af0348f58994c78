#include "server/access_log.h"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <iterator>
#include <system_error>

#include "server/json_out.h"

namespace espalier::server {
namespace {

constexpr size_t kFlushAt = 256 * 1024;

int open_log(const std::string& path) {
  if (path == "-") return ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
  return ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0640);
}

}  // namespace

Status AccessLog::open(const std::string& path) {
  path_ = path;
  if (path.empty()) return {};
  file_ = open_log(path);
  if (file_ < 0)
    return Error{fmt::format("cannot write the log '{}': {}", path, std::generic_category().message(errno))};
  return {};
}

AccessLog::~AccessLog() {
  flush();
  if (file_ >= 0) ::close(file_);
}

void AccessLog::add(const AccessRecord& record) {
  const auto now = std::chrono::system_clock::now();
  const auto second = std::chrono::floor<std::chrono::seconds>(now);
  const auto millis = std::chrono::duration_cast<std::chrono::milliseconds>(now - second).count();
  std::string line =
      fmt::format("{{\"time\":\"{:%Y-%m-%dT%H:%M:%S}.{:03}Z\",\"client\":\"{}\",\"method\":",
                  fmt::gmtime(std::chrono::system_clock::to_time_t(second)), millis, record.client);
  append_json_string(record.method, line);
  line += ",\"path\":";
  append_json_string(record.path.substr(0, 500), line);
  fmt::format_to(std::back_inserter(line),
                 ",\"status\":{},\"bytes_in\":{},\"bytes_out\":{},\"ms\":{:.3f}}}\n", record.status,
                 record.bytes_in, record.bytes_out, record.seconds * 1e3);
  bool full = false;
  {
    const std::lock_guard lock(mutex_);
    lines_ += line;
    full = lines_.size() > kFlushAt;
  }
  if (full) flush();
}

void AccessLog::flush() {
  const std::lock_guard writing(writing_);
  std::string lines;
  {
    const std::lock_guard lock(mutex_);
    lines.swap(lines_);
  }
  std::string_view rest = lines;
  while (!rest.empty() && file_ >= 0) {
    const ssize_t written = ::write(file_, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      lost_ += static_cast<uint64_t>(std::count(rest.begin(), rest.end(), '\n'));
      return;
    }
    rest.remove_prefix(static_cast<size_t>(written));
  }
}

void AccessLog::reopen() {
  if (path_.empty() || path_ == "-") return;
  flush();
  const std::lock_guard writing(writing_);
  const int again = open_log(path_);
  if (again < 0) return;  // the old one still takes lines
  ::dup3(again, file_, O_CLOEXEC);
  ::close(again);
}

}  // namespace espalier::server

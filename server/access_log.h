// The access log: one JSON object per line and request.
//
// Lines are collected in memory and written by flush(), which the server calls a few times per second, or
// when there are many. Any thread may add lines. A log that cannot be written does not stop the server: lines
// are lost, and lost() counts them. Tested in server_test.py.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

#include "espalier/public/result.h"

namespace espalier::server {

struct AccessRecord {
  std::string_view client, method, path;
  int status = 0;
  size_t bytes_in = 0, bytes_out = 0;
  double seconds = 0;
};

class AccessLog {
 public:
  /// `path`: a file, which is appended to; "-": standard output; empty: nothing is logged.
  Status open(const std::string& path);
  ~AccessLog();
  AccessLog() = default;
  AccessLog(const AccessLog&) = delete;
  AccessLog& operator=(const AccessLog&) = delete;

  bool enabled() const { return file_ >= 0; }
  void add(const AccessRecord& record);
  void flush();
  /// Opens the file again: it may have been renamed.
  void reopen();
  uint64_t lost() const { return lost_; }

 private:
  std::string path_;
  int file_ = -1;
  std::mutex mutex_, writing_;
  std::string lines_;
  std::atomic<uint64_t> lost_{0};
};

}  // namespace espalier::server

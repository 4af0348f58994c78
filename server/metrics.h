// Counters of a server, and their text for Prometheus (GET /metrics).
//
// Counting is a relaxed atomic addition; any thread may do it. Tested in service_test.cc.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

namespace espalier::server {

/// What was asked for; requests for anything else count as kOther.
enum class Endpoint { kTag, kExplain, kDecode, kModels, kReload, kPage, kHealth, kMetrics, kOpenApi, kOther };
inline constexpr size_t kEndpoints = 10;

class Metrics {
 public:
  /// One answered request.
  void count_request(Endpoint endpoint, int status, double seconds);
  void count_tagged(size_t sequences, size_t tokens) {
    sequences_.fetch_add(sequences, std::memory_order_relaxed);
    tokens_.fetch_add(tokens, std::memory_order_relaxed);
  }
  void count_reload(bool good) {
    (good ? reloads_ : failed_reloads_).fetch_add(1, std::memory_order_relaxed);
  }
  void count_bytes(size_t in, size_t out) {
    bytes_in_.fetch_add(in, std::memory_order_relaxed);
    bytes_out_.fetch_add(out, std::memory_order_relaxed);
  }

  std::atomic<uint64_t> connections{0};          ///< open now
  std::atomic<uint64_t> connections_total{0};    ///< accepted
  std::atomic<uint64_t> connections_refused{0};  ///< above the limit
  std::atomic<uint64_t> timeouts{0};             ///< connections that were closed because time was up

  std::string text() const;

 private:
  static constexpr std::array<double, 12> kBounds = {0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005,
                                                     0.01,   0.025,   0.1,    0.5,   2,      10};
  static constexpr size_t kStatuses = 6;  ///< by their first digit
  using Counter = std::atomic<uint64_t>;
  std::array<std::array<Counter, kStatuses>, kEndpoints> requests_{};
  std::array<std::array<Counter, kBounds.size() + 1>, kEndpoints> durations_{};
  std::array<Counter, kEndpoints> microseconds_{};
  Counter sequences_{0}, tokens_{0}, reloads_{0}, failed_reloads_{0}, bytes_in_{0}, bytes_out_{0};
};

}  // namespace espalier::server

#include "server/metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

namespace espalier::server {
namespace {

constexpr std::array<std::string_view, kEndpoints> kEndpointNames = {
    "tag", "explain", "decode", "models", "reload", "page", "health", "metrics", "openapi", "other"};

}  // namespace

void Metrics::count_request(Endpoint endpoint, int status, double seconds) {
  const auto at = static_cast<size_t>(endpoint);
  const auto digit = std::clamp<size_t>(static_cast<size_t>(status / 100), 1, kStatuses - 1);
  requests_[at][digit].fetch_add(1, std::memory_order_relaxed);
  const size_t bucket =
      static_cast<size_t>(std::lower_bound(kBounds.begin(), kBounds.end(), seconds) - kBounds.begin());
  durations_[at][bucket].fetch_add(1, std::memory_order_relaxed);
  microseconds_[at].fetch_add(static_cast<uint64_t>(seconds * 1e6), std::memory_order_relaxed);
}

std::string Metrics::text() const {
  std::string out;
  const auto to = std::back_inserter(out);
  const auto head = [&](std::string_view name, std::string_view kind, std::string_view about) {
    fmt::format_to(to, "# HELP espalier_{} {}\n# TYPE espalier_{} {}\n", name, about, name, kind);
  };
  const auto one = [&](std::string_view name, std::string_view kind, std::string_view about, uint64_t value) {
    head(name, kind, about);
    fmt::format_to(to, "espalier_{} {}\n", name, value);
  };
  head("requests_total", "counter", "Answered requests, by what was asked for and kind of status.");
  for (size_t e = 0; e < kEndpoints; ++e)
    for (size_t s = 1; s < kStatuses; ++s)
      if (const uint64_t count = requests_[e][s].load(std::memory_order_relaxed); count > 0)
        fmt::format_to(to, "espalier_requests_total{{endpoint=\"{}\",status=\"{}xx\"}} {}\n",
                       kEndpointNames[e], s, count);
  head("request_seconds", "histogram", "Time from the last byte of a request to its answer.");
  for (size_t e = 0; e < kEndpoints; ++e) {
    uint64_t sum = 0;
    std::string lines;
    for (size_t b = 0; b <= kBounds.size(); ++b) {
      sum += durations_[e][b].load(std::memory_order_relaxed);
      fmt::format_to(std::back_inserter(lines),
                     "espalier_request_seconds_bucket{{endpoint=\"{}\",le=\"{}\"}} {}\n", kEndpointNames[e],
                     b < kBounds.size() ? fmt::format("{}", kBounds[b]) : "+Inf", sum);
    }
    if (sum == 0) continue;
    out += lines;
    fmt::format_to(to, "espalier_request_seconds_sum{{endpoint=\"{}\"}} {}\n", kEndpointNames[e],
                   static_cast<double>(microseconds_[e].load(std::memory_order_relaxed)) / 1e6);
    fmt::format_to(to, "espalier_request_seconds_count{{endpoint=\"{}\"}} {}\n", kEndpointNames[e], sum);
  }
  one("sequences_total", "counter", "Labelled sequences.", sequences_.load());
  one("tokens_total", "counter", "Labelled tokens.", tokens_.load());
  one("received_bytes_total", "counter", "Bytes received from clients.", bytes_in_.load());
  one("sent_bytes_total", "counter", "Bytes sent to clients.", bytes_out_.load());
  one("connections", "gauge", "Open connections.", connections.load());
  one("connections_total", "counter", "Accepted connections.", connections_total.load());
  one("connections_refused_total", "counter", "Connections above the limit.", connections_refused.load());
  one("timeouts_total", "counter", "Connections closed because their time was up.", timeouts.load());
  one("reloads_total", "counter", "Models that were replaced.", reloads_.load());
  one("failed_reloads_total", "counter", "Models that could not be replaced.", failed_reloads_.load());
  return out;
}

}  // namespace espalier::server

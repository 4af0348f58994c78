// The service without sockets: a request in, an answer out. Paths, authorisation, models, metrics.
//
// answer() may take long and is safe to call from any thread. accept_header() looks at a request before its
// body is read, so that what is refused anyway is not transferred. Streams of lines (application/x-ndjson)
// are answered line by line. Tested in service_test.cc and server_test.py.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "server/http.h"
#include "server/metrics.h"
#include "server/options.h"
#include "server/registry.h"
#include "server/request.h"

namespace espalier::server {

using Clock = std::chrono::steady_clock;

/// Parsed constraints, kept for the next request with the same text: models then compile them once.
class ConstraintCache {
 public:
  Result<Constraints> get(const std::string& text);

 private:
  static constexpr size_t kKept = 8;
  std::mutex mutex_;
  std::vector<std::pair<std::string, Constraints>> kept_;  ///< the last used is last
};

struct Job;

class Service {
 public:
  /// `token`: what requests must present; empty: nothing.
  Service(std::unique_ptr<Registry> registry, const ServeOptions& options, std::string token);

  /// An answer if the request is refused whatever its body is.
  std::optional<HttpAnswer> accept_header(const HttpRequest& request) const;
  /// Whether the body is a stream of lines, each to be given to answer_line().
  static bool is_stream(const HttpRequest& request);
  /// Whether answering takes so little time that the thread that reads from sockets can do it.
  static bool is_quick(const HttpRequest& request);

  HttpAnswer answer(HttpRequest& request);
  /// The answer to one line of a stream, with its line feed.
  std::string answer_line(std::string line);

  Endpoint endpoint_of(const HttpRequest& request) const;
  Registry& registry() { return *registry_; }
  Metrics& metrics() { return metrics_; }
  const Limits& limits() const { return limits_; }
  /// From now on GET /readyz says that the server is shutting down.
  void begin_draining() { draining_ = true; }
  bool draining() const { return draining_; }

 private:
  std::optional<HttpAnswer> refusal(const HttpRequest& request) const;
  void allow_origin(HttpAnswer& answer) const;
  HttpAnswer route(HttpRequest& request);
  HttpAnswer post_tag(HttpRequest& request);
  HttpAnswer post_decode(HttpRequest& request);
  HttpAnswer post_json(HttpRequest& request, RequestKind kind);
  HttpAnswer tag_stream_body(HttpRequest& request, const ModelRequest& options);
  HttpAnswer get_models(const HttpRequest& request) const;
  HttpAnswer reload(const HttpRequest& request);
  HttpAnswer answer_request(std::string& body, RequestKind kind);
  Job job_of(const ModelRequest& request);

  std::unique_ptr<Registry> registry_;
  Limits limits_;
  std::string token_, cors_origin_;
  bool allow_reload_;
  Metrics metrics_;
  ConstraintCache constraints_;
  std::atomic<bool> draining_{false};
};

// What the parts of the service share.

/// A model or a pipeline, as a request names it.
struct Named {
  const ServedModel* model = nullptr;
  const ServedPipeline* pipeline = nullptr;
  const Tagger& tagger() const { return model != nullptr ? model->tagger : pipeline->pipeline.last(); }
  /// The beginning of an answer: its name, and `"sequences":[`.
  void append_begin(std::string& out) const;
};
/// Finds what a request names in a snapshot.
std::optional<Problem> find_named(const Snapshot& snapshot, const ModelRequest& request, Named& out);

/// Everything that answering a request needs.
struct Job {
  const ModelRequest& request;
  const Limits& limits;
  ConstraintCache& constraints;
  Metrics& metrics;
  Clock::time_point deadline;
  /// The problem that a request has whose time is over.
  std::optional<Problem> late() const;
  /// What is wrong with a sequence, counted from 0; its number is part of the message where there are
  /// several.
  Problem wrong_sequence(size_t i, const std::string& message) const;
};
/// Append the JSON of the answer.
std::optional<Problem> tag_json(const Job& job, const Snapshot& snapshot, std::string& out);
std::optional<Problem> explain_json(const Job& job, const Snapshot& snapshot, std::string& out);
std::optional<Problem> decode_json(const Job& job, std::string& out);
/// Reads a file of scores, text or numpy's, as the sequences and labels of a request to decode; those of a
/// .npy file are in `out` already.
std::optional<Problem> read_scores(std::string_view body, const Limits& limits, ModelRequest& out);

/// How labels are found, as options of the library.
std::optional<Problem> decode_options(const Job& job, DecodeOptions& out);
/// Fills a builder with a sequence of the request.
void fill(const SequenceInput& sequence, SequenceBuilder& builder);
/// The sequences of the request; those of raw text are split, and their offsets are returned as well.
using Offsets = std::vector<std::pair<size_t, size_t>>;
struct Inputs {
  std::vector<SequenceInput> split;  ///< of raw text
  std::vector<Offsets> offsets;      ///< of raw text, per sequence
  const std::vector<SequenceInput>* all = nullptr;
};
std::optional<Problem> inputs_of(const Job& job, Inputs& out);
/// `"tokens":[…],` and `"offsets":[…],` of a sequence; `features` are the columns that the model uses, the
/// word first.
void append_tokens(const SequenceInput& sequence, const std::vector<size_t>& features, const Offsets* offsets,
                   std::string& out);
/// What a prediction has besides its labels, each field after a comma.
void append_prediction(const ModelRequest& request, const Tagged& tagged,
                       const std::vector<std::string>& labels, bool constrained, std::string& out);
/// `"labels":[…]` of a prediction.
void append_labels(const std::vector<std::string>& labels, std::string& out);
/// `"because":[…]` of a token that constraints changed.
void append_because(const Change& change, std::string& out);

std::string models_json(const Snapshot& snapshot);
std::string model_json(const ServedModel& model);
std::string pipeline_json(const ServedPipeline& pipeline);
/// The description of the service as OpenAPI 3.1.
std::string openapi_json();

/// A file of the page.
struct PageFile {
  std::string_view name, type, etag, bytes;
};
/// All of them; made from server/page/ when the server is built.
std::span<const PageFile> page_files();
/// The answer to GET / and GET /page/NAME; 404 if there is no such file.
HttpAnswer page_answer(const HttpRequest& request);

}  // namespace espalier::server

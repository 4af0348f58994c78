#include "server/service.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <new>

#include "server/json_out.h"

namespace espalier::server {
namespace {

constexpr std::string_view kNdjson = "application/x-ndjson";
constexpr std::string_view kJson = "application/json";
constexpr std::string_view kConllu = "text/x-conllu";
constexpr std::string_view kPlain = "text/plain";
constexpr std::string_view kBytes = "application/octet-stream";  // files of numpy have no type of their own

/// Compares in a time that depends on the length of what was given, not on where it differs.
bool same_secret(std::string_view given, std::string_view secret) {
  unsigned char difference = given.size() == secret.size() ? 0 : 1;
  for (size_t i = 0; i < given.size(); ++i)
    difference =
        static_cast<unsigned char>(difference | (static_cast<unsigned char>(given[i]) ^
                                                 static_cast<unsigned char>(secret[i % secret.size()])));
  return difference == 0;
}

/// Whether a client that sends this header `Accept` takes such an answer. Weights are not looked at.
bool accepts(std::string_view accept, std::string_view type) {
  if (accept.empty()) return true;
  while (!accept.empty()) {
    std::string_view item = accept.substr(0, accept.find(','));
    accept.remove_prefix(std::min(accept.size(), item.size() + 1));
    item = item.substr(0, item.find(';'));
    while (!item.empty() && item.front() == ' ') item.remove_prefix(1);
    while (!item.empty() && item.back() == ' ') item.remove_suffix(1);
    if (item == "*/*" || item == type ||
        (item.ends_with("/*") && type.starts_with(item.substr(0, item.size() - 1))))
      return true;
  }
  return false;
}

/// The first of these types that the client takes; empty if it takes none.
std::string_view first_accepted(std::string_view accept, std::initializer_list<std::string_view> types) {
  for (const std::string_view type : types)
    if (accepts(accept, type)) return type;
  return {};
}

/// What curl and other clients say by default is taken for JSON.
bool is_json(std::string_view type) {
  return type.empty() || type == kJson || type == "application/x-www-form-urlencoded";
}

constexpr std::string_view kModels = "/v1/models";

/// NAME of /v1/models/NAME, /v1/models/NAME/reload.
std::string_view model_part(std::string_view path) {
  return path.substr(std::min(path.size(), kModels.size() + 1));
}

constexpr std::string_view kReload = "/reload";

HttpAnswer plain(int status, std::string_view text) {
  return {status, "text/plain; charset=utf-8", std::string(text)};
}

}  // namespace

Service::Service(std::unique_ptr<Registry> registry, const ServeOptions& options, std::string token)
    : registry_(std::move(registry)),
      limits_(options.limits),
      token_(std::move(token)),
      cors_origin_(options.cors_origin),
      allow_reload_(options.allow_reload) {}

bool Service::is_stream(const HttpRequest& request) {
  return request.path == "/v1/tag" && request.method == "POST" && request.content_type == kNdjson;
}

bool Service::is_quick(const HttpRequest& request) {
  // A guess that needs no parsing; a wrong one only makes another request of the same thread wait.
  constexpr size_t kSmall = 8 * 1024;
  if (request.method != "POST") return true;
  if (request.body.size() > kSmall || request.path != "/v1/tag") return false;
  const std::string_view body = request.body;
  return request.query.empty() && body.find("\"constraints\"") == body.npos &&
         body.find("\"nbest\"") == body.npos && body.find("\"decoder\"") == body.npos;
}

Endpoint Service::endpoint_of(const HttpRequest& request) const {
  const std::string_view path = request.path;
  if (path == "/v1/tag") return Endpoint::kTag;
  if (path == "/v1/explain") return Endpoint::kExplain;
  if (path == "/v1/decode") return Endpoint::kDecode;
  if (path == kModels) return Endpoint::kModels;
  if (path.starts_with("/v1/models/")) return path.ends_with(kReload) ? Endpoint::kReload : Endpoint::kModels;
  if (path == "/" || path.starts_with("/page/")) return Endpoint::kPage;
  if (path == "/healthz" || path == "/readyz") return Endpoint::kHealth;
  if (path == "/metrics") return Endpoint::kMetrics;
  if (path == "/openapi.json") return Endpoint::kOpenApi;
  return Endpoint::kOther;
}

std::optional<HttpAnswer> Service::accept_header(const HttpRequest& request) const {
  auto refused = refusal(request);
  if (refused) allow_origin(*refused);
  return refused;
}

void Service::allow_origin(HttpAnswer& answer) const {
  if (cors_origin_.empty()) return;
  answer.headers.emplace_back("Access-Control-Allow-Origin", cors_origin_);
  answer.headers.emplace_back("Vary", "Origin");
}

std::optional<HttpAnswer> Service::refusal(const HttpRequest& request) const {
  const Endpoint endpoint = endpoint_of(request);
  if (endpoint == Endpoint::kOther) return problem(404, fmt::format("there is nothing at {}", request.path));
  const bool posts = endpoint == Endpoint::kTag || endpoint == Endpoint::kExplain ||
                     endpoint == Endpoint::kDecode || endpoint == Endpoint::kReload;
  const bool fits = posts ? request.method == "POST" : request.method == "GET" || request.method == "HEAD";
  const bool preflight = request.method == "OPTIONS" && !cors_origin_.empty();
  if (!fits && !preflight) {
    HttpAnswer answer = problem(405, fmt::format("{} is not supported here", request.method));
    answer.headers.emplace_back("Allow", posts ? "POST" : "GET, HEAD");
    return answer;
  }
  // The page and what says whether the server is well are for everyone; a page has no token when it is
  // loaded.
  const bool open = endpoint == Endpoint::kPage || endpoint == Endpoint::kHealth || preflight;
  if (!token_.empty() && !open) {
    constexpr std::string_view kBearer = "Bearer ";
    const std::string_view given = request.authorization;
    if (!given.starts_with(kBearer) || !same_secret(given.substr(kBearer.size()), token_)) {
      HttpAnswer answer = problem(401, "the bearer token is missing or wrong");
      answer.headers.emplace_back("WWW-Authenticate", "Bearer");
      return answer;
    }
  }
  const std::string& type = request.content_type;
  if (posts && !preflight && endpoint != Endpoint::kReload && !is_json(type) &&
      !(endpoint == Endpoint::kTag && (type == kPlain || type == kConllu || type == kNdjson)) &&
      !(endpoint == Endpoint::kDecode && (type == kPlain || type == kBytes)))
    return problem(415, fmt::format("bodies of the type {} are not supported here", type));
  return std::nullopt;
}

HttpAnswer Service::answer(HttpRequest& request) {
  HttpAnswer out;
  try {
    out = route(request);
  } catch (const std::bad_alloc&) {
    out = problem(503, "there is not enough memory for this request");
  } catch (const std::exception& error) {
    out = problem(500, error.what());
  }
  allow_origin(out);
  return out;
}

HttpAnswer Service::route(HttpRequest& request) {
  if (auto refused = refusal(request)) return std::move(*refused);
  if (request.method == "OPTIONS")
    return {204,
            "text/plain",
            "",
            {{"Access-Control-Allow-Methods", "GET, POST"},
             {"Access-Control-Allow-Headers", "Authorization, Content-Type"},
             {"Access-Control-Max-Age", "600"}}};
  switch (endpoint_of(request)) {
    case Endpoint::kTag:
      return post_tag(request);
    case Endpoint::kExplain:
      return post_json(request, RequestKind::kExplain);
    case Endpoint::kDecode:
      return post_decode(request);
    case Endpoint::kModels:
      return get_models(request);
    case Endpoint::kReload:
      return reload(request);
    case Endpoint::kPage:
      return page_answer(request);
    case Endpoint::kHealth:
      if (request.path == "/healthz") return plain(200, "ok\n");
      return draining_ ? plain(503, "shutting down\n") : plain(200, "ready\n");
    case Endpoint::kMetrics:
      return {200, "text/plain; version=0.0.4; charset=utf-8", metrics_.text()};
    case Endpoint::kOpenApi:
      return {200, "application/json", openapi_json()};
    case Endpoint::kOther:
      break;
  }
  return problem(404, "there is nothing here");
}

Job Service::job_of(const ModelRequest& request) {
  const auto seconds =
      std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(limits_.request_seconds));
  return {request, limits_, constraints_, metrics_, Clock::now() + seconds};
}

HttpAnswer Service::answer_request(std::string& body, RequestKind kind) {
  ModelRequest request;
  if (const auto wrong = parse_request(body, kind, limits_, request))
    return problem(wrong->status, wrong->detail);
  const auto snapshot = registry_->snapshot();
  const Job job = job_of(request);
  HttpAnswer answer;
  const auto wrong = kind == RequestKind::kTag       ? tag_json(job, *snapshot, answer.body)
                     : kind == RequestKind::kExplain ? explain_json(job, *snapshot, answer.body)
                                                     : decode_json(job, answer.body);
  if (wrong) return problem(wrong->status, wrong->detail);
  answer.body.push_back('\n');
  return answer;
}

std::string Service::answer_line(std::string line) {
  const auto start = Clock::now();
  HttpAnswer answer;
  try {
    answer = answer_request(line, RequestKind::kTag);
  } catch (const std::bad_alloc&) {
    answer = problem(503, "there is not enough memory for this line");
  } catch (const std::exception& error) {
    answer = problem(500, error.what());
  }
  metrics_.count_request(Endpoint::kTag, answer.status,
                         std::chrono::duration<double>(Clock::now() - start).count());
  return std::move(answer.body);
}

HttpAnswer Service::post_json(HttpRequest& request, RequestKind kind) {
  if (!request.query.empty()) return problem(400, "options of a JSON request are fields, not in the query");
  if (!accepts(request.accept, kJson)) return problem(406, "the answer to JSON is JSON");
  return answer_request(request.body, kind);
}

HttpAnswer Service::post_tag(HttpRequest& request) {
  if (is_json(request.content_type)) return post_json(request, RequestKind::kTag);
  ModelRequest options;
  if (const auto wrong = parse_query(request.query, kInQuery, options))
    return problem(wrong->status, wrong->detail);
  return tag_stream_body(request, options);
}

HttpAnswer Service::post_decode(HttpRequest& request) {
  if (is_json(request.content_type)) return post_json(request, RequestKind::kDecode);
  if (!accepts(request.accept, kJson)) return problem(406, "the answer to scores is JSON");
  ModelRequest scores;
  auto wrong = parse_query(request.query, kInScoresQuery, scores);
  if (!wrong) wrong = read_scores(request.body, limits_, scores);
  HttpAnswer answer;
  if (!wrong) wrong = decode_json(job_of(scores), answer.body);
  if (wrong) return problem(wrong->status, wrong->detail);
  answer.body.push_back('\n');
  return answer;
}

HttpAnswer Service::tag_stream_body(HttpRequest& request, const ModelRequest& given) {
  const bool text = request.content_type == kPlain;
  const std::string_view type = text ? first_accepted(request.accept, {kJson, kPlain, kConllu})
                                     : first_accepted(request.accept, {kConllu, kPlain, kJson});
  if (type.empty()) return problem(406, "there are application/json, text/plain (columns) and text/x-conllu");
  const auto snapshot = registry_->snapshot();
  ModelRequest options = given;
  if (text && type == kJson) options.raw_text = std::move(request.body);
  const Job job = job_of(options);
  HttpAnswer answer;
  if (options.raw_text) {
    if (const auto wrong = tag_json(job, *snapshot, answer.body))
      return problem(wrong->status, wrong->detail);
    answer.body.push_back('\n');
    return answer;
  }
  Named named;
  if (const auto wrong = find_named(*snapshot, options, named)) return problem(wrong->status, wrong->detail);
  StreamOptions stream;
  if (const auto wrong = decode_options(job, stream.tag.decode)) return problem(wrong->status, wrong->detail);
  if (options.confidence) stream.tag.confidence = true;
  stream.tag.marginals = options.marginals;
  stream.tag.nbest = std::max<size_t>(1, options.nbest);
  stream.tag.threads = 1;
  stream.output_format = type == kConllu ? "conllu" : type == kPlain ? "columns" : "json";
  if (text) {
    stream.text = options.split;
  } else {
    stream.input_format = "conllu";
  }
  stream.on_progress = [&](const Progress&) { return Clock::now() < job.deadline; };
  const std::vector<Source> sources = {Source::text(std::move(request.body), "body")};
  const Sink sink = Sink::string(answer.body);
  const auto report = named.pipeline != nullptr ? tag_stream(named.pipeline->pipeline, sources, sink, stream)
                                                : tag_stream(named.model->tagger, sources, sink, stream);
  if (!report.ok()) return problem(400, report.error().message);
  if (report->interrupted)
    return problem(503, fmt::format("the request takes longer than {} s", limits_.request_seconds));
  metrics_.count_tagged(report->sequences, report->tokens);
  answer.type = type == kJson ? std::string(kJson) : std::string(type) + "; charset=utf-8";
  return answer;
}

HttpAnswer Service::get_models(const HttpRequest& request) const {
  const auto snapshot = registry_->snapshot();
  if (request.path == kModels) return {200, "application/json", models_json(*snapshot) + "\n"};
  const std::string_view name = model_part(request.path);
  if (const ServedModel* const model = snapshot->model(name))
    return {200, "application/json", model_json(*model) + "\n"};
  if (const ServedPipeline* const pipeline = snapshot->pipeline(name))
    return {200, "application/json", pipeline_json(*pipeline) + "\n"};
  return problem(404, fmt::format("there is no model or pipeline '{}'", name));
}

HttpAnswer Service::reload(const HttpRequest& request) {
  std::string_view name = model_part(request.path);
  name.remove_suffix(std::min(name.size(), kReload.size()));
  if (!allow_reload_) return problem(403, "reloading by request is not allowed; --allow-reload allows it");
  if (registry_->snapshot()->model(name) == nullptr)
    return problem(404, fmt::format("there is no model '{}'", name));
  const Status status = registry_->reload(std::string(name));
  metrics_.count_reload(status.ok());
  if (!status.ok()) return problem(409, fmt::format("the model stays as it is: {}", status.error().message));
  return {200, "application/json", model_json(*registry_->snapshot()->model(name)) + "\n"};
}

}  // namespace espalier::server

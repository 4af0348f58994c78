// What the server says about itself: the list of models, the OpenAPI description, the page's files. Declared
// in service.h, tested in service_test.cc.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "server/json_out.h"
#include "server/service.h"

namespace espalier::server {
namespace {

void append_names(std::string_view field, const std::vector<std::string>& names, std::string& out) {
  fmt::format_to(std::back_inserter(out), ",\"{}\":", field);
  append_json_list(names.size(), out, [&](size_t i) { append_json_string(names[i], out); });
}

void append_field(std::string_view field, std::string_view text, std::string& out) {
  fmt::format_to(std::back_inserter(out), ",\"{}\":", field);
  append_json_string(text, out);
}

/// The schema of an object that has the fields of one place.
std::string schema_of(unsigned place) {
  std::string out = R"({"type":"object","additionalProperties":false,"properties":{)";
  bool first = true;
  for (const FieldInfo& field : request_fields()) {
    if ((field.places & place) == 0) continue;
    if (!std::exchange(first, false)) out.push_back(',');
    append_json_string(field.name, out);
    std::string schema(field.schema);
    if (field.name == "sequences")
      schema = fmt::format(R"({{"type":"array","items":{}}})",
                           schema_of(place == kInDecode ? kInScores : kInSequence));
    schema.pop_back();
    out.append(":").append(schema).append(",\"description\":");
    append_json_string(field.about, out);
    out.push_back('}');
  }
  return out + "}}";
}

std::string operation(std::string_view about, std::string_view body, std::string_view parameters,
                      std::string_view answers) {
  std::string out = "{\"summary\":";
  append_json_string(about, out);
  if (!parameters.empty()) fmt::format_to(std::back_inserter(out), ",\"parameters\":[{}]", parameters);
  if (!body.empty())
    fmt::format_to(std::back_inserter(out), ",\"requestBody\":{{\"required\":true,\"content\":{{{}}}}}",
                   body);
  fmt::format_to(
      std::back_inserter(out), ",\"responses\":{{\"200\":{},\"default\":{}}}}}", answers,
      R"({"description":"a problem","content":{"application/problem+json":{"schema":{"$ref":"#/components/schemas/Problem"}}}})");
  return out;
}

/// The parameters of queries of one place; lists have commas between.
std::string parameters_of(unsigned place) {
  std::string out;
  for (const FieldInfo& field : request_fields()) {
    if ((field.places & place) == 0) continue;
    fmt::format_to(
        std::back_inserter(out),
        R"({}{{"name":"{}","in":"query","description":"{}","style":"form","explode":false,"schema":{}}})",
        out.empty() ? "" : ",", field.name, field.about, field.schema);
  }
  return out;
}

}  // namespace

std::string model_json(const ServedModel& model) {
  const ModelInfo& info = model.tagger.info();
  std::string out = "{\"name\":";
  append_json_string(model.name, out);
  append_field("task", info.task, out);
  append_field("learner", info.learner, out);
  append_field("format", info.format, out);
  append_names("labels", model.tagger.labels(), out);
  fmt::format_to(std::back_inserter(out), ",\"columns\":{},\"feature_columns\":", model.columns);
  append_json_list(info.feature_columns.size(), out,
                   [&](size_t i) { out += std::to_string(info.feature_columns[i] + 1); });
  out += ",\"label_columns\":";
  append_json_list(info.label_columns.size(), out,
                   [&](size_t i) { out += std::to_string(info.label_columns[i]); });
  fmt::format_to(std::back_inserter(out),
                 ",\"words_only\":{},\"attributes\":{},\"has_probabilities\":{},\"constrained\":{},"
                 "\"training_sequences\":{},\"training_tokens\":{}}}",
                 model.words_only, model.attributes, info.has_probabilities, info.constrained,
                 info.training_sequences, info.training_tokens);
  return out;
}

std::string pipeline_json(const ServedPipeline& pipeline) {
  const Tagger& last = pipeline.pipeline.last();
  std::string out = "{\"name\":";
  append_json_string(pipeline.name, out);
  append_names("models", pipeline.models, out);
  append_names("labels", last.labels(), out);
  fmt::format_to(std::back_inserter(out),
                 ",\"columns\":{},\"words_only\":{},\"has_probabilities\":{},\"constrained\":{}}}",
                 pipeline.pipeline.columns(), pipeline.pipeline.words_only(), last.info().has_probabilities,
                 last.info().constrained);
  return out;
}

std::string models_json(const Snapshot& snapshot) {
  std::string out = "{\"models\":";
  append_json_list(snapshot.models.size(), out, [&](size_t i) { out += model_json(*snapshot.models[i]); });
  out += ",\"pipelines\":";
  append_json_list(snapshot.pipelines.size(), out,
                   [&](size_t i) { out += pipeline_json(*snapshot.pipelines[i]); });
  return out + "}";
}

std::string openapi_json() {
  const auto json_body = [](unsigned place) {
    return fmt::format(R"("application/json":{{"schema":{}}})", schema_of(place));
  };
  constexpr std::string_view kName =
      R"({"name":"name","in":"path","required":true,"schema":{"type":"string"}})";
  constexpr std::string_view kObject =
      R"({"description":"the answer","content":{"application/json":{"schema":{"type":"object"}}}})";
  constexpr std::string_view kTextAnswer =
      R"({"description":"text","content":{"text/plain":{"schema":{"type":"string"}}}})";
  const std::string tag_body =
      json_body(kInTag) +
      R"(,"text/plain":{"schema":{"type":"string"}},"text/x-conllu":{"schema":{"type":"string"}},"application/x-ndjson":{"schema":{"type":"string"}})";
  const std::string decode_body =
      json_body(kInDecode) +
      R"(,"text/plain":{"schema":{"type":"string"}},"application/octet-stream":{"schema":{"type":"string","contentMediaType":"application/octet-stream"}})";
  constexpr std::string_view kTagged =
      R"({"description":"labels","content":{"application/json":{"schema":{"type":"object"}},"text/plain":{"schema":{"type":"string"}},"text/x-conllu":{"schema":{"type":"string"}},"application/x-ndjson":{"schema":{"type":"string"}}}})";
  return fmt::format(
      R"({{"openapi":"3.1.0","info":{{"title":"Espalier","version":"{}","summary":"Labels of sequences"}},"paths":{{)"
      R"("/v1/tag":{{"post":{}}},"/v1/explain":{{"post":{}}},"/v1/decode":{{"post":{}}},"/v1/models":{{"get":{}}},)"
      R"("/v1/models/{{name}}":{{"get":{}}},"/v1/models/{{name}}/reload":{{"post":{}}},)"
      R"("/healthz":{{"get":{}}},"/readyz":{{"get":{}}},"/metrics":{{"get":{}}}}},)"
      R"("components":{{"schemas":{{"Problem":{{"type":"object","required":["type","title","status","detail"],"properties":{{)"
      R"("type":{{"type":"string"}},"title":{{"type":"string"}},"status":{{"type":"integer"}},"detail":{{"type":"string"}}}}}}}},)"
      R"("securitySchemes":{{"bearer":{{"type":"http","scheme":"bearer"}}}}}}}})"
      "\n",
      ESPALIER_VERSION, operation("Label sequences", tag_body, parameters_of(kInQuery), kTagged),
      operation("Say why tokens get their labels", json_body(kInExplain), "", kObject),
      operation("Decode scores", decode_body, parameters_of(kInScoresQuery), kObject),
      operation("All models and pipelines", "", "", kObject), operation("One of them", "", kName, kObject),
      operation("Open a model's file again", "", kName, kObject),
      operation("Whether the server runs", "", "", kTextAnswer),
      operation("Whether the server takes requests", "", "", kTextAnswer),
      operation("Figures for Prometheus", "", "", kTextAnswer));
}

HttpAnswer page_answer(const HttpRequest& request) {
  const std::string_view path = request.path;
  const std::string_view name = path == "/" ? "index.html" : path.substr(std::string_view("/page/").size());
  for (const PageFile& file : page_files()) {
    if (file.name != name) continue;
    HttpAnswer answer{200, std::string(file.type), "", {}};
    answer.headers = {
        {"ETag", std::string(file.etag)},
        {"Cache-Control", "no-cache"},
        {"Content-Security-Policy",
         "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
         "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
        {"Referrer-Policy", "no-referrer"},
        {"Cross-Origin-Opener-Policy", "same-origin"}};
    if (request.if_none_match == file.etag) {
      answer.status = 304;
    } else {
      answer.body = file.bytes;
    }
    return answer;
  }
  return problem(404, "the page has no such file");
}

}  // namespace espalier::server

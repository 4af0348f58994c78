// POST /v1/explain. Declared in service.h, tested in service_test.cc.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "server/json_out.h"
#include "server/service.h"

namespace espalier::server {
namespace {

/// One token: its label, the runner-up and the features that decide between them.
void append_explanation(const Explanation& e, size_t top, bool several_columns, const Tagged* tagged,
                        std::string& out) {
  fmt::format_to(std::back_inserter(out), "{{\"token\":{},\"label\":", e.token);
  append_json_string(e.label, out);
  out += ",\"runner_up\":";
  append_json_string(e.runner_up, out);
  out += ",\"margin\":";
  append_json_number(e.margin, out);
  if (several_columns) fmt::format_to(std::back_inserter(out), ",\"column\":{}", e.column);
  if (!e.decision.empty()) {
    out += ",\"decision\":";
    append_json_string(e.decision, out);
    out += ",\"runner_up_decision\":";
    append_json_string(e.runner_up_decision, out);
  }
  out += ",\"features\":";
  append_json_list(std::min(top, e.reasons.size()), out, [&](size_t i) {
    out += "{\"feature\":";
    append_json_string(e.reasons[i].feature, out);
    out += ",\"weight\":";
    append_json_number(static_cast<float>(e.reasons[i].weight), out);
    out += ",\"runner_up_weight\":";
    append_json_number(static_cast<float>(e.reasons[i].runner_up_weight), out);
    out.push_back('}');
  });
  if (tagged != nullptr)
    for (const Change& change : tagged->changes()) {
      if (change.token != e.token) continue;
      out += ",\"changed\":{\"before\":";
      append_json_string(change.before, out);
      out.push_back(',');
      append_because(change, out);
      out.push_back('}');
    }
  out.push_back('}');
}

}  // namespace

std::optional<Problem> explain_json(const Job& job, const Snapshot& snapshot, std::string& out) {
  const ModelRequest& request = job.request;
  Named named;
  if (auto wrong = find_named(snapshot, request, named)) return wrong;
  DecodeOptions decode;
  if (auto wrong = decode_options(job, decode)) return wrong;
  Inputs inputs;
  if (auto wrong = inputs_of(job, inputs)) return wrong;
  const ModelInfo& info = named.tagger().info();
  const bool constrained =
      request.constraints || (info.constrained && !request.unconstrained && request.decoder != "posterior");
  const std::vector<size_t> features = named.model != nullptr ? info.feature_columns : std::vector<size_t>();

  named.append_begin(out);
  SequenceBuilder builder;
  size_t tokens = 0;
  for (size_t i = 0; i < inputs.all->size(); ++i) {
    const SequenceInput& sequence = (*inputs.all)[i];
    const auto wrong = [&](const Error& error) { return job.wrong_sequence(i, error.message); };
    if (auto late = job.late()) return late;
    fill(sequence, builder);
    tokens += sequence.tokens();
    const auto found = named.pipeline != nullptr
                           ? named.pipeline->pipeline.explain(builder, decode, sequence.forced)
                           : named.model->tagger.explain(builder, decode, sequence.forced);
    if (!found.ok()) return wrong(found.error());
    std::optional<Tagged> tagged;  // what constraints changed, and the labels of the stages before
    if (constrained || named.pipeline != nullptr) {
      TagOptions options;
      options.confidence = false;
      options.decode = decode;
      options.decode.why = constrained;
      options.forced = sequence.forced;
      auto again = named.pipeline != nullptr ? named.pipeline->pipeline.tag(builder, options)
                                             : named.model->tagger.tag(builder, options);
      if (!again.ok()) return wrong(again.error());
      tagged = std::move(again).value();
    }
    const size_t columns = info.labels.size();
    std::vector<std::string> labels;
    for (const Explanation& e : *found)
      if (e.column + 1 == columns) labels.push_back(e.label);
    out += i > 0 ? ",{" : "{";
    append_tokens(sequence, features, inputs.offsets.empty() ? nullptr : &inputs.offsets[i], out);
    append_labels(labels, out);
    if (named.pipeline != nullptr) {
      out += ",\"stages\":{";
      const std::vector<std::string>& names = named.pipeline->models;
      for (size_t c = 0; c < names.size(); ++c) {
        if (c > 0) out.push_back(',');
        append_json_string(names[c], out);
        out.push_back(':');
        append_json_list(tagged->size(), out, [&](size_t t) {
          append_json_string(c + 1 < names.size() ? (*tagged)[t].other_labels[c] : (*tagged)[t].label, out);
        });
      }
      out.push_back('}');
    }
    out += ",\"explanations\":";
    append_json_list(found->size(), out, [&](size_t k) {
      append_explanation((*found)[k], request.top, columns > 1, tagged ? &*tagged : nullptr, out);
    });
    out.push_back('}');
  }
  job.metrics.count_tagged(inputs.all->size(), tokens);
  out += "]}";
  return std::nullopt;
}

}  // namespace espalier::server

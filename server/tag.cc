// POST /v1/tag: sequences in, labels out. Declared in service.h, tested in service_test.cc.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>

#include "server/json_out.h"
#include "server/service.h"

namespace espalier::server {

Result<Constraints> ConstraintCache::get(const std::string& text) {
  {
    const std::lock_guard lock(mutex_);
    const auto found =
        std::find_if(kept_.begin(), kept_.end(), [&](const auto& one) { return one.first == text; });
    if (found != kept_.end()) {
      std::rotate(found, found + 1, kept_.end());
      return kept_.back().second;
    }
  }
  auto parsed = Constraints::parse(text);
  if (!parsed.ok()) return parsed;
  const std::lock_guard lock(mutex_);
  if (kept_.size() == kKept) kept_.erase(kept_.begin());
  kept_.emplace_back(text, *parsed);
  return parsed;
}

std::optional<Problem> find_named(const Snapshot& snapshot, const ModelRequest& request, Named& out) {
  if (!request.pipeline.empty()) {
    out.pipeline = snapshot.pipeline(request.pipeline);
    if (out.pipeline == nullptr)
      return Problem{404, fmt::format("there is no pipeline '{}'", request.pipeline)};
    return std::nullopt;
  }
  if (!request.model.empty()) {
    out.model = snapshot.model(request.model);
    if (out.model == nullptr) return Problem{404, fmt::format("there is no model '{}'", request.model)};
    return std::nullopt;
  }
  if (snapshot.models.size() == 1 && snapshot.pipelines.empty()) {
    out.model = snapshot.models.front().get();
    return std::nullopt;
  }
  std::string names;
  for (const auto& model : snapshot.models) names.append(names.empty() ? "" : ", ").append(model->name);
  for (const auto& pipeline : snapshot.pipelines) names.append(", ").append(pipeline->name);
  return Problem{400, fmt::format("which model? There are {}", names)};
}

std::optional<Problem> decode_options(const Job& job, DecodeOptions& out) {
  const ModelRequest& request = job.request;
  if (request.constraints) {
    auto constraints = job.constraints.get(*request.constraints);
    if (!constraints.ok()) return Problem{400, constraints.error().message};
    out.constraints = std::move(constraints).value();
  }
  out.unconstrained = request.unconstrained;
  out.why = request.why;
  out.decoder = request.decoder;
  out.beam = request.beam;
  out.time_limit = std::min(out.time_limit, job.limits.request_seconds);
  return std::nullopt;
}

void fill(const SequenceInput& sequence, SequenceBuilder& builder) {
  builder.clear();
  size_t cell = 0;
  for (const uint32_t end : sequence.token_ends) {
    builder.begin_token();
    for (; cell < end; ++cell) {
      if (sequence.kind == SequenceInput::Kind::kAttributes) {
        builder.add_attribute(sequence.cell(cell), sequence.values[cell]);
      } else {
        builder.add_cell(sequence.cell(cell));
      }
    }
  }
}

std::optional<Problem> inputs_of(const Job& job, Inputs& out) {
  out.all = &job.request.sequences;
  if (!job.request.raw_text) return std::nullopt;
  const auto sentences = split_text(*job.request.raw_text, job.request.split);
  if (!sentences.ok()) return Problem{400, sentences.error().message};
  for (const TextSentence& sentence : *sentences) {
    if (sentence.tokens.size() > job.limits.tokens)
      return Problem{413, fmt::format("field 'text': a sentence has more than {} tokens", job.limits.tokens)};
    SequenceInput& sequence = out.split.emplace_back();
    sequence.kind = SequenceInput::Kind::kTokens;
    Offsets& offsets = out.offsets.emplace_back();
    for (const TextToken& token : sentence.tokens) {
      sequence.add_cell(token.text);
      sequence.end_token();
      offsets.emplace_back(token.begin, token.end);
    }
  }
  out.all = &out.split;
  return std::nullopt;
}

void append_tokens(const SequenceInput& sequence, const std::vector<size_t>& features, const Offsets* offsets,
                   std::string& out) {
  if (sequence.kind == SequenceInput::Kind::kTokens || sequence.kind == SequenceInput::Kind::kRows) {
    out += "\"tokens\":";
    append_json_list(sequence.tokens(), out, [&](size_t t) {
      const size_t first = sequence.first_cell(t), cells = sequence.token_ends[t] - first;
      // The word is the first column that features use; rows have all columns, or those alone.
      const size_t word =
          features.empty() || cells == features.size() || features.front() >= cells ? 0 : features.front();
      append_json_string(cells == 0 ? std::string_view() : sequence.cell(first + word), out);
    });
    out.push_back(',');
  }
  if (offsets != nullptr) {
    out += "\"offsets\":";
    append_json_list(offsets->size(), out, [&](size_t t) {
      fmt::format_to(std::back_inserter(out), "[{},{}]", (*offsets)[t].first, (*offsets)[t].second);
    });
    out.push_back(',');
  }
}

void append_labels(const std::vector<std::string>& labels, std::string& out) {
  out += "\"labels\":";
  append_json_list(labels.size(), out, [&](size_t t) { append_json_string(labels[t], out); });
}

void append_because(const Change& change, std::string& out) {
  out += "\"because\":";
  append_json_list(change.rules.size(), out, [&](size_t r) {
    out += "{\"constraint\":";
    append_json_string(change.rules[r].first, out);
    out += ",\"price\":";
    append_json_number(change.rules[r].second, out);
    out.push_back('}');
  });
}

namespace {

void append_marginals(const Tagged& tagged, const std::vector<std::string>& labels, std::string& out) {
  out += ",\"marginals\":";
  std::vector<size_t> order(labels.size());
  append_json_list(tagged.size(), out, [&](size_t t) {
    const float* const row = tagged.marginals().data() + t * labels.size();
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return row[a] > row[b]; });
    out.push_back('{');
    for (size_t i = 0; i < order.size(); ++i) {
      if (i > 0) out.push_back(',');
      append_json_string(labels[order[i]], out);
      out.push_back(':');
      append_json_number(row[order[i]], out);
    }
    out.push_back('}');
  });
}

void append_confidence(const Tagged& tagged, std::string& out) {
  out += ",\"probability\":";
  append_json_number(tagged.probability(), out);
  out += ",\"confidence\":";
  append_json_list(tagged.size(), out,
                   [&](size_t t) { append_json_number(static_cast<float>(tagged[t].probability), out); });
  if (tagged.spans().empty()) return;
  out += ",\"spans\":";
  append_json_list(tagged.spans().size(), out, [&](size_t i) {
    const Span& span = tagged.spans()[i];
    fmt::format_to(std::back_inserter(out), "{{\"first\":{},\"last\":{},\"type\":", span.first, span.last);
    append_json_string(span.type, out);
    out += ",\"probability\":";
    append_json_number(static_cast<float>(span.probability), out);
    out.push_back('}');
  });
}

void append_constraints(const Tagged& tagged, bool why, std::string& out) {
  static constexpr std::string_view kOutcomes[] = {"exact", "approximate", "infeasible", "out of time",
                                                   "none in time"};
  out += ",\"constraints\":{\"outcome\":";
  append_json_string(kOutcomes[static_cast<size_t>(tagged.outcome())], out);
  if (!tagged.clash().empty()) {
    out += ",\"clash\":";
    append_json_list(tagged.clash().size(), out,
                     [&](size_t i) { append_json_string(tagged.clash()[i], out); });
  }
  if (why) {
    out += ",\"price\":";
    append_json_number(tagged.price_of_rules(), out);
    out += ",\"changes\":";
    append_json_list(tagged.changes().size(), out, [&](size_t i) {
      const Change& change = tagged.changes()[i];
      fmt::format_to(std::back_inserter(out), "{{\"token\":{},\"before\":", change.token);
      append_json_string(change.before, out);
      out.push_back(',');
      append_because(change, out);
      out.push_back('}');
    });
  }
  out.push_back('}');
}

/// The labels of the columns before the last: of the stages of a pipeline, by name, or of a joint model.
void append_other_labels(const Named& named, const Tagged& tagged, const std::vector<std::string>& labels,
                         std::string& out) {
  const size_t columns = tagged.size() == 0 ? 0 : tagged[0].other_labels.size();
  const auto column = [&](size_t c) {
    append_json_list(tagged.size(), out,
                     [&](size_t t) { append_json_string(tagged[t].other_labels[c], out); });
  };
  if (named.pipeline != nullptr) {
    out += ",\"stages\":{";
    for (size_t c = 0; c < columns; ++c) {
      append_json_string(named.pipeline->models[c], out);
      out.push_back(':');
      column(c);
      out.push_back(',');
    }
    append_json_string(named.pipeline->models.back(), out);
    out.push_back(':');
    append_json_list(labels.size(), out, [&](size_t t) { append_json_string(labels[t], out); });
    out.push_back('}');
  } else if (columns > 0) {
    out += ",\"others\":";
    append_json_list(columns, out, column);
  }
}

/// Whether the answer is labels and nothing else, which takes a shorter way.
bool labels_are_enough(const ModelRequest& request, const Named& named, const SequenceInput& sequence) {
  if (named.model == nullptr || request.confidence || request.marginals || request.nbest > 0 || request.why ||
      request.constraints || !sequence.forced.empty())
    return false;
  const ModelInfo& info = named.model->tagger.info();
  return info.labels.size() == 1 && !(info.constrained && !request.unconstrained);
}

}  // namespace

void append_prediction(const ModelRequest& request, const Tagged& tagged,
                       const std::vector<std::string>& labels, bool constrained, std::string& out) {
  if (request.confidence) append_confidence(tagged, out);
  if (request.marginals) append_marginals(tagged, labels, out);
  if (request.nbest > 0) {
    out += ",\"nbest\":";
    append_json_list(tagged.alternatives().size(), out, [&](size_t k) {
      const Labelling& one = tagged.alternatives()[k];
      out.push_back('{');
      append_labels(one.labels, out);
      out += ",\"score\":";
      append_json_number(one.score, out);
      out += ",\"probability\":";
      append_json_number(one.probability, out);
      out.push_back('}');
    });
  }
  if (constrained) append_constraints(tagged, request.why, out);
}

void Named::append_begin(std::string& out) const {
  out += pipeline != nullptr ? "{\"pipeline\":" : "{\"model\":";
  append_json_string(pipeline != nullptr ? pipeline->name : model->name, out);
  out += ",\"sequences\":[";
}

std::optional<Problem> Job::late() const {
  if (Clock::now() <= deadline) return std::nullopt;
  return Problem{503, fmt::format("the request takes longer than {} s", limits.request_seconds)};
}

Problem Job::wrong_sequence(size_t i, const std::string& message) const {
  return {400, request.batch ? fmt::format("sequence {}: {}", i + 1, message) : message};
}

std::optional<Problem> tag_json(const Job& job, const Snapshot& snapshot, std::string& out) {
  const ModelRequest& request = job.request;
  Named named;
  if (auto wrong = find_named(snapshot, request, named)) return wrong;
  TagOptions options;
  if (auto wrong = decode_options(job, options.decode)) return wrong;
  // An n-best list has the probabilities of its labellings if the model has any.
  options.confidence = request.confidence || (request.nbest > 0 && named.tagger().info().has_probabilities);
  options.marginals = request.marginals;
  options.nbest = std::max<size_t>(1, request.nbest);
  Inputs inputs;
  if (auto wrong = inputs_of(job, inputs)) return wrong;
  const bool constrained = request.constraints || (named.tagger().info().constrained &&
                                                   !request.unconstrained && request.decoder != "posterior");
  const std::vector<size_t> features =
      named.model != nullptr ? named.model->tagger.info().feature_columns : std::vector<size_t>();

  named.append_begin(out);
  thread_local SequenceBuilder builder;
  size_t tokens = 0;
  for (size_t i = 0; i < inputs.all->size(); ++i) {
    const SequenceInput& sequence = (*inputs.all)[i];
    const auto wrong = [&](const Error& error) { return job.wrong_sequence(i, error.message); };
    if (auto late = job.late()) return late;
    fill(sequence, builder);
    out += i > 0 ? ",{" : "{";
    append_tokens(sequence, features, inputs.offsets.empty() ? nullptr : &inputs.offsets[i], out);
    tokens += sequence.tokens();
    if (labels_are_enough(request, named, sequence)) {
      const auto labels = named.model->tagger.label(builder, options.decode);
      if (!labels.ok()) return wrong(labels.error());
      out += "\"labels\":";
      append_json_list(labels->size(), out, [&](size_t t) { out += named.model->quoted[(*labels)[t]]; });
    } else {
      options.forced = sequence.forced;
      const auto tagged = named.pipeline != nullptr ? named.pipeline->pipeline.tag(builder, options)
                                                    : named.model->tagger.tag(builder, options);
      if (!tagged.ok()) return wrong(tagged.error());
      const std::vector<std::string> labels = tagged->labels();
      append_labels(labels, out);
      append_other_labels(named, *tagged, labels, out);
      append_prediction(request, *tagged, named.tagger().labels(), constrained, out);
    }
    out.push_back('}');
  }
  job.metrics.count_tagged(inputs.all->size(), tokens);
  out += "]}";
  return std::nullopt;
}

}  // namespace espalier::server

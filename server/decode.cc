// POST /v1/decode. Declared in service.h, tested in service_test.cc.
#include <fmt/format.h>

#include <algorithm>

#include "server/service.h"

namespace espalier::server {

std::optional<Problem> decode_json(const Job& job, std::string& out) {
  const ModelRequest& request = job.request;
  if (request.labels.empty()) return Problem{400, "field 'labels' is missing or empty"};
  TagOptions options;
  if (auto wrong = decode_options(job, options.decode)) return wrong;
  options.confidence = request.confidence || request.nbest > 0;
  options.marginals = request.marginals;
  options.nbest = std::max<size_t>(1, request.nbest);
  const size_t labels = request.labels.size();
  if (!request.transitions.empty() && request.transitions.size() != labels * labels)
    return Problem{400, fmt::format("field 'transitions': {} numbers, expected {} rows of {}",
                                    request.transitions.size(), labels, labels)};
  DecoderOptions how;
  how.transitions = request.transitions;
  const Decoder decoder(request.labels, std::move(how));
  out += "{\"sequences\":[";
  size_t tokens = 0;
  for (size_t i = 0; i < request.sequences.size(); ++i) {
    const SequenceInput& sequence = request.sequences[i];
    const auto wrong = [&](const std::string& message) { return job.wrong_sequence(i, message); };
    if (auto late = job.late()) return late;
    if (sequence.emissions.size() != sequence.tokens() * labels)
      return wrong(fmt::format("emissions have {} numbers per token for {} labels",
                               sequence.tokens() == 0 ? 0 : sequence.emissions.size() / sequence.tokens(),
                               labels));
    options.forced = sequence.forced;
    const auto tagged = decoder.decode(sequence.emissions, sequence.tokens(), options);
    if (!tagged.ok()) return wrong(tagged.error().message);
    tokens += sequence.tokens();
    out += i > 0 ? ",{" : "{";
    append_labels(tagged->labels(), out);
    append_prediction(request, *tagged, request.labels, request.constraints.has_value(), out);
    out.push_back('}');
  }
  job.metrics.count_tagged(request.sequences.size(), tokens);
  out += "]}";
  return std::nullopt;
}

std::optional<Problem> read_scores(std::string_view body, const Limits& limits, ModelRequest& out) {
  // Deflate makes a thousand bytes of one: what a body may have, its arrays may have a few times, not more.
  constexpr size_t kUnpacked = 8;
  auto read = parse_emissions(body, std::move(out.labels), "body", kUnpacked * limits.body_bytes);
  if (!read.ok()) return Problem{400, read.error().message};
  out.labels = std::move(read->labels);
  out.batch = true;
  for (std::vector<float>& emissions : read->sequences) {
    const size_t tokens = emissions.size() / out.labels.size();
    if (tokens > limits.tokens)
      return Problem{
          413, fmt::format("sequence {} has more than {} tokens", out.sequences.size() + 1, limits.tokens)};
    SequenceInput& sequence = out.sequences.emplace_back();
    sequence.kind = SequenceInput::Kind::kEmissions;
    for (size_t t = 0; t < tokens; ++t) sequence.end_token();
    sequence.emissions = std::move(emissions);
  }
  return std::nullopt;
}

}  // namespace espalier::server

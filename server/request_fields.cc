// The table of the fields of requests, and their values in queries. Declared in request.h, tested in
// request_test.cc.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>

#include "server/http.h"
#include "server/request.h"

namespace espalier::server {
namespace {

constexpr unsigned kEverywhere = kInTag | kInExplain | kInDecode, kAnyQuery = kInQuery | kInScoresQuery;
constexpr std::string_view kText = R"({"type":"string"})", kTruth = R"({"type":"boolean"})";
constexpr std::string_view kTexts = R"({"type":"array","items":{"type":"string"}})";

constexpr FieldInfo kFields[] = {
    {"model", kInTag | kInExplain | kInQuery, kText,
     "the model; may be left out if there is one and no pipeline"},
    {"pipeline", kInTag | kInExplain | kInQuery, kText, "a pipeline, instead of a model"},
    {"tokens", kInTag | kInExplain | kInSequence, kTexts, "one sequence of words"},
    {"rows", kInTag | kInExplain | kInSequence,
     R"({"type":"array","items":{"type":"array","items":{"type":"string"}}})",
     "one sequence: per token its cells, without the label"},
    {"attributes", kInTag | kInExplain | kInSequence,
     R"({"type":"array","items":{"type":"object","additionalProperties":{"type":"number"}}})",
     "one sequence: per token its attributes with their values"},
    {"text", kInTag | kInExplain, kText, "raw text; one sequence per sentence"},
    {"sequences", kEverywhere, "", "a batch"},
    {"split", kInTag | kInExplain | kInQuery, R"({"type":"string","enum":["words","blanks"]})",
     "how raw text is split"},
    {"confidence", kInTag | kInDecode | kAnyQuery, kTruth,
     "add probabilities of labels, spans and the labelling"},
    {"marginals", kInTag | kInDecode | kAnyQuery, kTruth,
     "add the probability of every label at every token"},
    {"nbest", kInTag | kInDecode | kAnyQuery, R"({"type":"integer","minimum":1,"maximum":1000})",
     "add this many labellings, best first"},
    {"constraints", kEverywhere | kAnyQuery, kText, "obey these constraints"},
    {"unconstrained", kInTag | kInExplain | kInQuery, kTruth,
     "obey no constraints, not even those of the training"},
    {"why", kInTag | kInDecode | kAnyQuery, kTruth, "add the tokens that constraints changed"},
    {"forced", kEverywhere | kInSequence | kInScores,
     R"({"type":"array","minItems":1,"items":{"type":["string","null"]}})",
     "per token the label that it must get, null where the model decides"},
    {"decoder", kEverywhere | kAnyQuery, kText, "how labellings are found"},
    {"beam", kEverywhere | kAnyQuery, R"({"type":"integer","minimum":1,"maximum":1000000})",
     "width of the beam"},
    {"top", kInExplain, R"({"type":"integer","minimum":1,"maximum":1000})", "features to list per token"},
    {"labels", kInDecode | kInScoresQuery, kTexts, "the labels that scores are about"},
    {"emissions", kInDecode | kInScores,
     R"({"type":"array","items":{"type":"array","items":{"type":["number","null"]}}})",
     "per token the score of every label, null for minus infinity"},
    {"transitions", kInDecode,
     R"({"type":"array","items":{"type":"array","items":{"type":["number","null"]}}})",
     "the score of each label (in its row) before each label"},
};

std::optional<bool> truth_of(std::string_view text) {
  if (text == "true" || text == "1" || text.empty()) return true;
  if (text == "false" || text == "0") return false;
  return std::nullopt;
}

std::optional<size_t> number_of(std::string_view text, size_t most) {
  size_t out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc() || end != text.data() + text.size() || out < 1 || out > most) return std::nullopt;
  return out;
}

std::vector<std::string> split_at_commas(std::string_view text) {
  std::vector<std::string> out;
  while (true) {
    const size_t comma = text.find(',');
    out.emplace_back(text.substr(0, comma));
    if (comma == text.npos) return out;
    text.remove_prefix(comma + 1);
  }
}

Problem unknown_parameter(std::string_view name, unsigned place) {
  std::string known;
  for (const FieldInfo& field : kFields)
    if ((field.places & place) != 0) known.append(known.empty() ? "" : ", ").append(field.name);
  return {400, fmt::format("unknown parameter '{}' in the query; there are {}", name, known)};
}

}  // namespace

std::span<const FieldInfo> request_fields() { return kFields; }

std::optional<Problem> parse_query(std::string_view query, unsigned place, ModelRequest& out) {
  const auto fields = query_fields(query);
  if (!fields) return Problem{400, "the query is malformed"};
  for (const auto& field : *fields) {
    const std::string &name = field.first, &value = field.second;
    const auto wrong = [&](std::string_view expected) {
      return Problem{400, fmt::format("{}={}: expected {}", name, value, expected)};
    };
    const auto set_truth = [&](bool& to) -> std::optional<Problem> {
      const auto truth = truth_of(value);
      if (!truth) return wrong("true or false");
      to = *truth;
      return std::nullopt;
    };
    const auto set_number = [&](size_t& to, size_t most) -> std::optional<Problem> {
      const auto number = number_of(value, most);
      if (!number) return wrong(fmt::format("a whole number from 1 to {}", most));
      to = *number;
      return std::nullopt;
    };
    const auto known = std::find_if(std::begin(kFields), std::end(kFields), [&](const FieldInfo& info) {
      return (info.places & place) != 0 && info.name == name;
    });
    if (known == std::end(kFields)) return unknown_parameter(name, place);
    std::optional<Problem> found;
    if (name == "model") {
      out.model = value;
    } else if (name == "pipeline") {
      out.pipeline = value;
    } else if (name == "split") {
      if (value != "words" && value != "blanks") return wrong("words or blanks");
      out.split = value == "blanks" ? TextSplit::blanks : TextSplit::words;
    } else if (name == "confidence") {
      found = set_truth(out.confidence);
    } else if (name == "marginals") {
      found = set_truth(out.marginals);
    } else if (name == "unconstrained") {
      found = set_truth(out.unconstrained);
    } else if (name == "nbest") {
      found = set_number(out.nbest, 1000);
    } else if (name == "beam") {
      found = set_number(out.beam, 1'000'000);
    } else if (name == "decoder") {
      out.decoder = value;
    } else if (name == "constraints") {
      out.constraints = value;
    } else if (name == "why") {
      found = set_truth(out.why);
    } else {
      out.labels = split_at_commas(value);
    }
    if (found) return found;
  }
  return std::nullopt;
}

}  // namespace espalier::server

#include "server/request.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <limits>

namespace espalier::server {
namespace {

namespace od = simdjson::ondemand;

/// Thrown and caught in this file only.
struct Refused {
  Problem problem;
};

template <typename... Args>
[[noreturn]] void refuse(int status, fmt::format_string<Args...> format, Args&&... args) {
  throw Refused{{status, fmt::format(format, std::forward<Args>(args)...)}};
}

/// Reads one body.
class BodyReader {
 public:
  BodyReader(RequestKind kind, const Limits& limits, ModelRequest& out)
      : scores_(kind == RequestKind::kDecode),
        place_(kind == RequestKind::kTag       ? kInTag
               : kind == RequestKind::kExplain ? kInExplain
                                               : kInDecode),
        limits_(limits),
        out_(out) {}

  void read(od::document& document) {
    own_.emplace();
    expected_ = "a JSON object";
    read_object(document.get_object(), place_, *own_);
    if (document.current_location().error() != simdjson::OUT_OF_BOUNDS)
      refuse(400, "the body is not JSON: something follows the object");
    finish();
  }

  /// What a simdjson error means here.
  Problem problem_of(simdjson::error_code code) const {
    if (code == simdjson::INCORRECT_TYPE || code == simdjson::NUMBER_OUT_OF_RANGE)
      return {400, field_.empty() ? fmt::format("expected {}", expected_)
                                  : fmt::format("field '{}': expected {}", field_, expected_)};
    return {400, fmt::format("the body is not JSON: {}", simdjson::error_message(code))};
  }

 private:
  void read_object(od::object object, unsigned place, SequenceInput& sequence) {
    uint64_t seen = 0;
    for (auto item : object) {
      od::field field = std::move(item).take_value();
      const std::string_view name = field.unescaped_key();
      const auto fields = request_fields();
      const auto found = std::find_if(fields.begin(), fields.end(), [&](const FieldInfo& info) {
        return (info.places & place) != 0 && info.name == name;
      });
      if (found == fields.end()) refuse_unknown(name, place);
      const uint64_t bit = uint64_t{1} << (found - fields.begin());
      if ((seen & bit) != 0) refuse(400, "field '{}' is given twice", name);
      seen |= bit;
      field_ = found->name;
      read_field(field.value(), sequence);
    }
    field_ = {};
  }

  [[noreturn]] static void refuse_unknown(std::string_view name, unsigned place) {
    std::string known;
    for (const FieldInfo& info : request_fields())
      if ((info.places & place) != 0) known.append(known.empty() ? "" : ", ").append(info.name);
    constexpr size_t kShown = 100;
    refuse(400, "unknown field '{}'{}; there are {}", name.substr(0, kShown),
           place == kInSequence || place == kInScores ? " in a sequence" : "", known);
  }

  void read_field(od::value value, SequenceInput& sequence) {
    const std::string_view name = field_;
    if (name == "tokens") return read_tokens(value, sequence);
    if (name == "model") return read_text(value, out_.model);
    if (name == "pipeline") return read_text(value, out_.pipeline);
    if (name == "rows") return read_rows(value, sequence);
    if (name == "attributes") return read_attributes(value, sequence);
    if (name == "text") return read_text(value, out_.raw_text.emplace());
    if (name == "sequences") return read_sequences(value);
    if (name == "split") return read_split(value);
    if (name == "confidence") return read_truth(value, out_.confidence);
    if (name == "marginals") return read_truth(value, out_.marginals);
    if (name == "unconstrained") return read_truth(value, out_.unconstrained);
    if (name == "why") return read_truth(value, out_.why);
    if (name == "nbest") return read_number(value, 1000, out_.nbest);
    if (name == "top") return read_number(value, 1000, out_.top);
    if (name == "beam") return read_number(value, 1'000'000, out_.beam);
    if (name == "decoder") return read_text(value, out_.decoder);
    if (name == "constraints") return read_text(value, out_.constraints.emplace());
    if (name == "forced") return read_forced(value, sequence);
    if (name == "labels") return read_labels(value);
    if (name == "emissions") return read_emissions(value, sequence);
    read_transitions(value);
  }

  void read_text(od::value value, std::string& to) {
    expected_ = "text";
    to = std::string_view(value.get_string());
  }
  void read_truth(od::value value, bool& to) {
    expected_ = "true or false";
    to = value.get_bool();
  }
  void read_number(od::value value, size_t most, size_t& to) {
    expected_ = fmt::format("a whole number from 1 to {}", most);
    const uint64_t number = value.get_uint64();
    if (number < 1 || number > most) refuse(400, "field '{}': expected {}", field_, expected_);
    to = number;
  }
  void read_split(od::value value) {
    expected_ = "\"words\" or \"blanks\"";
    const std::string_view split = value.get_string();
    if (split != "words" && split != "blanks") refuse(400, "field 'split': expected {}", expected_);
    out_.split = split == "blanks" ? TextSplit::blanks : TextSplit::words;
  }

  void begin_input(SequenceInput& sequence, SequenceInput::Kind kind) {
    if (sequence.kind != SequenceInput::Kind::kNone)
      refuse(400, "field '{}': the input is given in another field already", field_);
    sequence.kind = kind;
  }
  void end_token(SequenceInput& sequence) {
    sequence.end_token();
    if (sequence.tokens() > limits_.tokens)
      refuse(413, "field '{}': the sequence has more than {} tokens", field_, limits_.tokens);
  }

  void read_tokens(od::value value, SequenceInput& sequence) {
    begin_input(sequence, SequenceInput::Kind::kTokens);
    expected_ = "a list of texts";
    for (auto token : value.get_array()) {
      sequence.add_cell(token.get_string());
      end_token(sequence);
    }
  }
  void read_rows(od::value value, SequenceInput& sequence) {
    begin_input(sequence, SequenceInput::Kind::kRows);
    expected_ = "a list of lists of texts";
    for (auto row : value.get_array()) {
      for (auto cell : row.get_array()) sequence.add_cell(cell.get_string());
      end_token(sequence);
    }
  }
  void read_attributes(od::value value, SequenceInput& sequence) {
    begin_input(sequence, SequenceInput::Kind::kAttributes);
    expected_ = "a list of objects with numbers";
    for (auto token : value.get_array()) {
      for (auto item : token.get_object()) {
        od::field attribute = std::move(item).take_value();
        sequence.add_cell(attribute.unescaped_key());
        sequence.values.push_back(attribute.value().get_double());
      }
      end_token(sequence);
    }
  }
  float read_score(od::value value) {
    if (bool(value.is_null())) return -std::numeric_limits<float>::infinity();
    return static_cast<float>(double(value.get_double()));
  }
  void read_emissions(od::value value, SequenceInput& sequence) {
    begin_input(sequence, SequenceInput::Kind::kEmissions);
    expected_ = "a list of lists of numbers";
    size_t width = 0;
    for (auto row : value.get_array()) {
      const size_t before = sequence.emissions.size();
      for (auto number : row.get_array())
        sequence.emissions.push_back(read_score(std::move(number).take_value()));
      const size_t here = sequence.emissions.size() - before;
      if (before == 0) width = here;
      if (here != width || width == 0)
        refuse(400, "field 'emissions': row {} has {} numbers, expected {}", sequence.tokens() + 1, here,
               width);
      end_token(sequence);
    }
  }
  void read_transitions(od::value value) {
    expected_ = "a list of lists of numbers";
    for (auto row : value.get_array())
      for (auto number : row.get_array())
        out_.transitions.push_back(read_score(std::move(number).take_value()));
  }
  void read_labels(od::value value) {
    expected_ = "a list of texts";
    for (auto label : value.get_array()) out_.labels.emplace_back(std::string_view(label.get_string()));
  }
  void read_forced(od::value value, SequenceInput& sequence) {
    expected_ = "a list of texts and nulls";
    for (auto label : value.get_array()) {
      if (sequence.forced.size() == limits_.tokens)
        refuse(413, "field 'forced': there are more than {}", limits_.tokens);
      od::value one = std::move(label).take_value();
      if (bool(one.is_null())) {
        sequence.forced.emplace_back("_");
      } else {
        sequence.forced.emplace_back(std::string_view(one.get_string()));
      }
    }
    if (sequence.forced.empty()) refuse(400, "field 'forced': the list is empty");
  }

  void read_sequences(od::value value) {
    expected_ = "a list of objects";
    out_.batch = true;
    for (auto item : value.get_array()) {
      SequenceInput& sequence = out_.sequences.emplace_back();
      expected_ = "a list of objects";
      read_object(item.get_object(), scores_ ? kInScores : kInSequence, sequence);
      if (sequence.kind == SequenceInput::Kind::kNone)
        refuse(400, "sequence {}: {} is missing", out_.sequences.size(),
               scores_ ? "emissions" : "tokens, rows or attributes");
      field_ = "sequences";
    }
  }

  /// Exactly one way to give the input.
  void finish() {
    const bool own = own_->kind != SequenceInput::Kind::kNone;
    if (int{own} + int{out_.batch} + int{out_.raw_text.has_value()} != 1)
      refuse(400, "{} of {} is needed", own || out_.batch ? "exactly one" : "one",
             scores_ ? "emissions and sequences" : "tokens, rows, attributes, text and sequences");
    if (!own && !own_->forced.empty())
      refuse(400, "field 'forced': {}",
             out_.batch ? "put it into the sequences" : "raw text has no tokens yet");
    if (own) out_.sequences.push_back(std::move(*own_));
    if (!out_.model.empty() && !out_.pipeline.empty()) refuse(400, "model and pipeline are both given");
  }

  bool scores_;
  unsigned place_;
  const Limits& limits_;
  ModelRequest& out_;
  std::optional<SequenceInput> own_;  ///< the sequence that is not in a batch
  std::string_view field_;            ///< being read
  std::string expected_;              ///< what its value must be
};

}  // namespace

std::optional<Problem> parse_request(std::string& body, RequestKind kind, const Limits& limits,
                                     ModelRequest& out) {
  // A parser keeps memory for the largest body that it has seen: that of a thread for small ones only.
  constexpr size_t kKept = size_t{1} << 20;
  thread_local od::parser kept;
  std::optional<od::parser> large;
  if (body.size() > kKept) large.emplace();
  body.reserve(body.size() + simdjson::SIMDJSON_PADDING);
  BodyReader reader(kind, limits, out);
  try {
    od::document document = (large ? *large : kept).iterate(body.data(), body.size(), body.capacity());
    reader.read(document);
  } catch (const Refused& refused) {
    return refused.problem;
  } catch (const simdjson::simdjson_error& error) {
    return reader.problem_of(error.error());
  }
  return std::nullopt;
}

}  // namespace espalier::server

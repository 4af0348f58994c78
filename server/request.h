// The JSON of requests as values, checked: what docs/service.md describes, field by field.
//
// parse_request reads a body once, without building a tree; every field is in one table, from which the
// messages about unknown fields and /openapi.json are made, too. Values nest at most four deep (sequences,
// sequence, rows, row): anything deeper is refused where it begins. Nothing here knows models. Tested in
// request_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "espalier/espalier.h"
#include "server/options.h"

namespace espalier::server {

/// Why a request is refused.
struct Problem {
  int status = 400;
  std::string detail;
};

/// One sequence of a request. Texts are in one string, so that a batch costs few allocations.
struct SequenceInput {
  enum class Kind { kNone, kTokens, kRows, kAttributes, kEmissions };
  Kind kind = Kind::kNone;
  std::string text;                  ///< all cells, or names of attributes, one after the other
  std::vector<uint32_t> cell_ends;   ///< where each ends
  std::vector<uint32_t> token_ends;  ///< per token: the number of cells up to its last
  std::vector<double> values;        ///< of attributes, one per name
  std::vector<float> emissions;      ///< row by row
  std::vector<std::string> forced;   ///< "_" where the model decides; empty: none is forced

  size_t tokens() const { return token_ends.size(); }
  std::string_view cell(size_t number) const {
    const size_t begin = number == 0 ? 0 : cell_ends[number - 1];
    return std::string_view(text).substr(begin, cell_ends[number] - begin);
  }
  size_t first_cell(size_t token) const { return token == 0 ? 0 : token_ends[token - 1]; }
  void add_cell(std::string_view cell_text) {
    text.append(cell_text);
    cell_ends.push_back(static_cast<uint32_t>(text.size()));
  }
  void end_token() { token_ends.push_back(static_cast<uint32_t>(cell_ends.size())); }
};

struct ModelRequest {
  std::string model, pipeline;
  std::vector<SequenceInput> sequences;
  std::optional<std::string> raw_text;  ///< instead of sequences
  TextSplit split = TextSplit::words;
  bool batch = false;  ///< given as `sequences`
  bool confidence = false, marginals = false, why = false, unconstrained = false;
  size_t nbest = 0;  ///< 0: not asked for
  size_t beam = 0, top = 10;
  std::string decoder = "auto";
  std::optional<std::string> constraints;
  std::vector<std::string> labels;  ///< of scores
  std::vector<float> transitions;
};

enum class RequestKind { kTag, kExplain, kDecode };

/// Parses a body. `body` needs no padding of its own; its capacity may grow. An unknown field, a value of the
/// wrong kind or a sequence above the limit is a problem.
std::optional<Problem> parse_request(std::string& body, RequestKind kind, const Limits& limits,
                                     ModelRequest& out);

/// A field of requests, for the description of the service.
struct FieldInfo {
  std::string_view name;
  unsigned places;          ///< bits of Place
  std::string_view schema;  ///< JSON Schema of its value
  std::string_view about;
};
enum Place : unsigned {
  kInTag = 1,
  kInExplain = 2,
  kInDecode = 4,
  kInSequence = 8,
  kInScores = 16,
  kInQuery = 32,       ///< of a body that is text to label
  kInScoresQuery = 64  ///< of a body that is a file of scores
};
std::span<const FieldInfo> request_fields();

/// Takes options from the query of a request whose body is not JSON; `place` is the kind of its body.
std::optional<Problem> parse_query(std::string_view query, unsigned place, ModelRequest& out);

}  // namespace espalier::server

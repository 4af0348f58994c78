#include "espalier/tasks/structures/roles.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <numeric>

#include "espalier/base/files/input.h"
#include "espalier/base/text/json_as.h"
#include "espalier/base/text/text.h"
#include "espalier/eval/add_counts.h"

namespace espalier::tasks {

size_t RolePredicate::arguments() const {
  return missed.size() + static_cast<size_t>(std::count_if(candidates.begin(), candidates.end(),
                                                           [](const auto& c) { return c.role != kNoRole; }));
}

std::vector<size_t> candidate_order(const std::vector<constrain::CandidateSpan>& spans) {
  std::vector<size_t> order(spans.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return spans[a].begin != spans[b].begin ? spans[a].begin < spans[b].begin : spans[a].end > spans[b].end;
  });
  return order;
}

Result<RolePredicate> parse_predicate(std::string_view line, const std::string& file, uint64_t number) {
  const Json object = try_parse_json(line);
  if (!object.is_object()) return fail("{}:{}: expected a JSON object", file, number);
  RolePredicate out;
  out.line = number;
  try {
    out.id = object.at("id").get<std::string>();
    out.position = json_as<size_t>(object.at("pred"));
    out.lemma = object.at("lemma").get<std::string>();
    out.sense = object.at("sense").get<std::string>();
    out.tokens = object.at("tokens").get<std::vector<std::string>>();
    out.pos = object.at("pos").get<std::vector<std::string>>();
    for (const Json& c : object.at("cands")) {
      RoleCandidate candidate;
      candidate.begin = json_as<size_t>(c.at("b"));
      candidate.end = json_as<size_t>(c.at("e"));
      candidate.label = c.at("label").get<std::string>();
      candidate.path = c.at("path").get<std::string>();
      candidate.head = json_as<size_t>(c.at("head"));
      candidate.head_word = c.at("hw").get<std::string>();
      candidate.role = c.value("role", std::string(kNoRole));
      out.labelled = out.labelled && c.contains("role");
      if (candidate.begin >= candidate.end || candidate.end > out.tokens.size() ||
          candidate.head >= out.tokens.size())
        return fail("{}:{}: candidate [{}, {}) does not lie within the {} tokens", file, number,
                    candidate.begin, candidate.end, out.tokens.size());
      out.candidates.push_back(std::move(candidate));
    }
    if (object.contains("missed"))
      for (const Json& m : object.at("missed")) out.missed.push_back(m.at("role").get<std::string>());
  } catch (const Json::exception& problem) {
    return fail("{}:{}: not a predicate of the task roles (docs/tasks.md): {}", file, number,
                json_problem(problem));
  }
  if (out.position >= out.tokens.size() || out.pos.size() != out.tokens.size())
    return fail("{}:{}: {} tokens, {} parts of speech and the predicate at {} do not fit together", file,
                number, out.tokens.size(), out.pos.size(), out.position);
  std::vector<constrain::CandidateSpan> spans;
  for (const RoleCandidate& c : out.candidates) spans.push_back({c.begin, c.end});
  std::vector<RoleCandidate> sorted;
  for (const size_t i : candidate_order(spans)) sorted.push_back(std::move(out.candidates[i]));
  out.candidates = std::move(sorted);
  return out;
}

Result<std::vector<RolePredicate>> read_predicates(const std::string& path) {
  ESPALIER_ASSIGN(Input input, Input::open(path));
  std::vector<RolePredicate> out;
  std::string_view line;
  while (true) {
    ESPALIER_ASSIGN(const bool more, input.next_line(line));
    if (!more) break;
    if (line.empty()) continue;
    ESPALIER_ASSIGN(RolePredicate predicate, parse_predicate(line, path, input.line_number()));
    out.push_back(std::move(predicate));
  }
  if (out.empty()) return fail("{}: no predicates", path);
  return out;
}

RolePredicate arguments_only(const RolePredicate& predicate) {
  RolePredicate out = predicate;
  std::erase_if(out.candidates, [](const RoleCandidate& c) { return c.role == kNoRole; });
  return out;
}

constrain::ConstraintScope role_shape(const data::LabelSet& labels) {
  constrain::ConstraintScope shape;
  shape.name = "roles";
  shape.spans = true;
  shape.none = labels.find(kNoRole);
  shape.names = {"head", "sense", "lemma", "label"};
  return shape;
}

constrain::Instance role_instance(const constrain::Constraints& constraints, const RolePredicate& predicate) {
  std::vector<constrain::CandidateSpan> spans;
  for (const RoleCandidate& c : predicate.candidates) spans.push_back({c.begin, c.end});
  const size_t length = spans.size();
  return constraints.instance(
      length,
      [&](size_t row, size_t column) -> std::string_view {
        switch (column) {
          case kRoleHead:
            return predicate.candidates[row].head_word;
          case kRoleSense:
            return predicate.sense;
          case kRoleLemma:
            return predicate.lemma;
          default:
            return predicate.candidates[row].label;
        }
      },
      std::move(spans));
}

std::string role_constraints(const data::LabelSet& labels, const std::string& lexicon) {
  static constexpr std::array<std::string_view, 7> kCore = {"ARG0", "ARG1", "ARG2", "ARG3",
                                                            "ARG4", "ARG5", "ARGA"};
  std::string core;
  for (const std::string_view role : kCore)
    if (labels.find(role)) core += fmt::format("{}{}", core.empty() ? "" : ", ", role);
  const auto any_with = [&](std::string_view prefix) {
    return std::any_of(labels.names().begin(), labels.names().end(),
                       [&](const std::string& name) { return name.starts_with(prefix); });
  };
  std::string text = "overlap: no overlap\n";
  if (!core.empty()) text += fmt::format("core: at most 1 of each {{{}}}\n", core);
  if (any_with("R-")) text += "reference: if R-$ then $\n";
  if (any_with("C-")) text += "continuation: if C-$ then $ before\n";
  if (!lexicon.empty() && !core.empty())
    text += fmt::format("frame: allow lexicon \"{}\" by sense of {{{}}}\n", lexicon, core);
  return text;
}

void RoleScores::add(const RolePredicate& predicate, const std::vector<std::string_view>& roles) {
  std::vector<std::string_view> wanted;
  for (const RoleCandidate& candidate : predicate.candidates) wanted.push_back(candidate.role);
  add(wanted, roles, predicate.missed.size());
}

void RoleScores::add(std::span<const std::string_view> wanted, std::span<const std::string_view> roles,
                     size_t missed) {
  ESPALIER_CHECK(roles.size() == wanted.size());
  ++predicates;
  gold += missed;
  for (size_t i = 0; i < roles.size(); ++i) {
    const bool argument = wanted[i] != kNoRole;
    ++candidates;
    right += roles[i] == wanted[i];
    gold += argument;
    reachable += argument;
    predicted += roles[i] != kNoRole;
    found += argument && roles[i] == wanted[i];
  }
}

void RoleScores::merge(const RoleScores& other) {
  using S = RoleScores;
  eval::add_counts(
      *this, other,
      {&S::predicates, &S::candidates, &S::right, &S::gold, &S::predicted, &S::found, &S::reachable});
}

namespace {
double percent_of(size_t part, size_t whole) {
  return whole == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole);
}
}  // namespace

double RoleScores::accuracy() const { return percent_of(right, candidates); }
double RoleScores::type_accuracy() const { return percent_of(found, reachable); }
double RoleScores::precision() const { return percent_of(found, predicted); }
double RoleScores::recall() const { return percent_of(found, gold); }
double RoleScores::f1() const { return percent_of(2 * found, gold + predicted); }

}  // namespace espalier::tasks

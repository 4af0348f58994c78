// Semantic roles: which constituent is which argument of a predicate. read_predicates() reads the data,
// role_sequence() turns a predicate into rows with features, role_constraints() writes the usual constraints,
// RoleScores evaluates. Candidates come with the data; nothing here parses text.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "espalier/base/result.h"
#include "espalier/constrain/decode.h"
#include "espalier/data/sequence.h"

namespace espalier::tasks {

/// The role of a candidate that is not an argument.
inline constexpr std::string_view kNoRole = "NONE";

/// A constituent that may be an argument: words [begin, end).
struct RoleCandidate {
  size_t begin = 0, end = 0;
  std::string label;  ///< phrase label, or part of speech of a single token
  std::string path;   ///< from here to the predicate, as NP^S!VP!VBD
  size_t head = 0;    ///< token
  std::string head_word;
  std::string role;  ///< gold; kNoRole if it is not an argument
};

/// One predicate and its candidates, ordered by their first word; longer ones first.
struct RolePredicate {
  std::string id;
  size_t position = 0;  ///< token
  std::string lemma, sense;
  std::vector<std::string> tokens, pos;
  std::vector<RoleCandidate> candidates;
  std::vector<std::string> missed;  ///< roles of gold arguments that are not among the candidates
  uint64_t line = 0;
  bool labelled = true;  ///< every candidate came with its role

  size_t arguments() const;  ///< number of gold arguments, missed ones included
};

/// The order by first word, longer candidates first. Candidates are searched in this order.
std::vector<size_t> candidate_order(const std::vector<constrain::CandidateSpan>& spans);

/// Parses one line. Candidates are returned in candidate_order. Errors name file, line and what is wrong.
Result<RolePredicate> parse_predicate(std::string_view line, const std::string& file, uint64_t number);
/// Reads JSON lines (plain or gz), one predicate each.
Result<std::vector<RolePredicate>> read_predicates(const std::string& path);

/// Whether the predicate is passive: a participle preceded by a form of be or get within its clause.
bool is_passive(const RolePredicate& predicate);

/// Cells of a candidate's row: what constraints may look at by name (role_shape), and the words it covers.
enum RoleCell : size_t { kRoleHead, kRoleSense, kRoleLemma, kRoleLabel, kRoleBegin, kRoleEnd, kRoleCells };

/// The candidates as rows with precomputed features and their gold role as label. Features: head word, phrase
/// label, path, position, voice, predicate, sense, first and last words, neighbours, and conjunctions of
/// these.
data::Sequence role_sequence(const RolePredicate& predicate);

/// The same predicate with only its gold arguments as candidates: boundaries are given, roles are to be
/// found.
RolePredicate arguments_only(const RolePredicate& predicate);

/// What constraints can refer to in role tasks: spans, and the columns head, sense, lemma and label.
constrain::ConstraintScope role_shape(const data::LabelSet& labels);
constrain::Instance role_instance(const constrain::Constraints& constraints, const RolePredicate& predicate);

/// The constraints of Punyakanok et al. (2004) that apply to a label set: no overlap, each core role once,
/// references and continuations only with what they refer to, and roles licensed by the frame (left out if
/// `lexicon` is empty).
std::string role_constraints(const data::LabelSet& labels, const std::string& lexicon);

/// Counts over the labellings of many predicates. F1 is over arguments; those without a candidate count as
/// missed.
struct RoleScores {
  size_t predicates = 0;
  size_t candidates = 0, right = 0;           ///< over all candidates
  size_t gold = 0, predicted = 0, found = 0;  ///< over arguments
  size_t reachable = 0;                       ///< gold arguments among the candidates

  void add(const RolePredicate& predicate, const std::vector<std::string_view>& roles);
  /// The same from lists of gold and predicted roles; `missed` is the number of arguments without a
  /// candidate.
  void add(std::span<const std::string_view> wanted, std::span<const std::string_view> roles, size_t missed);
  void merge(const RoleScores& other);
  // In percent:
  double accuracy() const;       ///< over candidates
  double type_accuracy() const;  ///< over gold arguments among the candidates: share with the correct role
  double precision() const;
  double recall() const;
  double f1() const;
};

}  // namespace espalier::tasks

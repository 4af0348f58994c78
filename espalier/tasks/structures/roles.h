// Semantic roles: which constituent is which argument of a predicate.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "espalier/base/result.h"
#include "espalier/constrain/decode.h"
#include "espalier/data/sequence.h"

namespace espalier::tasks {

/// The role of a candidate that is no argument.
inline constexpr std::string_view kNoRole = "NONE";

/// A constituent that may be an argument: words [begin, end).
struct RoleCandidate {
  size_t begin = 0, end = 0;
  std::string label;  ///< phrase label, or part of speech of a bare token
  std::string path;   ///< from here to the predicate: NP^S!VP!VBD
  size_t head = 0;    ///< token
  std::string head_word;
  std::string role;  ///< gold; kNoRole where it is none
};

/// One predicate with its candidates, by their beginning (of equals the longer first).
struct RolePredicate {
  std::string id;
  size_t position = 0;  ///< token
  std::string lemma, sense;
  std::vector<std::string> tokens, pos;
  std::vector<RoleCandidate> candidates;
  std::vector<std::string> missed;  ///< roles of gold arguments that are no candidate
  uint64_t line = 0;
  bool labelled = true;  ///< every candidate came with its role

  size_t arguments() const;  ///< gold ones, those missed among them
};

/// By their beginning, of equals the longer first: the order that candidates are searched in.
std::vector<size_t> candidate_order(const std::vector<constrain::CandidateSpan>& spans);

/// One line. Candidates come out in that order. Errors name file, line and what is wrong.
Result<RolePredicate> parse_predicate(std::string_view line, const std::string& file, uint64_t number);
/// Reads JSON lines, one predicate each (plain or gz).
Result<std::vector<RolePredicate>> read_predicates(const std::string& path);

/// A participle that a form of be or get stands before, within the clause: passive.
bool is_passive(const RolePredicate& predicate);

/// Cells of a candidate's row: what constraints may look at by name (role_shape), and the words it covers.
enum RoleCell : size_t { kRoleHead, kRoleSense, kRoleLemma, kRoleLabel, kRoleBegin, kRoleEnd, kRoleCells };

/// The candidates as rows with ready-made features and their gold role as label: head word, phrase label,
/// path, position, voice, predicate, sense, first and last words, neighbours, and conjunctions of these.
data::Sequence role_sequence(const RolePredicate& predicate);

/// The same predicate with its gold arguments alone: boundaries given, types to be found.
RolePredicate arguments_only(const RolePredicate& predicate);

/// What constraints can say about roles: spans, and the columns head, sense, lemma and label.
constrain::ConstraintScope role_shape(const data::LabelSet& labels);
constrain::Instance role_instance(const constrain::Constraints& constraints, const RolePredicate& predicate);

/// The constraints of Punyakanok et al. (2004) that a label set can have: no overlap, each core role once,
/// references and continuations only with what they refer to, roles licensed by the frame (`lexicon` empty:
/// without these).
std::string role_constraints(const data::LabelSet& labels, const std::string& lexicon);

/// Counts of a labelling of many predicates. F1 over arguments, those that are no candidate counted as
/// missed.
struct RoleScores {
  size_t predicates = 0;
  size_t candidates = 0, right = 0;           ///< all candidates
  size_t gold = 0, predicted = 0, found = 0;  ///< arguments
  size_t reachable = 0;                       ///< gold arguments that are candidates

  void add(const RolePredicate& predicate, const std::vector<std::string_view>& roles);
  /// The same with the roles of candidates beside each other; `missed` arguments are no candidate.
  void add(std::span<const std::string_view> wanted, std::span<const std::string_view> roles, size_t missed);
  void merge(const RoleScores& other);
  // In percent:
  double accuracy() const;       ///< over candidates
  double type_accuracy() const;  ///< over gold arguments that are candidates: their role is found
  double precision() const;
  double recall() const;
  double f1() const;
};

}  // namespace espalier::tasks

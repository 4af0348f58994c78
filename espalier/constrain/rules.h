// Constraints resolved against a task: statements become rules over label numbers. Call Constraints::resolve
// for a text, instance() for each input; compile.h prepares them for decoding.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "espalier/constrain/language.h"
#include "espalier/data/label_set.h"

namespace espalier::constrain {

/// A set of labels: one byte per label, 1 if it is in the set.
using LabelBits = std::vector<uint8_t>;

/// What the constraints of a task can refer to: neighbours, candidate spans, columns. Which statements apply
/// depends on it.
struct ConstraintScope {
  std::string name;                      ///< for errors
  bool neighbours = false;               ///< outputs form a sequence: `valid`, `forbid`, `require` apply
  bool spans = false;                    ///< outputs are candidate spans: `no overlap`, `no embedding` apply
  std::optional<data::Label> none = {};  ///< the label of a rejected candidate: ignored by `no overlap`
  size_t columns = 0;                    ///< cells of a row, label included
  std::vector<std::string> names = {};   ///< names of the columns, if they have any
  std::optional<size_t> length = {};     ///< number of outputs, if it is the same for every instance
};

/// A rule over the labels y_0 … y_{n−1} of an instance. What counts as one violation:
///   kPairs        each pair of neighbours (or label at an edge) marked in `broken`
///   kTokens       each output whose label its row does not allow
///   kCount        each label of `first` above `most`, and each one missing below `least`
///   kImplies      at most one per instance: a label of `first` without one of `second` (in `order`)
///   kNoOverlap    each word covered by a candidate of `first` more than once, for each time
///   kNoEmbedding  each pair of candidates of `first` of which one lies within the other
///   kAssignments  at most one per instance: the labelling is not in the list
/// A violation of a hard rule is forbidden; a violation of a soft rule subtracts `penalty` from the score.
struct Rule {
  enum class Kind { kPairs, kTokens, kCount, kImplies, kNoOverlap, kNoEmbedding, kAssignments };
  enum class Source { kLexicon, kColumn, kForce };

  Kind kind = Kind::kPairs;
  size_t constraint = 0;  ///< number of the statement it came from
  double penalty = kHard;
  LabelBits first, second;
  std::vector<uint8_t> broken;  ///< (K+1)×(K+1), row the label before; K stands for the edge
  size_t least = 0, most = kNoLimit;
  Order order = Order::kAnywhere;
  Source source = Source::kLexicon;
  size_t column = 0;  ///< from 0
  std::unordered_map<std::string, LabelBits> lexicon;
  std::vector<std::vector<data::Label>> assignments;

  bool hard() const { return penalty == kHard; }
};

/// The words [begin, end) of a candidate.
struct CandidateSpan {
  size_t begin = 0, end = 0;
};

/// The rules' view of one input: the number of outputs, the labels that each row allows, and the spans of
/// candidates. Candidates are ordered by their beginning.
struct Instance {
  size_t length = 0;
  std::vector<CandidateSpan> spans;             ///< empty for tasks without spans
  std::vector<std::vector<uint8_t>> forbidden;  ///< per rule: length × K, or empty where nothing is forbidden
};

/// Text of a cell of the input.
using CellText = std::function<std::string_view(size_t row, size_t column)>;
/// Contents of a file that a constraint names.
using FileLoader = std::function<Result<std::string>(const std::string& name)>;

/// A resolved file of constraints. Immutable; safe for any number of threads.
class Constraints {
 public:
  /// Errors name file, line and column: unknown labels, unreadable files, missing columns, constraints that
  /// do not apply to the task. `load` reads lexicons and lists.
  static Result<Constraints> resolve(std::string_view text, const std::string& file_name,
                                     const ConstraintScope& shape, const data::LabelSet& labels,
                                     const FileLoader& load);

  size_t labels() const { return labels_; }
  std::span<const Rule> rules() const { return rules_; }
  std::span<const Statement> statements() const { return statements_; }
  const std::string& name_of(const Rule& rule) const { return statements_[rule.constraint].name; }
  const std::string& file() const { return file_; }

  /// Whether some rule reads cells.
  bool reads_cells() const;
  Instance instance(size_t length, const CellText& cell, std::vector<CandidateSpan> spans = {}) const;

  /// The number of violations of a rule.
  double violations(size_t rule, const Instance& instance, std::span<const data::Label> labels) const;
  /// The sum of the penalties of soft rules; kHard if a hard rule is broken.
  double penalty(const Instance& instance, std::span<const data::Label> labels) const;
  /// Numbers of the hard constraints (statements) that a labelling breaks, ascending.
  std::vector<size_t> broken_constraints(const Instance& instance, std::span<const data::Label> labels) const;

  /// Copies without one constraint (for explanations), and with hard rules made soft at this penalty (for the
  /// labelling with the fewest violations).
  Constraints without(size_t constraint) const;
  Constraints softened(double penalty) const;
  /// The same rules about the labels of a refined set: what they say about a text holds for all its labels.
  /// Precondition: resolved for `labels`.plain(). Lists of assignments are an error.
  Result<Constraints> refined(const data::LabelSet& labels) const;

 private:
  friend class Resolver;
  size_t labels_ = 0;
  std::string file_;
  std::vector<Statement> statements_;
  std::vector<Rule> rules_;
};

/// Of hard constraints that clash, a set from which none can be left out: numbers of statements, ascending.
/// `clashes` says whether some of them still clash; constraints of which that is not known are kept.
std::vector<size_t> smallest_clash(const Constraints& constraints,
                                   const std::function<bool(const Constraints&)>& clashes);

/// Whether a scheme allows these neighbours; `before` or `after` empty: the edge of the sequence.
bool legal_neighbours(data::Scheme scheme, std::optional<data::LabelParts> before,
                      std::optional<data::LabelParts> after);

}  // namespace espalier::constrain

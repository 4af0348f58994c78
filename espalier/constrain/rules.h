// Constraints resolved against a task: statements become rules over label numbers.
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

/// One byte a label, 1 where the label is in the set.
using LabelBits = std::vector<uint8_t>;

/// What a task lets constraints speak about.
struct ConstraintScope {
  std::string name;         ///< for errors
  bool neighbours = false;  ///< outputs stand in a row: `valid`, `forbid`, `require` have a meaning
  bool spans = false;       ///< outputs are candidate spans: `no overlap`, `no embedding` have a meaning
  std::optional<data::Label> none =
      {};              ///< the label of a candidate that is nothing: left out of `no overlap`
  size_t columns = 0;  ///< cells of a row, label included
  std::vector<std::string> names = {};  ///< of columns, where they have names
  std::optional<size_t> length = {};    ///< outputs of every instance, where it is always the same
};

/// A rule over the labels y_0 … y_{n−1} of an instance. What counts as one violation:
///   kPairs        each pair of neighbours (or label at an edge) marked in `broken`
///   kTokens       each output whose label is not among those its row allows
///   kCount        each label of `first` beyond `most`, each that is missing to `least`
///   kImplies      once an instance: a label of `first` without one of `second` (before it, after it,
///   anywhere) kNoOverlap    each word covered by a candidate of `first` once more than it should be
///   kNoEmbedding  each pair of candidates of `first` of which one lies within the other
///   kAssignments  once an instance: the labelling is not in the list
/// A violation of a hard rule is forbidden; of a soft one it takes `penalty` off the score.
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

/// What the rules see of one input: how many outputs, which labels each row allows, where candidates lie.
/// Candidates are ordered by their beginning.
struct Instance {
  size_t length = 0;
  std::vector<CandidateSpan> spans;             ///< empty for tasks without spans
  std::vector<std::vector<uint8_t>> forbidden;  ///< per rule: length × K, or empty where nothing is forbidden
};

/// Text of a cell of the input.
using CellText = std::function<std::string_view(size_t row, size_t column)>;
/// Contents of a file that a constraint names.
using FileLoader = std::function<Result<std::string>(const std::string& name)>;

/// A file of constraints, resolved. Immutable; safe for any number of threads.
class Constraints {
 public:
  /// Errors name file, line and column: unknown labels, files that cannot be read, columns that are not
  /// there, constraints that mean nothing to the task. `load` reads lexicons and lists.
  static Result<Constraints> resolve(std::string_view text, const std::string& file_name,
                                     const ConstraintScope& shape, const data::LabelSet& labels,
                                     const FileLoader& load);

  size_t labels() const { return labels_; }
  std::span<const Rule> rules() const { return rules_; }
  std::span<const Statement> statements() const { return statements_; }
  const std::string& name_of(const Rule& rule) const { return statements_[rule.constraint].name; }
  const std::string& file() const { return file_; }

  /// True where some rule looks at cells.
  bool reads_cells() const;
  Instance instance(size_t length, const CellText& cell, std::vector<CandidateSpan> spans = {}) const;

  /// How often a labelling breaks a rule.
  double violations(size_t rule, const Instance& instance, std::span<const data::Label> labels) const;
  /// Σ of penalties of the soft rules; kHard where a hard one is broken.
  double penalty(const Instance& instance, std::span<const data::Label> labels) const;
  /// Numbers of the hard constraints (statements) that a labelling breaks, ascending.
  std::vector<size_t> broken_constraints(const Instance& instance, std::span<const data::Label> labels) const;

  /// The same without one constraint (for explanations), and with hard rules made soft at this price (for the
  /// least-violating answer).
  Constraints without(size_t constraint) const;
  Constraints softened(double penalty) const;

 private:
  friend class Resolver;
  size_t labels_ = 0;
  std::string file_;
  std::vector<Statement> statements_;
  std::vector<Rule> rules_;
};

/// Whether neighbours are legal in a scheme; `before` or `after` empty: the edge of the sequence.
bool legal_neighbours(data::Scheme scheme, std::optional<data::LabelParts> before,
                      std::optional<data::LabelParts> after);

}  // namespace espalier::constrain

// What all sequences of one search task share: labels, unit and order of decisions, history and loss. Build
// one with of() or joint(), set the fields and call check(), which refuses combinations that are not
// supported; models store it as JSON.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "espalier/base/result.h"
#include "espalier/data/label_scheme.h"
#include "espalier/data/label_set.h"

namespace espalier::tasks {

/// The loss of a complete output.
enum class SequenceLoss {
  kHamming,  ///< number of wrong labels
  kF1,  ///< n · (1 − F1) of segments, where n is the number of gold segments, so that a sentence counts
        ///< according to what there is to find. Needs IOB2 labels.
  kZeroOne,  ///< 1 if anything is wrong
};
enum class DecisionOrder {
  kLeftToRight,
  kRightToLeft,
  kEasiestFirst,  ///< in an order that is learned: any token that has no label yet
};
std::string_view order_name(DecisionOrder order);
/// The order of the given name, or an error.
Result<DecisionOrder> parse_order(std::string_view name);
/// What one decision is about.
enum class DecisionUnit {
  kWord,      ///< the label of the next token
  kChunk,     ///< the next segment: its length and type
  kSentence,  ///< summaries: a whole sentence; with kWord, a word whose parent is in
};

/// The four kinds of search over sequences, and the one for summaries. The kind determines the search space,
/// how the data are encoded and which classifiers are supported.
enum class SearchKind {
  kLabel,    ///< word by word in a fixed direction: one candidate per state, all labels compete
  kJoint,    ///< several columns, word by word: the labels of a column compete
  kEasiest,  ///< words in an order that is learned: one candidate per token, each with its own correct label
  kSegment,  ///< chunk by chunk: candidates of several lengths compete
  kSummary,  ///< pieces of the documents in any order: candidates differ from state to state
};

/// The longest history. Each label of history adds a feature to every decision, and longer ones would exceed
/// most sentences.
inline constexpr size_t kMostHistory = 255;
/// The largest number of columns of a joint task, and of tokens that a column may be ahead of the next.
inline constexpr size_t kMostColumns = 4;
inline constexpr size_t kMostLead = 10;

struct DecisionPlan {
  /// All output labels. With several columns, those of all columns in turn, as "1:NN", "2:B-NP".
  data::LabelSet labels;
  /// The labels of column c are [column_begin[c], column_begin[c+1]). One column unless the task is joint.
  std::vector<uint32_t> column_begin;
  std::vector<data::LabelSet> column_labels;  ///< the same labels under their own names
  DecisionUnit unit = DecisionUnit::kWord;
  DecisionOrder order = DecisionOrder::kLeftToRight;
  SequenceLoss loss = SequenceLoss::kHamming;
  /// How far n-gram features look back: over labels of the same column, types of chunks, or labels on both
  /// sides if the order is learned.
  size_t history = 2;
  bool legal = false;     ///< IOB2: I-X is allowed only after B-X or I-X
  size_t max_length = 1;  ///< the longest chunk
  // Set by ChunkFeatures::announce and stored with the chunk features, not here:
  bool places = false;        ///< features look at the exact positions of tokens in chunks (ChunkBlocks)
  bool words_before = false;  ///< features look at all words of the previous chunk
  // With several columns:
  size_t lead = 0;                  ///< number of tokens by which each column is decided ahead of the next
  std::optional<size_t> word_cell;  ///< cell of the word that labels are joined with, if any
  data::Scheme scheme = data::Scheme::kNone;

  size_t columns() const { return column_begin.size() - 1; }
  SearchKind kind() const {
    if (unit == DecisionUnit::kChunk) return SearchKind::kSegment;
    if (columns() > 1) return SearchKind::kJoint;
    return order == DecisionOrder::kEasiestFirst ? SearchKind::kEasiest : SearchKind::kLabel;
  }
  /// The column of a label in `labels`, and its own name.
  size_t column_of(data::Label label) const {
    size_t c = 0;
    while (label >= column_begin[c + 1]) ++c;
    return c;
  }
  const std::string& label_name(data::Label label) const {
    const size_t c = column_of(label);
    return column_labels[c].name(static_cast<data::Label>(label - column_begin[c]));
  }

  /// A label split into prefix and type, for segments.
  struct Tag {
    char prefix = 'O';
    uint32_t type = 0;  ///< counted from 1; 0 is outside
  };
  std::vector<Tag> tags;           ///< per label
  std::vector<std::string> types;  ///< types[0] is "O"

  /// One column with these labels; tags and types are derived from their names.
  static DecisionPlan of(data::LabelSet labels, data::Scheme scheme);
  /// Several columns of plain labels, decided in this order at every token.
  static DecisionPlan joint(std::vector<data::LabelSet> columns);
  std::string to_json() const;
  static Result<DecisionPlan> from_json(std::string_view text, const std::string& name);
  /// Refuses combinations that are not supported; the message says which.
  Status check() const;
};

/// The goal that is reached from state `s` by the actions that lead from `other` to `goal`, as far as losses
/// can tell: they are functions of counts, which the same actions increase by the same amounts.
template <typename State>
State with_counts_from(const State& s, const State& other, const State& goal) {
  State out = goal;
  out.errors = s.errors + (goal.errors - other.errors);
  out.predicted = s.predicted + (goal.predicted - other.predicted);
  out.correct = s.correct + (goal.correct - other.correct);
  return out;
}

}  // namespace espalier::tasks

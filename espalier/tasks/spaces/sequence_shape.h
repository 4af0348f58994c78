// What all sequences of one search task share: labels, order, history, loss.
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

/// What a complete output costs.
enum class SequenceLoss {
  kHamming,  ///< wrong labels
  kF1,  ///< n · (1 − F1) of segments, n being those of the gold standard: so that a sentence counts as
        ///< much as it has to find. Needs IOB2 labels.
  kZeroOne,  ///< 1 if anything is wrong
};
enum class DecisionOrder {
  kLeftToRight,
  kRightToLeft,
  kEasiestFirst,  ///< learned: any token that has no label yet
};
std::string_view order_name(DecisionOrder order);
/// The order of that name, or an error.
Result<DecisionOrder> parse_order(std::string_view name);
/// What one decision is about.
enum class DecisionUnit {
  kWord,   ///< the label of the next token
  kChunk,  ///< the next segment: its length and its type
};

/// The four kinds of search over sequences. A task's kind decides its search space, how its data are encoded,
/// and which classifiers can decide.
enum class SearchKind {
  kLabel,    ///< word by word in a fixed direction: one candidate per state, every label competes
  kJoint,    ///< several columns, word by word: the labels of a column compete
  kEasiest,  ///< words in an order that is learned: one candidate per token, each with its own right label
  kSegment,  ///< chunk by chunk: candidates of several lengths compete
};

/// How far back histories reach at most. Every label more is a feature more of every decision, and beyond a
/// sentence there is nothing left to see.
inline constexpr size_t kMostHistory = 255;
/// How many columns a joint task may have, and how far ahead of the next each may be decided.
inline constexpr size_t kMostColumns = 4;
inline constexpr size_t kMostLead = 10;

struct SequenceShape {
  /// Of the output. Where there are several columns, all of them one after the other, as "1:NN", "2:B-NP".
  data::LabelSet labels;
  /// The labels of column c are [column_begin[c], column_begin[c+1]). One column unless the task is joint.
  std::vector<uint32_t> column_begin;
  std::vector<data::LabelSet> column_labels;  ///< the same under their own names
  DecisionUnit unit = DecisionUnit::kWord;
  DecisionOrder order = DecisionOrder::kLeftToRight;
  SequenceLoss loss = SequenceLoss::kHamming;
  /// What n-gram features reach back to: labels of the same column; types of chunks; labels on either side
  /// where the order is learned.
  size_t history = 2;
  bool legal = false;     ///< IOB2: no I-X but after B-X or I-X
  size_t max_length = 1;  ///< of chunks
  // What features of chunks look at says so (ChunkFeatures::announce), and models keep it there:
  bool places = false;        ///< at the exact places of their tokens (ChunkBlocks)
  bool words_before = false;  ///< at all words of the chunk before
  // Where there are several columns:
  size_t lead = 0;                  ///< tokens by which each column is decided ahead of the next
  std::optional<size_t> word_cell;  ///< of the word that labels are joined with, where there is one
  data::Scheme scheme = data::Scheme::kNone;

  size_t columns() const { return column_begin.size() - 1; }
  SearchKind kind() const {
    if (unit == DecisionUnit::kChunk) return SearchKind::kSegment;
    if (columns() > 1) return SearchKind::kJoint;
    return order == DecisionOrder::kEasiestFirst ? SearchKind::kEasiest : SearchKind::kLabel;
  }
  /// The column that a label of `labels` belongs to, and its own name.
  size_t column_of(data::Label label) const {
    size_t c = 0;
    while (label >= column_begin[c + 1]) ++c;
    return c;
  }
  const std::string& label_name(data::Label label) const {
    const size_t c = column_of(label);
    return column_labels[c].name(static_cast<data::Label>(label - column_begin[c]));
  }

  /// A label taken apart, for segments.
  struct Tag {
    char prefix = 'O';
    uint32_t type = 0;  ///< from 1; 0: outside
  };
  std::vector<Tag> tags;           ///< per label
  std::vector<std::string> types;  ///< types[0] is "O"

  /// One column over all labels; fills tags and types from the labels' names.
  static SequenceShape of(data::LabelSet labels, data::Scheme scheme);
  /// Several columns of plain labels, decided in this order at every token.
  static SequenceShape joint(std::vector<data::LabelSet> columns);
  std::string to_json() const;
  static Result<SequenceShape> from_json(std::string_view text, const std::string& name);
  /// Errors say which choices do not go together.
  Status check() const;
};

}  // namespace espalier::tasks

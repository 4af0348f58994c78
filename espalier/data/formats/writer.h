// Formats sequences as text: predictions for `tag`, data for `convert`. Call Writer::make, then append.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "espalier/base/result.h"
#include "espalier/data/formats/reader.h"
#include "espalier/data/sequence.h"

namespace espalier::data {

/// Further fields after each predicted label, such as its probability.
struct ExtraFields {
  std::span<const std::string_view> names;
  std::span<const std::string_view> values;  ///< row after row, names.size() to a row
};

/// Predicted labels of further columns, from a joint model.
struct OtherLabels {
  std::span<const size_t> cells;             ///< their columns in the input's rows
  std::span<const std::string_view> values;  ///< row after row, cells.size() to a row
};

struct WriterRows;

/// Appends the lines that were read before a row (length(): after the last) and are no rows, such as
/// comments.
void append_extra_lines(const Sequence& sequence, size_t row, std::string& out);

/// Appends `, "name": value` for each further key of the JSON line that the sequence was read from, except
/// those that the output has itself; and for raw text the place of each token, `, "offsets": [[0, 4], …]`.
void append_other_fields(const Sequence& sequence, std::span<const std::string_view> own, std::string& out);

/// Formats sequences that were read with `in` as text in the format `out`. It only appends to strings and is
/// immutable, so any number of threads may share one and format in parallel.
///
/// Predictions by output format; in brackets, if the input has another format:
///   columns   the row unchanged, then the label, after a tab if the row has tabs, else after a space
///             (the cells, or the form of CoNLL-U, and the label, with tabs between)
///   conllu    the label column replaced, all else unchanged (FORM, UPOS, further cells in MISC)
///   crfsuite  the label first, the attributes unchanged (attributes, or cells as c1=…, c2=…)
///   letters   the row unchanged, then the label as last field (not supported)
///   jsonl     an object of tokens and labels (the same)
///
/// Extra fields follow the label as further columns; in CoNLL-U they go to MISC as name=value, in CRFsuite
/// items to the end as name:value, in JSON to an array of their own name.
class Writer {
 public:
  /// An error if the formats are incompatible, or `in` is invalid.
  static Result<Writer> make(const ReadOptions& in, Format out);
  /// Where CoNLL-U output has the label, instead of the column that make() chose: a column, or nowhere.
  void put_label(std::optional<size_t> conllu_column) { conllu_label_ = conllu_column; }

  /// Appends the sequence with predicted labels, one per row. Characters that `out` cannot hold in a field
  /// (tabs and line ends, which only JSON input can contain) become spaces.
  void append(const Sequence& sequence, std::span<const std::string_view> labels, std::string& out) const {
    append(sequence, labels, {}, out);
  }
  void append(const Sequence& sequence, std::span<const std::string_view> labels, const ExtraFields& extra,
              std::string& out) const {
    append(sequence, labels, extra, {}, out);
  }
  /// `others` come before the label, in the order given; in CoNLL-U they replace their columns. Only for
  /// output as columns or CoNLL-U.
  void append(const Sequence& sequence, std::span<const std::string_view> labels, const ExtraFields& extra,
              const OtherLabels& others, std::string& out) const;

  /// Appends the sequence as data, with its own labels. In its own format it is written as it was read. An
  /// error, with nothing appended, if the other format cannot hold it.
  Status append_gold(const Sequence& sequence, std::string& out) const;

 private:
  Writer(ReadOptions in, Format out) : in_(std::move(in)), out_(out) {}

  bool keeps_rows() const { return out_ == in_.format && out_ != Format::kJsonLines; }
  std::optional<size_t> label_cell(const Sequence& sequence) const;
  std::vector<size_t> observed_cells(const Sequence& sequence) const;
  Status check(const WriterRows& rows) const;
  void append_as_read(const WriterRows& rows, std::string& out) const;
  void append_converted(const WriterRows& rows, std::string& out) const;

  ReadOptions in_;
  Format out_;
  std::optional<size_t> conllu_label_ = 0;  ///< the column that the label goes to, in CoNLL-U output
};

}  // namespace espalier::data

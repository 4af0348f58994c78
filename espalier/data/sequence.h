// One sequence of the input: rows of text cells, or rows of attributes, with labels if there are any. Readers
// fill it; all text is in one buffer that is reused.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "espalier/base/result.h"
#include "espalier/base/text/text_buffer.h"

namespace espalier::data {

/// A ready-made feature of a row, such as a CRFsuite attribute or a pixel.
struct Attribute {
  std::string_view name;
  float value = 1;
};

/// Rows (tokens) by columns (cells). All text is in one arena, so that a Sequence can be cleared and refilled
/// without allocating; cells are views of it. Column formats have the same number of cells in every row;
/// attribute formats (CRFsuite items, letters) have no cells, and each row has its own list of attributes.
/// The label column, if there is one, is a cell like any other, named by label_column(); attribute formats
/// store labels separately.
///
/// To fill: clear(columns), then for each row begin_row(raw text, line) and add_cell / add_attribute /
/// set_label.
class Sequence {
 public:
  // ---- reading ------------------------------------------------------------------------------------------
  size_t length() const { return rows_.size(); }
  bool empty() const { return rows_.empty(); }
  size_t columns() const { return columns_; }
  std::string_view cell(size_t row, size_t column) const { return text(cells_[row * columns_ + column]); }
  /// The row as in the file, without line end (writers append to it); empty if the format has no rows.
  std::string_view raw(size_t row) const { return text(rows_[row].raw); }
  /// Line of the file the row came from, from 1.
  uint64_t line(size_t row) const { return rows_[row].line; }

  size_t attribute_count(size_t row) const { return attribute_end(row) - rows_[row].first_attribute; }
  Attribute attribute(size_t row, size_t i) const {
    const StoredAttribute& a = attributes_[rows_[row].first_attribute + i];
    return {text(a.name), a.value};
  }

  bool has_labels() const { return has_labels_; }
  /// Precondition: has_labels(). `_` means unknown.
  std::string_view label(size_t row) const { return text(rows_[row].label); }
  /// The cell that is the label, or nothing if labels are absent or stored separately.
  std::optional<size_t> label_column() const { return label_column_; }

  /// Comment lines before the rows (CoNLL-U), each without line end.
  std::span<const std::string> comments() const { return comments_; }
  /// Lines between the rows that are not rows themselves (CoNLL-U multiword tokens and empty nodes; comments
  /// and -DOCSTART- lines of columns), in file order. A writer of the same format puts each back before row
  /// `before_row` (length(): after the last).
  struct ExtraLine {
    size_t before_row;
    std::string_view text;
  };
  size_t extra_line_count() const { return extra_lines_.size(); }
  ExtraLine extra_line(size_t i) const { return {extra_lines_[i].before_row, text(extra_lines_[i].text)}; }
  /// Where each row is in the raw text it came from, in code points; only if has_offsets().
  struct Offsets {
    size_t begin = 0, end = 0;
  };
  bool has_offsets() const { return !offsets_.empty(); }
  Offsets offsets(size_t row) const { return offsets_[row]; }
  /// Further keys of a JSON line, such as "id": name, and value as JSON text. Writers of JSON put them back.
  struct OtherField {
    std::string name, value;
  };
  std::span<const OtherField> other_fields() const { return other_fields_; }
  /// The fold of this sequence according to the data, or nothing.
  std::optional<int> fold() const { return fold_; }
  /// How much this sequence counts in training; 1 unless the data says otherwise.
  float weight() const { return weight_; }
  /// Bytes of text held. Offsets are 32-bit, so readers keep this below kMaxTextBytes.
  size_t text_bytes() const { return arena_.size(); }
  static constexpr size_t kMaxTextBytes = size_t{1} << 31;

  // ---- filling ------------------------------------------------------------------------------------------
  void clear(size_t columns = 0) {
    columns_ = columns;
    arena_.clear();
    rows_.clear();
    cells_.clear();
    attributes_.clear();
    comments_.clear();
    extra_lines_.clear();
    offsets_.clear();
    other_fields_.clear();
    has_labels_ = false;
    label_column_.reset();
    fold_.reset();
    weight_ = 1;
  }
  /// Sets the number of columns before the first row is added; lines that were added stay.
  void set_columns(size_t columns) { columns_ = columns; }
  /// Copies the row's text into the arena. Cells that are parts of it are then added as offsets without
  /// another copy.
  void begin_row(std::string_view raw_text, uint64_t line_number) {
    rows_.push_back({store(raw_text), {}, static_cast<uint32_t>(attributes_.size()), line_number});
  }
  /// The next cell of the last row: bytes [offset, offset+size) of its raw text.
  void add_cell(size_t offset, size_t size) {
    cells_.push_back({rows_.back().raw.begin + static_cast<uint32_t>(offset), static_cast<uint32_t>(size)});
  }
  /// The next cell of the last row, from text of its own.
  void add_cell(std::string_view cell_text) { cells_.push_back(store(cell_text)); }
  void add_attribute(std::string_view name, float value) { attributes_.push_back({store(name), value}); }
  /// A label stored separately from the cells; every row must get one.
  void set_label(std::string_view label_text) {
    rows_.back().label = store(label_text);
    has_labels_ = true;
  }
  /// Declares a column to be the label; call after all rows are added.
  void set_label_column(size_t column) {
    for (size_t r = 0; r < rows_.size(); ++r) rows_[r].label = cells_[r * columns_ + column];
    label_column_ = column;
    has_labels_ = true;
  }
  /// Another label for a row, in place of the text of its cell, which does not change.
  void replace_label(size_t row, std::string_view label_text) { rows_[row].label = store(label_text); }
  /// Removes the labels. The cells do not change.
  void drop_labels() {
    has_labels_ = false;
    label_column_.reset();
  }
  /// Keeps a line that comes before the next row.
  void add_extra_line(std::string_view line_text) {
    extra_lines_.push_back({static_cast<uint32_t>(rows_.size()), store(line_text)});
  }
  void add_comment(std::string comment) { comments_.push_back(std::move(comment)); }
  /// Where the last row is in raw text; every row must get one, or none.
  void set_offsets(size_t begin, size_t end) { offsets_.push_back({begin, end}); }
  void add_other_field(std::string name, std::string value) {
    other_fields_.push_back({std::move(name), std::move(value)});
  }
  void set_fold(int fold) { fold_ = fold; }
  void set_weight(float weight) { weight_ = weight; }

 private:
  struct Slice {
    uint32_t begin = 0, size = 0;
  };
  struct Row {
    Slice raw;
    Slice label;
    uint32_t first_attribute = 0;
    uint64_t line = 0;
  };
  struct StoredAttribute {
    Slice name;
    float value;
  };
  struct StoredLine {
    uint32_t before_row;
    Slice text;
  };

  std::string_view text(Slice s) const { return {arena_.view().data() + s.begin, s.size}; }
  Slice store(std::string_view s) {
    const Slice slice{static_cast<uint32_t>(arena_.size()), static_cast<uint32_t>(s.size())};
    if (arena_.holds(s)) {  // which growing would take away
      arena_.append(std::string(s));
    } else {
      arena_.append(s);
    }
    return slice;
  }
  size_t attribute_end(size_t row) const {
    return row + 1 < rows_.size() ? rows_[row + 1].first_attribute : attributes_.size();
  }

  size_t columns_ = 0;
  TextBuffer arena_;
  std::vector<Row> rows_;
  std::vector<Slice> cells_;
  std::vector<StoredAttribute> attributes_;
  std::vector<std::string> comments_;
  std::vector<StoredLine> extra_lines_;
  std::vector<Offsets> offsets_;
  std::vector<OtherField> other_fields_;
  bool has_labels_ = false;
  std::optional<size_t> label_column_;
  std::optional<int> fold_;
  float weight_ = 1;
};

}  // namespace espalier::data

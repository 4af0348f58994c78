// The inside of a public SequenceBuilder: a sequence as the library holds it, filled row by row.
//
// finish() completes the last row and returns the sequence; its rows look like those of Corpus::add_rows,
// with the label, or "_", as the last cell.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "espalier/base/result.h"
#include "espalier/data/sequence.h"
#include "espalier/public/sequence_builder.h"

namespace espalier {

struct SequenceBuilder::State {
  data::Sequence sequence;
  size_t tokens = 0;
  size_t matrix_columns = 0;
  Status status;

  void begin_token();
  void add_cell(std::string_view text);
  void add_attribute(std::string_view name, double value);
  void set_label(std::string_view label);
  void clear();
  /// The finished sequence, or the first mistake. An empty one is not a mistake here.
  Result<const data::Sequence*> finish();

 private:
  enum class Kind { kUnknown, kCells, kAttributes };
  void wrong(Error error) {
    if (status.ok()) status = std::move(error);
  }
  void begin_attribute_row();
  void end_row();

  Kind kind_ = Kind::kUnknown;
  bool open_ = false;                             ///< a row has begun and is not in the sequence yet
  bool row_begun_ = false;                        ///< attributes: the row is in the sequence
  size_t labelled_ = 0;                           ///< tokens with a label
  std::string row_;                               ///< cells of the open row with tabs between
  std::vector<std::pair<size_t, size_t>> cells_;  ///< offsets and sizes in it
  std::string label_;
  bool has_label_ = false;
};

}  // namespace espalier

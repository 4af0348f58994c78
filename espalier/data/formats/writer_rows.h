// Internal to writer.cc and writer_json.cc: a sequence with the labels and fields to be written.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "espalier/data/formats/writer.h"
#include "espalier/data/sequence.h"

namespace espalier::data {

/// A sequence with the labels and fields that go out with it.
struct WriterRows {
  const Sequence& sequence;
  std::span<const std::string_view> labels;  ///< one per row, or none at all
  ExtraFields extra;
  std::vector<size_t> observed;  ///< the cells that are not the label
  OtherLabels others;

  bool labelled() const { return !labels.empty(); }
  std::string_view extra_value(size_t row, size_t i) const {
    return extra.values[row * extra.names.size() + i];
  }
  std::string_view other_label(size_t row, size_t i) const {
    return others.values[row * others.cells.size() + i];
  }
  /// The further label that goes to this column; empty if there is none.
  std::string_view other_in(size_t row, size_t column) const {
    for (size_t i = 0; i < others.cells.size(); ++i)
      if (others.cells[i] == column) return other_label(row, i);
    return {};
  }
};

/// One object and a line end.
void append_json(const WriterRows& rows, std::string& out);

}  // namespace espalier::data

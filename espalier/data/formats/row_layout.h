// Which cell of a row is the label, and whether it is present. Tested in columns_reader_test.cc.
#pragma once

#include <cstddef>
#include <optional>

#include "espalier/base/result.h"
#include "espalier/data/formats/reader.h"

namespace espalier::data {

/// The meaning of rows with a given number of cells under given reading options.
struct RowLayout {
  size_t width = 0;  ///< cells that a Sequence gets
  size_t label = 0;  ///< the label's cell, where it is there
  bool label_present = false;
  std::optional<size_t>
      placeholder;  ///< where an absent label leaves an empty cell, so that others keep their numbers
};

/// An error if the number of cells does not fit; it names what was found and what was expected.
Result<RowLayout> row_layout(const ReadOptions& options, size_t cells);

}  // namespace espalier::data

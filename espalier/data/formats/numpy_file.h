// Arrays as numpy saves them (.npy, versions 1 to 3). parse_numpy reads the header and checks it against the
// size of the data; number() and text() give the elements.
//
// Supported: little-endian 16-, 32- and 64-bit floats and texts (U, S), in C order. Tested in
// scores_reader_test.cc.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "espalier/base/result.h"

namespace espalier::data {

struct NumpyArray {
  char kind = 'f';       ///< f: floats; U or S: texts
  size_t item_size = 0;  ///< in bytes
  std::vector<size_t> shape;
  std::string_view elements;  ///< of the bytes that were parsed

  size_t size() const { return item_size == 0 ? 0 : elements.size() / item_size; }
  /// Precondition: floats, index < size().
  double number(size_t index) const;
  /// Precondition: texts, index < size(). As UTF-8.
  std::string text(size_t index) const;
};

bool is_numpy(std::string_view bytes);
/// `bytes` must outlive the array; error messages call it `name`.
Result<NumpyArray> parse_numpy(std::string_view bytes, const std::string& name);

}  // namespace espalier::data

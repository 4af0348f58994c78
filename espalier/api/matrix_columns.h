// How wide the matrices of numbers are that a model was trained on, and those it is given: where they differ,
// columns would be missing, or have no weights, without anybody noticing. Tested in sequence_builder_test.cc.
#pragma once

#include <cstddef>
#include <string>

#include "espalier/base/result.h"
#include "espalier/base/text/counted.h"

namespace espalier::api {

/// For messages; 0: the sequences are no matrices.
inline std::string kind_of_numbers(size_t columns) {
  return columns == 0 ? "not matrices of numbers" : "matrices of " + counted(columns, "column");
}

/// An error unless the matrices are as wide as those that the model was trained on. Attributes that have
/// names
/// (`columns` is 0) are accepted by every model that has attributes.
inline Status check_matrix_columns(size_t columns, size_t trained_on) {
  if (columns == 0 || columns == trained_on) return {};
  if (trained_on == 0) return fail("a matrix of numbers; the model was not trained on matrices");
  return fail("a matrix of {}; the model was trained on matrices of {}", counted(columns, "column"),
              trained_on);
}

}  // namespace espalier::api

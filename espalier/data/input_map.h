// Lets a model read another format than that of its training: puts the cells of a sequence where the model
// expects them.
//
// Make an InputMap for the model, call apply() for each sequence before it is predicted; the original goes to
// the writer. Costs a copy of the text.
#pragma once

#include <cstddef>
#include <vector>

#include "espalier/base/result.h"
#include "espalier/data/formats/reader.h"
#include "espalier/data/sequence.h"

namespace espalier::data {

class InputMap {
 public:
  /// `from` is the format of the input; `trained` and `feature_columns` (from 0) those of the model's
  /// training.
  static Result<InputMap> make(Format from, const ReadOptions& trained, std::vector<size_t> feature_columns);

  /// The sequence in the layout of the training data. Its cells, the label not counted, are either all of
  /// those that training had, in the same order, or those that features use; of a model that uses one column,
  /// the first cell is taken. Anything else is an error that begins with "line N: ".
  Status apply(const Sequence& from, Sequence& to) const;

  /// The cell of the word in sequences of this format.
  static size_t word_cell(Format format) { return format == Format::kConllu ? 1 : 0; }

 private:
  Format from_ = Format::kColumns;
  size_t columns_ = 0;  ///< of the training data, label included; 0: attributes
  size_t label_ = 0;
  std::vector<size_t> feature_columns_;
};

}  // namespace espalier::data

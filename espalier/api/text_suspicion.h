// Raw text in the place of rows of columns: noticed by what the model knows, so that it is refused instead of
// labelled wrongly. Looks at a hundred rows at most. Tested in stream_test.cc.
#pragma once

#include "espalier/api/model_input.h"
#include "espalier/data/sequence.h"

namespace espalier::api {

/// What has been seen of the input of one call. Lines of raw text that happen to have as many words as rows
/// have cells are taken for rows; only at the end is it known whether any sequence says otherwise.
class TextSuspicion {
 public:
  /// Counts a sequence, if its cells have blanks between and there is no label.
  void look_at(const Tagger::State& tagger, const ModelInput& input, const data::Sequence& sequence);

  /// An error if all of this many sequences were counted and the model knows too little of them. Rows of a
  /// single token are rows if the model knows all their cells; of longer sequences it knows one row in ten.
  Status verdict(size_t sequences) const;

  size_t like_text() const { return like_text_; }

 private:
  static constexpr size_t kMostRows = 100;  ///< the rest will be like them
  static constexpr size_t kOneIn = 10;

  size_t like_text_ = 0;
  size_t looked_at_ = 0, known_ = 0;  ///< rows; known: with cells that the model knows
  bool longer_ = false;               ///< some sequence has a second row
  bool surely_rows_ = false;
};

}  // namespace espalier::api

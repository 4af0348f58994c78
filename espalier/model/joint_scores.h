// Scores of models that predict several columns of labels: of each column, and of all together.
//
// Tested in apps/tests/search_test.sh.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "espalier/base/text/json.h"
#include "espalier/data/predictor.h"
#include "espalier/data/sequence.h"
#include "espalier/eval/scores.h"

namespace espalier::model {

struct JointScores {
  std::vector<eval::TaggingScores> others;  ///< scores of the columns before the last, in order
  std::vector<size_t> cells;  ///< the label columns, from 0; the scores of the last are kept by the caller
  uint64_t labels = 0, right_labels = 0;  ///< in all columns together
  uint64_t tokens = 0, right_tokens = 0;  ///< whose labels are all known; of these, all right
  uint64_t sequences = 0, right_sequences = 0;

  bool any() const { return !others.empty(); }
  double label_accuracy() const;  ///< percent
  double token_accuracy() const;
  double sequence_accuracy() const;
  /// Adds a sequence; `gold` and `predicted` are those of the last column.
  void add(const data::Predictor& predictor, const data::Sequence& sequence,
           const data::Prediction& prediction, std::span<const std::string_view> gold,
           std::span<const std::string_view> predicted);
  void merge(const JointScores& other);
  std::string table(const eval::TaggingScores& last) const;
  Json to_json(const eval::TaggingScores& last) const;
};

}  // namespace espalier::model

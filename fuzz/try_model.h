// What the targets of model files do with one: open it, and if that succeeds label a sequence, explain it and
// look at its weights.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "espalier/model/model.h"
#include "fuzz/doctored.h"

namespace espalier::fuzzing {

inline void try_model(const std::vector<std::byte>& bytes) {
  const auto model = model::Model::from_bytes(bytes, "input");
  if (!model.ok()) return;
  data::Sequence sequence;
  const size_t columns = model->about().reading.columns;
  sequence.clear(columns);
  for (const char* word : {"Anna", "lives", "in", "Paris"}) {
    sequence.begin_row(word, 1);
    for (size_t c = 0; c < columns; ++c) sequence.add_cell(word);
    if (columns == 0) sequence.add_attribute(word, 1);
  }
  const data::Predictor& predictor = model->predictor();
  const auto scratch = predictor.make_scratch();
  data::Prediction prediction;
  data::PredictOptions options;
  options.nbest = 2;
  options.confidence = !predictor.is_search();
  if (!predictor.predict(sequence, {}, options, *scratch, prediction).ok()) return;
  if (predictor.builds_trees()) {
    options.confidence = true;
    (void)predictor.predict(sequence, {}, options, *scratch, prediction).ok();
  }
  (void)predictor.explain(sequence, *scratch).ok();
  (void)predictor.strongest(5, {}).ok();
  (void)predictor.weighted_transitions();
  (void)predictor.details();
}

/// The body of such a target.
inline int fuzz_model(const uint8_t* data, size_t size) {
  with_doctored(data, size, try_model);
  return 0;
}

}  // namespace espalier::fuzzing

// Opens the input as a model, which then labels a sequence.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "espalier/model/model.h"
#include "fuzz/doctored.h"

namespace {

void try_model(const std::vector<std::byte>& bytes) {
  using namespace espalier;
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
  const auto scratch = model->predictor().make_scratch();
  data::Prediction prediction;
  data::PredictOptions options;
  options.confidence = true;
  options.nbest = 2;
  if (!model->predictor().predict(sequence, {}, options, *scratch, prediction).ok()) return;
  if (!model->predictor().explain(sequence, *scratch).ok()) return;
  (void)model->predictor().strongest(5, {}).ok();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  espalier::fuzzing::with_doctored(data, size, try_model);
  return 0;
}

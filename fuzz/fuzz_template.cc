// Parses the input as a template and, if that succeeds, names every feature of a short sequence.
#include <cstdint>
#include <string>

#include "espalier/data/features/features.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace espalier::data;
  FeatureOptions options;
  options.template_text.assign(reinterpret_cast<const char*>(data), size);
  options.template_name = "input";
  options.feature_columns = {0, 1};
  auto extractor = FeatureExtractor::make(options);
  if (!extractor.ok()) return 0;
  Sequence sequence;
  sequence.clear(2);
  for (const char* word : {"The", "cat", "sat", "."}) {
    sequence.begin_row(word, 1);
    sequence.add_cell(word);
    sequence.add_cell("X");
  }
  FeatureExtractor::Scratch scratch;
  HashedFeatures features;
  extractor->extract(sequence, scratch, features);
  for (size_t row = 0; row < sequence.length(); ++row)
    for (size_t slot = 0; slot < features.state_begin[row + 1] - features.state_begin[row]; ++slot)
      extractor->state_name(sequence, row, slot);
  return 0;
}

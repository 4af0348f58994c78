// Opens the input as a search model (labels, segments, several columns), which then labels a sequence.
#include "fuzz/try_model.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return espalier::fuzzing::fuzz_model(data, size);
}

// Opens the input as a committee, whose members and chain are models in its sections, and lets it label a
// sequence.
#include "fuzz/try_model.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return espalier::fuzzing::fuzz_model(data, size);
}

// Opens the input as a parser, which then parses a sequence.
#include "fuzz/try_model.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return espalier::fuzzing::fuzz_model(data, size);
}

#include "fuzz/read_everything.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return read_everything(data, size, espalier::data::Format::kCrfsuite);
}

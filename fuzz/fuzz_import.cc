// Imports the input as a model of another program; if that succeeds, opens the result as a model.
#include <string_view>

#include "espalier/model/foreign/import_model.h"
#include "fuzz/try_model.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto made = espalier::model::import_model(bytes, "input");
  if (made.ok()) espalier::fuzzing::try_model(made->sections.to_bytes());
  return 0;
}

// Reads the input as JSON lines of the task roles and writes them again.
#include "fuzz/read_json_task.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return espalier::fuzzing::read_json_task(data, size, espalier::tasks::JsonTask::kRoles);
}

// Reads the input as scores: arrays of numpy where it begins like those, text otherwise.
#include "espalier/data/formats/scores_reader.h"
#include "fuzz/read_everything.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace espalier::data;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (!bytes.starts_with("\x93NUMPY") && !bytes.starts_with("PK"))
    return read_everything(data, size, Format::kScores);
  ReadOptions options;
  options.format = Format::kScores;
  options.labels_required = false;
  options.score_labels = {"A", "B"};
  auto reader = read_numpy_scores(bytes, "input", options);
  Sequence sequence;
  while (reader.ok()) {
    const auto more = (*reader)->next(sequence);
    if (!more.ok() || !*more) break;
  }
  return 0;
}

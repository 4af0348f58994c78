// Bytes taken for a model. Checksums would stop nearly every mutation at the door, so the sections are also
// rebuilt with right checksums around changed contents: what a doctored file looks like.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "espalier/predictor/model.h"

namespace {

void try_model(const std::vector<std::byte>& bytes) {
  using namespace espalier;
  const auto model = predictor::Model::from_bytes(bytes, "input");
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
  using namespace espalier;
  const auto* bytes = reinterpret_cast<const std::byte*>(data);
  try_model({bytes, bytes + size});

  // The first bytes choose what to change in a sound model; the seeds are sound models.
  static std::vector<std::byte> sound;
  if (const auto file = SectionFile::from_bytes({bytes, bytes + size}, "input"); file.ok())
    sound.assign(bytes, bytes + size);
  if (sound.empty() || size < 8) return 0;
  const auto file = SectionFile::from_bytes(sound, "sound");
  if (!file.ok()) return 0;
  SectionWriter doctored;
  const size_t which = data[0] % file->entries().size();
  for (size_t i = 0; i < file->entries().size(); ++i) {
    const SectionFile::Entry& entry = file->entries()[i];
    std::vector<std::byte> contents(entry.bytes.begin(), entry.bytes.end());
    if (i == which && !contents.empty()) {
      for (size_t k = 1; k + 2 < size && k < 16; k += 3)
        contents[(data[k] * 256u + data[k + 1]) % contents.size()] ^= std::byte{data[k + 2]};
      if (data[7] % 4 == 0) contents.resize(data[6] * contents.size() / 256);
    }
    doctored.add(entry.name, contents);
  }
  try_model(doctored.to_bytes());
  return 0;
}

// Model files with changed contents and correct checksums. Without this, checksums would reject nearly every
// mutation before the code behind them runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "espalier/base/section_file.h"

namespace espalier::fuzzing {

/// Calls use(bytes) with the input as it stands and then with the sound model seen last (the seeds are such),
/// one of its sections changed as the input's first bytes say.
template <typename Use>
void with_doctored(const uint8_t* data, size_t size, const Use& use) {
  const auto* bytes = reinterpret_cast<const std::byte*>(data);
  use(std::vector<std::byte>(bytes, bytes + size));
  static std::vector<std::byte> sound;
  if (const auto file = SectionFile::from_bytes({bytes, bytes + size}, "input"); file.ok())
    sound.assign(bytes, bytes + size);
  if (sound.empty() || size < 8) return;
  const auto file = SectionFile::from_bytes(sound, "sound");
  if (!file.ok()) return;
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
  use(doctored.to_bytes());
}

}  // namespace espalier::fuzzing

// Model files with changed contents and correct checksums. Without this, checksums would reject nearly every
// mutation before the code behind them runs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "espalier/base/files/section_file.h"

namespace espalier::fuzzing {

/// The file with one of its sections changed as the bytes say. A section that is a model itself, as the
/// members of a committee are, is mostly changed inside.
inline std::vector<std::byte> doctored(const SectionFile& file, const uint8_t* data, size_t size) {
  SectionWriter out;
  const size_t which = data[0] % file.entries().size();
  for (size_t i = 0; i < file.entries().size(); ++i) {
    const SectionFile::Entry& entry = file.entries()[i];
    std::vector<std::byte> contents(entry.bytes.begin(), entry.bytes.end());
    if (i == which && !contents.empty()) {
      const auto inner = SectionFile::from_bytes(contents, "inner");
      if (inner.ok() && !inner->entries().empty() && size > 8 && data[7] % 8 != 0) {
        contents = doctored(*inner, data + 1, size - 1);
      } else {
        for (size_t k = 1; k + 2 < size && k < 16; k += 3)
          contents[(data[k] * 256u + data[k + 1]) % contents.size()] ^= std::byte{data[k + 2]};
        if (data[7] % 4 == 0) contents.resize(data[6] * contents.size() / 256);
      }
    }
    out.add(entry.name, contents);
  }
  return out.to_bytes();
}

/// Calls use(bytes) with the input itself and then with a valid model seen before (the seeds are valid), one
/// of its sections changed as the input's first bytes say.
template <typename Use>
void with_doctored(const uint8_t* data, size_t size, const Use& use) {
  const auto* bytes = reinterpret_cast<const std::byte*>(data);
  const std::vector<std::byte> input(bytes, bytes + size);
  use(input);
  constexpr size_t kKept = 16;
  static std::vector<std::vector<std::byte>> sound;
  if (sound.size() < kKept && SectionFile::from_bytes(input, "input").ok() &&
      std::find(sound.begin(), sound.end(), input) == sound.end())
    sound.push_back(input);
  if (sound.empty() || size < 8) return;
  const auto file = SectionFile::from_bytes(sound[data[5] % sound.size()], "sound");
  if (file.ok() && !file->entries().empty()) use(doctored(*file, data, size));
}

}  // namespace espalier::fuzzing

// A file for targets whose reader opens a path: write() puts the input into it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "espalier/base/files/temporary_directory.h"

namespace espalier::fuzzing {

/// The path of a file with these bytes, valid until the next call.
inline std::string scratch_file(const uint8_t* data, size_t size) {
  static const TemporaryDirectory directory;
  return directory.write("input", std::string_view(reinterpret_cast<const char*>(data), size));
}

}  // namespace espalier::fuzzing

// Reads the input as a gzipped file, or a plain one if it is not: lines of any length, members cut short,
// bytes behind the end.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "espalier/base/files/input.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace espalier;
  size_t given = 0;
  // In pieces of growing size, as from a pipe.
  size_t piece = 1;
  Input input = Input::from_function(
      [&](char* bytes, size_t room) -> Result<size_t> {
        const size_t count = std::min({room, size - given, piece});
        if (count > 0) std::memcpy(bytes, data + given, count);
        given += count;
        piece *= 2;
        return count;
      },
      "input");
  std::string_view line;
  size_t total = 0;
  constexpr size_t kMost = size_t{64} << 20;  // a bomb of zeros need not be unpacked to its end
  while (total < kMost) {
    const auto more = input.next_line(line);
    if (!more.ok() || !*more) break;
    total += line.size();
  }
  return 0;
}

// Decompresses gzip data as a stream: compressed bytes in through a callback, plain bytes out through read().
// For Input (input.h), which most callers want instead. Tested in input_test.cc.
#pragma once

#include <zlib.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "espalier/base/result.h"

namespace espalier {

/// Decompresses a gzip file of one or more members, as a stream. Checks headers, the length and checksum at
/// the end of each member, and that nothing but zero bytes follows the last member (padding from tapes, which
/// gzip accepts). Not thread-safe; neither copied nor moved, since zlib keeps a pointer back to the state.
class GzipStream {
 public:
  /// Reads more compressed bytes into the given space; returns how many, 0 at the end.
  using Refill = std::function<Result<size_t>(char* space, size_t size)>;

  /// `head` holds the bytes already read. Precondition: head.size() <= kInputSize.
  static Result<std::unique_ptr<GzipStream>> make(std::string_view head);
  ~GzipStream();
  GzipStream(const GzipStream&) = delete;
  GzipStream& operator=(const GzipStream&) = delete;

  /// Writes up to `size` > 0 plain bytes to `space`; returns how many, 0 at the end. Errors name the damage,
  /// not the file, and come after all bytes before the damage.
  Result<size_t> read(char* space, size_t size, const Refill& refill);

  static constexpr size_t kInputSize = size_t{256} << 10;

 private:
  GzipStream() = default;
  Result<bool> have_input(const Refill& refill);
  Result<bool> next_member(const Refill& refill);

  z_stream stream_{};
  bool ready_ = false;
  bool between_members_ = false;
  std::optional<Error> damage_;  ///< found, but bytes before it are returned first
  std::unique_ptr<unsigned char[]> input_;
};

/// Whether the bytes start like a gzip file.
inline bool looks_like_gzip(std::string_view bytes) { return bytes.starts_with("\x1f\x8b"); }

}  // namespace espalier

// Compressed bytes in, plain bytes out. Tested in input_test.cc.
#pragma once

#include <zlib.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "espalier/base/result.h"

namespace espalier {

/// Decompresses a gzip file of one or more members, as a stream. Checks all there is to check: headers, the
/// length and checksum that end each member, and that nothing follows the last one but zero bytes (tape
/// padding, which gzip itself lets pass). Not thread-safe; neither copied nor moved, since zlib keeps a
/// pointer back to the state.
class GzipStream {
 public:
  /// Reads more compressed bytes into the given space; how many came, 0 at the end.
  using Refill = std::function<Result<size_t>(char* space, size_t size)>;

  /// `head` is what has been read already. Precondition: head.size() <= kInputSize.
  static Result<std::unique_ptr<GzipStream>> make(std::string_view head);
  ~GzipStream();
  GzipStream(const GzipStream&) = delete;
  GzipStream& operator=(const GzipStream&) = delete;

  /// Puts up to `size` > 0 plain bytes into `space`; how many, 0 at the end. Errors name the damage, not the
  /// file, and come after the bytes before them.
  Result<size_t> read(char* space, size_t size, const Refill& refill);

  static constexpr size_t kInputSize = size_t{256} << 10;

 private:
  GzipStream() = default;
  Result<bool> have_input(const Refill& refill);
  Result<bool> next_member(const Refill& refill);

  z_stream stream_{};
  bool ready_ = false;
  bool between_members_ = false;
  std::optional<Error> damage_;  ///< found behind bytes that were handed out first
  std::unique_ptr<unsigned char[]> input_;
};

/// True where the bytes start like a gzip file.
inline bool looks_like_gzip(std::string_view bytes) { return bytes.starts_with("\x1f\x8b"); }

}  // namespace espalier

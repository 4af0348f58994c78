#include "espalier/base/files/gzip_stream.h"

#include <algorithm>
#include <cstring>

namespace espalier {
namespace {

constexpr std::string_view kTruncated = "damaged gzip data: the file ends too early";

}  // namespace

Result<std::unique_ptr<GzipStream>> GzipStream::make(std::string_view head) {
  ESPALIER_CHECK(head.size() <= kInputSize);
  std::unique_ptr<GzipStream> result(new GzipStream);
  result->input_ = std::make_unique_for_overwrite<unsigned char[]>(kInputSize);
  std::memcpy(result->input_.get(), head.data(), head.size());
  result->stream_.next_in = result->input_.get();
  result->stream_.avail_in = static_cast<uInt>(head.size());
  constexpr int kGzipOnly = 16;  // added to the window bits: accept gzip headers and no others
  if (inflateInit2(&result->stream_, MAX_WBITS + kGzipOnly) != Z_OK)
    return fail("no memory to decompress gzip data");
  result->ready_ = true;
  return result;
}

GzipStream::~GzipStream() {
  if (ready_) inflateEnd(&stream_);
}

Result<bool> GzipStream::have_input(const Refill& refill) {
  if (stream_.avail_in > 0) return true;
  ESPALIER_ASSIGN(const size_t count, refill(reinterpret_cast<char*>(input_.get()), kInputSize));
  stream_.next_in = input_.get();
  stream_.avail_in = static_cast<uInt>(count);
  return count > 0;
}

Result<bool> GzipStream::next_member(const Refill& refill) {
  bool padded = false;
  while (true) {
    ESPALIER_ASSIGN(const bool more, have_input(refill));
    if (!more) return false;
    const unsigned char* end = stream_.next_in + stream_.avail_in;
    const unsigned char* other =
        std::find_if(static_cast<const unsigned char*>(stream_.next_in), end, [](auto b) { return b != 0; });
    padded = padded || other != stream_.next_in;
    stream_.next_in = const_cast<unsigned char*>(other);
    stream_.avail_in = static_cast<uInt>(end - other);
    if (other == end) continue;
    // The second byte of the magic may not have been read yet; inflate checks it. This check is for a better
    // message.
    if (padded || *other != 0x1f) return fail("damaged gzip data: other bytes follow the compressed ones");
    inflateReset(&stream_);
    return true;
  }
}

Result<size_t> GzipStream::read(char* space, size_t size, const Refill& refill) {
  if (damage_) return *damage_;
  const uInt wanted = static_cast<uInt>(std::min<size_t>(size, size_t{1} << 30));
  stream_.next_out = reinterpret_cast<unsigned char*>(space);
  stream_.avail_out = wanted;
  // Loops while members are empty or a piece of input yields no output; every turn consumes input.
  while (stream_.avail_out == wanted) {
    if (between_members_) {
      ESPALIER_ASSIGN(const bool more, next_member(refill));
      if (!more) return size_t{0};
      between_members_ = false;
    }
    ESPALIER_ASSIGN(const bool more, have_input(refill));
    if (!more) return fail("{}", kTruncated);
    const int code = inflate(&stream_, Z_NO_FLUSH);
    if (code == Z_STREAM_END) {
      between_members_ = true;
    } else if (code != Z_OK && code != Z_BUF_ERROR) {
      damage_ = code == Z_MEM_ERROR
                    ? fail("no memory to decompress gzip data")
                    : fail("damaged gzip data: {}", stream_.msg != nullptr ? stream_.msg : "bad header");
      if (stream_.avail_out == wanted) return *damage_;
    }
  }
  return static_cast<size_t>(wanted - stream_.avail_out);
}

}  // namespace espalier

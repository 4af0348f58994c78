#include "espalier/base/files/zip_archive.h"

#include <zlib.h>

#include <algorithm>
#include <cstring>

namespace espalier {
namespace {

constexpr uint64_t kMostExpansion = 1040;  // deflate makes at most 1032 bytes of one
constexpr size_t kEndSize = 22, kEntrySize = 46, kLocalSize = 30;

/// A little-endian number inside a record whose size was checked.
template <typename T>
T zip_field(std::string_view record, size_t at) {
  T value;
  std::memcpy(&value, record.data() + at, sizeof(T));
  return value;
}

}  // namespace

Result<ZipArchive> ZipArchive::open(std::string_view bytes, std::string name) {
  ZipArchive archive;
  archive.bytes_ = bytes;
  archive.name_ = std::move(name);
  // The table of contents is at the end, before a comment of up to 65,535 bytes.
  const size_t tail = std::min(bytes.size(), kEndSize + 0xFFFF);
  const size_t found = bytes.substr(bytes.size() - tail).rfind("PK\5\6");
  if (found == bytes.npos || tail - found < kEndSize)
    return fail("{}: the archive has no table of contents; is the file cut off?", archive.name_);
  const std::string_view end = bytes.substr(bytes.size() - tail + found);
  const auto count = zip_field<uint16_t>(end, 10);
  const auto size = zip_field<uint32_t>(end, 12), start = zip_field<uint32_t>(end, 16);
  if (start > bytes.size() || size > bytes.size() - start)
    return fail("{}: damaged, or an archive beyond 4 GiB, which is not supported", archive.name_);
  std::string_view table = bytes.substr(start, size);
  for (uint16_t i = 0; i < count; ++i) {
    if (table.size() < kEntrySize || !table.starts_with("PK\1\2"))
      return fail("{}: damaged: member {} is not in the table of contents", archive.name_, i + 1);
    Member member;
    const auto flags = zip_field<uint16_t>(table, 8);
    member.method = zip_field<uint16_t>(table, 10);
    member.checksum = zip_field<uint32_t>(table, 16);
    member.packed = zip_field<uint32_t>(table, 20);
    member.size = zip_field<uint32_t>(table, 24);
    member.offset = zip_field<uint32_t>(table, 42);
    const size_t name_size = zip_field<uint16_t>(table, 28);
    const size_t entry =
        kEntrySize + name_size + zip_field<uint16_t>(table, 30) + zip_field<uint16_t>(table, 32);
    if (entry > table.size()) return fail("{}: damaged: the table of contents is cut off", archive.name_);
    member.name = table.substr(kEntrySize, name_size);
    if ((flags & 1) != 0) return fail("{}: '{}' is encrypted", archive.name_, member.name);
    archive.members_.push_back(std::move(member));
    table.remove_prefix(entry);
  }
  return archive;
}

Result<std::string> ZipArchive::read(const Member& member) const {
  const auto damaged = [&](std::string_view what) {
    return fail("{}: '{}' is damaged: {}", name_, member.name, what);
  };
  if (member.offset > bytes_.size() || bytes_.size() - member.offset < kLocalSize ||
      !bytes_.substr(member.offset).starts_with("PK\3\4"))
    return damaged("it is not where the table of contents says");
  const std::string_view local = bytes_.substr(member.offset);
  const size_t head = kLocalSize + zip_field<uint16_t>(local, 26) + zip_field<uint16_t>(local, 28);
  if (head > local.size() || member.packed > local.size() - head) return damaged("it is cut off");
  const std::string_view packed = local.substr(head, member.packed);
  std::string out;
  if (member.method == 0) {
    out = packed;
  } else if (member.method == 8) {
    if (member.size > kMostExpansion * (uint64_t{member.packed} + 1)) return damaged("its size is wrong");
    out.resize(member.size);
    z_stream stream{};
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) return fail("{}: not enough memory to unpack", name_);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
    stream.avail_in = member.packed;
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = member.size;
    const int status = inflate(&stream, Z_FINISH);
    const bool whole = status == Z_STREAM_END && stream.avail_out == 0;
    inflateEnd(&stream);
    if (!whole) return damaged("it cannot be unpacked");
  } else {
    return fail("{}: '{}' is packed by method {}, which is not supported", name_, member.name, member.method);
  }
  const auto sum = crc32(0, reinterpret_cast<const Bytef*>(out.data()), static_cast<uInt>(out.size()));
  if (out.size() != member.size || sum != member.checksum) return damaged("its checksum is wrong");
  return out;
}

}  // namespace espalier

#include "espalier/base/files/section_file.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <numeric>
#include <utility>

#include "espalier/base/files/atomic_file.h"
#include "espalier/base/hash.h"
#include "espalier/base/large_pages.h"

namespace espalier {
namespace {

static_assert(std::endian::native == std::endian::little,
              "the file is read in place, as little-endian numbers");

constexpr std::string_view kMagic = "ESPALIER";

struct Header {
  char magic[8];
  uint32_t version;
  uint32_t count;
  uint64_t file_size;
  uint64_t checksum;
};
static_assert(sizeof(Header) == 32);

struct TableEntry {
  char name[kSectionNameSize];
  uint64_t offset;
  uint64_t length;
  uint64_t checksum;
};
static_assert(sizeof(TableEntry) == 48);

std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

uint64_t checksum_of(std::span<const std::byte> bytes) { return hash_bytes(as_text(bytes)); }

// Checksum of everything that describes the file except the checksum itself.
uint64_t header_checksum(std::span<const std::byte> header_and_table) {
  return hash_combine(checksum_of(header_and_table.first(offsetof(Header, checksum))),
                      checksum_of(header_and_table.subspan(sizeof(Header))));
}

bool is_name_character(char c) { return c > 0x20 && c < 0x7f; }

bool is_name(std::string_view name) {
  return !name.empty() && name.size() <= kSectionNameSize &&
         std::all_of(name.begin(), name.end(), is_name_character);
}

}  // namespace

void SectionWriter::add(std::string_view name, std::span<const std::byte> bytes) {
  add_moved(name, std::vector<std::byte>(bytes.begin(), bytes.end()));
}

void SectionWriter::add_kept(std::string_view name, std::span<const std::byte> bytes,
                             std::shared_ptr<const void> kept) {
  ESPALIER_CHECK(is_name(name));
  ESPALIER_CHECK(
      std::none_of(sections_.begin(), sections_.end(), [&](const Section& s) { return s.name == name; }));
  ESPALIER_CHECK(sections_.size() < std::numeric_limits<uint32_t>::max());
  sections_.push_back({std::string(name), bytes, std::move(kept)});
}

std::vector<std::byte> SectionWriter::header() const {
  std::vector<std::byte> result(sizeof(Header) + sections_.size() * sizeof(TableEntry));
  uint64_t end = result.size();
  for (size_t i = 0; i < sections_.size(); ++i) {
    const Section& section = sections_[i];
    TableEntry entry{};
    std::memcpy(entry.name, section.name.data(), section.name.size());
    entry.offset = round_up(end, kSectionAlignment);
    entry.length = section.bytes.size();
    entry.checksum = checksum_of(section.bytes);
    std::memcpy(result.data() + sizeof(Header) + i * sizeof(TableEntry), &entry, sizeof(entry));
    end = entry.offset + entry.length;
  }
  Header header{};
  std::memcpy(header.magic, kMagic.data(), kMagic.size());
  header.version = kSectionFileVersion;
  header.count = static_cast<uint32_t>(sections_.size());
  header.file_size = end;
  std::memcpy(result.data(), &header, sizeof(header));
  header.checksum = header_checksum(result);
  std::memcpy(result.data(), &header, sizeof(header));
  return result;
}

Status SectionWriter::save(const std::string& path, const Verify& verify) const {
  static constexpr std::array<std::byte, kSectionAlignment> kZeros{};
  ESPALIER_ASSIGN(AtomicFile file, AtomicFile::open(path));
  const std::vector<std::byte> head = header();
  ESPALIER_TRY(file.write(head));
  size_t written = head.size();
  for (const Section& section : sections_) {
    const size_t offset = round_up(written, kSectionAlignment);
    ESPALIER_TRY(file.write(std::span(kZeros).first(offset - written)));
    ESPALIER_TRY(file.write(section.bytes));
    written = offset + section.bytes.size();
  }
  if (verify && !file.partial_path().empty()) {
    ESPALIER_TRY(file.flush());
    ESPALIER_TRY(verify(file.partial_path()));
  }
  return file.commit();
}

std::vector<std::byte> SectionWriter::to_bytes() const {
  std::vector<std::byte> result = header();
  for (const Section& section : sections_) {
    result.resize(round_up(result.size(), kSectionAlignment));
    result.insert(result.end(), section.bytes.begin(), section.bytes.end());
  }
  return result;
}

Result<SectionFile> SectionFile::open(const std::string& path) { return open(path, path); }

Result<SectionFile> SectionFile::open(const std::string& path, std::string name) {
  ESPALIER_ASSIGN(MappedFile mapped, MappedFile::open(path));
  const std::span<const std::byte> bytes = mapped.bytes();
  SectionFile file(std::move(name), std::move(mapped));
  ESPALIER_TRY(file.parse(bytes));
  return file;
}

Result<SectionFile> SectionFile::from_bytes(const std::vector<std::byte>& bytes, std::string name) {
  AlignedVector<std::byte> copy;
  copy.reserve(bytes.size());
  advise_large_pages(copy.data(), bytes.size());  // rows of weights are read at random
  copy.assign(bytes.begin(), bytes.end());
  const std::span<const std::byte> view(copy);
  SectionFile file(std::move(name), std::move(copy));
  ESPALIER_TRY(file.parse(view));
  return file;
}

Result<SectionFile> SectionFile::from_view(std::span<const std::byte> bytes, std::string name) {
  SectionFile file(std::move(name), std::monostate{});
  ESPALIER_TRY(file.parse(bytes));
  return file;
}

Status SectionFile::parse(std::span<const std::byte> bytes) {
  const std::string_view start = as_text(bytes.first(std::min(bytes.size(), kMagic.size())));
  if (start != kMagic.substr(0, start.size()))
    return fail("{}: not an Espalier file: it does not start with \"{}\"", name_, kMagic);
  if (bytes.size() < sizeof(Header))
    return fail("{}: cut short: {} bytes, the header alone has {}", name_, bytes.size(), sizeof(Header));
  Header header;
  std::memcpy(&header, bytes.data(), sizeof(header));
  // Check the version before the checksum: another version may compute the checksum differently.
  if (header.version != kSectionFileVersion)
    return fail("{}: the file has format version {}, this program reads version {}: {}", name_,
                header.version, kSectionFileVersion,
                header.version < kSectionFileVersion
                    ? "it was written by an older espalier, train it again"
                    : "it was written by a newer espalier, which can read it");
  const uint64_t table_end = sizeof(Header) + uint64_t{header.count} * sizeof(TableEntry);
  if (bytes.size() < table_end)
    return fail("{}: cut short or damaged: {} bytes, the table of {} sections alone ends at byte {}", name_,
                bytes.size(), header.count, table_end);
  if (header_checksum(bytes.first(table_end)) != header.checksum)
    return fail("{}: damaged: the checksum of the header is wrong", name_);
  if (bytes.size() != header.file_size)
    return fail("{}: {}: {} bytes, the header says {}", name_,
                bytes.size() < header.file_size ? "cut short" : "bytes follow the last section", bytes.size(),
                header.file_size);
  ESPALIER_TRY(parse_table(bytes, header.count));
  return index_names();
}

Status SectionFile::parse_table(std::span<const std::byte> bytes, uint32_t count) {
  entries_.reserve(count);
  uint64_t end = sizeof(Header) + uint64_t{count} * sizeof(TableEntry);
  for (uint32_t i = 0; i < count; ++i) {
    const std::byte* at = bytes.data() + sizeof(Header) + i * sizeof(TableEntry);
    TableEntry entry;
    std::memcpy(&entry, at, sizeof(entry));
    const std::string_view field(reinterpret_cast<const char*>(at), kSectionNameSize);
    const std::string_view name = field.substr(0, field.find('\0'));
    if (!is_name(name) || field.find_first_not_of('\0', name.size()) != std::string_view::npos)
      return fail("{}: damaged: the name of section {} of {} is malformed", name_, i + 1, count);
    // Exactly one offset is valid; any other would overlap a section or leave a gap. `end` is within the
    // file, so rounding it up cannot overflow.
    const uint64_t expected = round_up(end, kSectionAlignment);
    if (entry.offset != expected)
      return fail("{}: damaged: section '{}' starts at byte {}, expected {}", name_, name, entry.offset,
                  expected);
    if (entry.offset > bytes.size() || entry.length > bytes.size() - entry.offset)
      return fail("{}: damaged: section '{}' of {} bytes at byte {} reaches beyond the {} bytes of the file",
                  name_, name, entry.length, entry.offset, bytes.size());
    for (uint64_t gap = end; gap < entry.offset; ++gap)
      if (bytes[gap] != std::byte{0})
        return fail("{}: damaged: byte {}, before section '{}', is not zero", name_, gap, name);
    const std::span<const std::byte> payload = bytes.subspan(entry.offset, entry.length);
    if (checksum_of(payload) != entry.checksum)
      return fail("{}: damaged: the checksum of section '{}' is wrong", name_, name);
    entries_.push_back({name, payload});
    end = entry.offset + entry.length;
  }
  if (end != bytes.size())
    return fail("{}: damaged: the last section ends at byte {}, the file has {}", name_, end, bytes.size());
  return {};
}

Status SectionFile::index_names() {
  by_name_.resize(entries_.size());
  std::iota(by_name_.begin(), by_name_.end(), 0u);
  const auto name_of = [this](uint32_t i) { return entries_[i].name; };
  std::sort(by_name_.begin(), by_name_.end(),
            [&](uint32_t a, uint32_t b) { return name_of(a) < name_of(b); });
  for (size_t i = 1; i < by_name_.size(); ++i)
    if (name_of(by_name_[i - 1]) == name_of(by_name_[i]))
      return fail("{}: damaged: there are two sections '{}'", name_, name_of(by_name_[i]));
  return {};
}

Status SectionFile::unchanged() const {
  const auto* const mapped = std::get_if<MappedFile>(&storage_);
  return mapped == nullptr ? Status{} : mapped->unchanged();
}

const SectionFile::Entry* SectionFile::find(std::string_view section_name) const {
  const auto it =
      std::lower_bound(by_name_.begin(), by_name_.end(), section_name,
                       [this](uint32_t i, std::string_view name) { return entries_[i].name < name; });
  if (it == by_name_.end() || entries_[*it].name != section_name) return nullptr;
  return &entries_[*it];
}

Result<std::span<const std::byte>> SectionFile::section(std::string_view section_name) const {
  if (const Entry* entry = find(section_name)) return entry->bytes;
  return fail("{}: there is no section '{}'", name_, section_name);
}

Result<std::string_view> SectionFile::text(std::string_view section_name) const {
  ESPALIER_ASSIGN(const std::span<const std::byte> bytes, section(section_name));
  return as_text(bytes);
}

Result<std::span<const std::byte>> SectionFile::section_for_elements(std::string_view section_name,
                                                                     size_t size, size_t alignment) const {
  ESPALIER_ASSIGN(const std::span<const std::byte> bytes, section(section_name));
  if (bytes.size() % size != 0)
    return fail("{}: section '{}' has {} bytes, not a multiple of the {} of an element", name_, section_name,
                bytes.size(), size);
  if (reinterpret_cast<uintptr_t>(bytes.data()) % alignment != 0)
    return fail("{}: section '{}' does not lie on a multiple of {} bytes in memory", name_, section_name,
                alignment);
  return bytes;
}

}  // namespace espalier

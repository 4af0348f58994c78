// The container that models are stored in: named sections of bytes with checksums. Write with SectionWriter,
// read with SectionFile. Reading maps the file and verifies every byte; nothing is copied.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "espalier/base/array.h"
#include "espalier/base/files/mapped_file.h"
#include "espalier/base/result.h"

namespace espalier {

// The file, all numbers little-endian:
//
//   0   magic "ESPALIER"
//   8   u32 format version
//   12  u32 number of sections
//   16  u64 size of the file
//   24  u64 XXH3 of bytes 0–23 and of the table
//   32  the table, 48 bytes per section: name (24 bytes, padded with zeros), u64 offset, u64 length,
//       u64 XXH3 of the payload
//   …   the payloads in the order of the table, each at the next multiple of 64, gaps filled with zeros;
//       the file ends where the last payload ends
//
// Names and lengths determine the layout, so equal sections give equal files and a reader can verify every
// byte.

/// The version of the layout above and of what the library's own models keep in their sections.
inline constexpr uint32_t kSectionFileVersion = 2;
inline constexpr size_t kSectionNameSize = 24;
inline constexpr size_t kSectionAlignment = 64;

/// Collects sections and writes them as one file. Holds copies of what is added,
/// unless a function says otherwise. Names are 1 to 24 printable ASCII characters without spaces, each used
/// once. Not thread-safe while sections are added.
class SectionWriter {
 public:
  void add(std::string_view name, std::span<const std::byte> bytes);
  /// Without a copy: the items move here, as they are in memory.
  template <typename Items>
  void add_moved(std::string_view name, Items&& items) {
    static_assert(!std::is_lvalue_reference_v<Items>);
    const auto kept = std::make_shared<const Items>(std::move(items));
    add_kept(name, std::as_bytes(std::span(*kept)), kept);
  }
  /// Without a copy, of what stays where it is as long as this writer lives.
  void add_view(std::string_view name, std::span<const std::byte> bytes) { add_kept(name, bytes, nullptr); }

  /// The elements of a vector, array or span, as they are in memory. Elements must have no padding: its bytes
  /// would differ from run to run.
  template <typename Items>
  void add_array(std::string_view name, const Items& items) {
    const std::span view(items);
    using T = std::remove_cv_t<typename decltype(view)::element_type>;
    static_assert(std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>);
    add(name, std::as_bytes(view));
  }
  void add_text(std::string_view name, std::string_view text) {
    add(name, std::as_bytes(std::span(text.data(), text.size())));
  }

  /// Writes the file through AtomicFile: after a failure the older file is still there. `verify`, if given,
  /// gets the path of what was written before it replaces the older file; an error from it keeps the older
  /// file.
  using Verify = std::function<Status(const std::string& written)>;
  Status save(const std::string& path, const Verify& verify = {}) const;
  /// The bytes that save would write.
  std::vector<std::byte> to_bytes() const;

 private:
  struct Section {
    std::string name;
    std::span<const std::byte> bytes;
    std::shared_ptr<const void> kept;  ///< owns the bytes; empty for a view
  };
  void add_kept(std::string_view name, std::span<const std::byte> bytes, std::shared_ptr<const void> kept);
  std::vector<std::byte> header() const;

  std::vector<Section> sections_;
};

/// A section file opened for reading. Everything is verified when it is opened, in one pass at the speed of
/// memory: a file that is cut short, extended or changed in any byte is refused with a message that names it
/// and the damage. Afterwards the sections are spans of the mapped file, valid as long as this object (or the
/// one it was moved to) lives. Immutable, so any number of threads may read.
class SectionFile {
 public:
  struct Entry {
    std::string_view name;
    std::span<const std::byte> bytes;
  };

  static Result<SectionFile> open(const std::string& path);
  /// The same under another name for error messages.
  static Result<SectionFile> open(const std::string& path, std::string name);
  /// From bytes in memory, copied to a 64-byte boundary; `name` is used in error messages.
  static Result<SectionFile> from_bytes(const std::vector<std::byte>& bytes, std::string name);
  /// The same without a copy: the bytes must outlive this object. array<T>() fails if the bytes are not
  /// aligned for T.
  static Result<SectionFile> from_view(std::span<const std::byte> bytes, std::string name);

  const std::string& name() const { return name_; }
  /// An error if the file is mapped and was changed in place since it was opened (MappedFile).
  Status unchanged() const;
  /// All sections in the order of the file.
  std::span<const Entry> entries() const { return entries_; }

  bool has(std::string_view section_name) const { return find(section_name) != nullptr; }
  Result<std::span<const std::byte>> section(std::string_view section_name) const;
  Result<std::string_view> text(std::string_view section_name) const;

  /// The section as elements of T; an error if its size is not a multiple of T. The bytes are those that were
  /// written, but the caller must check that the values make sense (that an index is within bounds, for
  /// example).
  template <typename T>
  Result<std::span<const T>> array(std::string_view section_name) const {
    static_assert(std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>);
    static_assert(!std::is_same_v<T, bool>, "a byte other than 0 and 1 is no bool");
    static_assert(alignof(T) <= kSectionAlignment);
    ESPALIER_ASSIGN(const std::span<const std::byte> bytes,
                    section_for_elements(section_name, sizeof(T), alignof(T)));
    return std::span<const T>(reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T));
  }

 private:
  using Storage = std::variant<std::monostate, MappedFile, AlignedVector<std::byte>>;
  SectionFile(std::string name, Storage storage) : name_(std::move(name)), storage_(std::move(storage)) {}

  Status parse(std::span<const std::byte> bytes);
  Status parse_table(std::span<const std::byte> bytes, uint32_t count);
  Status index_names();
  const Entry* find(std::string_view section_name) const;
  Result<std::span<const std::byte>> section_for_elements(std::string_view section_name, size_t size,
                                                          size_t alignment) const;

  std::string name_;
  Storage storage_;
  std::vector<Entry> entries_;
  std::vector<uint32_t> by_name_;  ///< entries in the order of their names
};

}  // namespace espalier

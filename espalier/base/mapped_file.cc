#include "espalier/base/mapped_file.h"

#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <utility>

#include "espalier/base/file_descriptor.h"

namespace espalier {

Result<MappedFile> MappedFile::open(const std::string& path) {
  ESPALIER_ASSIGN(const FileDescriptor file, open_for_reading(path));
  struct stat info;
  if (::fstat(file.number(), &info) != 0) return fail("cannot open '{}': {}", path, system_message(errno));
  // A pipe or a device reports size 0 and would be taken for an empty file.
  if (!S_ISREG(info.st_mode)) return fail("cannot open '{}': not a regular file", path);
  if (info.st_size == 0) return MappedFile({});
  const size_t size = static_cast<size_t>(info.st_size);
  // Populating the page table at once is several times cheaper than a fault every few pages.
  void* start = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, file.number(), 0);
  if (start == MAP_FAILED) return fail("cannot map '{}': {}", path, system_message(errno));
  return MappedFile({static_cast<const std::byte*>(start), size});
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

MappedFile::MappedFile(MappedFile&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(bytes_, other.bytes_);
  return *this;
}

}  // namespace espalier

#include "espalier/base/files/mapped_file.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "espalier/base/files/file_descriptor.h"
#include "espalier/base/large_pages.h"

namespace espalier {
namespace {

/// Memory of the process that holds a copy of the file.
Result<std::byte*> read_copy(const FileDescriptor& file, size_t size, const std::string& path) {
  void* const start = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (start == MAP_FAILED) return fail("cannot read '{}': {}", path, system_message(errno));
  advise_large_pages(start, size);  // rows of weights are read at random
  auto* const bytes = static_cast<std::byte*>(start);
  size_t done = 0;
  while (done < size) {
    const ssize_t count = ::read(file.number(), bytes + done, size - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      const int number = errno;
      ::munmap(start, size);
      if (count == 0) return fail("'{}' was cut short while it was read", path);
      return fail("cannot read '{}': {}", path, system_message(number));
    }
    done += static_cast<size_t>(count);
  }
  return bytes;
}

}  // namespace

Result<MappedFile> MappedFile::open(const std::string& path) {
  ESPALIER_ASSIGN(FileDescriptor file, open_for_reading(path));
  struct stat info;
  if (::fstat(file.number(), &info) != 0) return fail("cannot open '{}': {}", path, system_message(errno));
  // A pipe or a device reports size 0 and would be taken for an empty file.
  if (!S_ISREG(info.st_mode)) return fail("cannot open '{}': not a regular file", path);
  if (info.st_size == 0) return MappedFile({});
  const size_t size = static_cast<size_t>(info.st_size);
  if (size <= kCopiedUpTo) {
    ESPALIER_ASSIGN(const std::byte* const copy, read_copy(file, size, path));
    return MappedFile({copy, size});
  }
  // Populating the page table at once is several times cheaper than a fault every few pages.
  void* start = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, file.number(), 0);
  if (start == MAP_FAILED) return fail("cannot map '{}': {}", path, system_message(errno));
  MappedFile mapped({static_cast<const std::byte*>(start), size});
  mapped.file_ = std::move(file);
  mapped.changed_seconds_ = info.st_mtim.tv_sec;
  mapped.changed_nanoseconds_ = info.st_mtim.tv_nsec;
  mapped.path_ = path;
  return mapped;
}

Status MappedFile::unchanged() const {
  if (!file_.is_open()) return {};
  struct stat info;
  if (::fstat(file_.number(), &info) != 0)
    return fail("cannot look at '{}': {}", path_, system_message(errno));
  if (static_cast<size_t>(info.st_size) == bytes_.size() && info.st_mtim.tv_sec == changed_seconds_ &&
      info.st_mtim.tv_nsec == changed_nanoseconds_)
    return {};
  return fail("'{}' was changed by another program while it was in use; open it again", path_);
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : bytes_(std::exchange(other.bytes_, {})),
      file_(std::move(other.file_)),
      changed_seconds_(other.changed_seconds_),
      changed_nanoseconds_(other.changed_nanoseconds_),
      path_(std::move(other.path_)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(bytes_, other.bytes_);
  std::swap(file_, other.file_);
  std::swap(changed_seconds_, other.changed_seconds_);
  std::swap(changed_nanoseconds_, other.changed_nanoseconds_);
  std::swap(path_, other.path_);
  return *this;
}

}  // namespace espalier

#include "espalier/base/files/scratch_file.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace espalier {
namespace {

std::filesystem::path scratch_folder() {
  if (const char* const asked = std::getenv("TMPDIR"); asked != nullptr && *asked != '\0') return asked;
  std::error_code error;
  if (::access("/var/tmp", W_OK) == 0) return "/var/tmp";
  const std::filesystem::path usual = std::filesystem::temp_directory_path(error);
  return error ? std::filesystem::path("/tmp") : usual;
}

}  // namespace

Result<FileDescriptor> make_unnamed_file(std::string_view what) {
  const std::filesystem::path folder = scratch_folder();
  std::string pattern = (folder / "espalier-XXXXXX").string();
  const int descriptor = ::mkstemp(pattern.data());
  if (descriptor < 0)
    return fail("no temporary file for {} in '{}': {}; TMPDIR names another directory", what, folder.string(),
                system_message(errno));
  ::unlink(pattern.c_str());
  return FileDescriptor(descriptor);
}

Result<ScratchFile> ScratchFile::make(std::string what) {
  ESPALIER_ASSIGN(FileDescriptor file, make_unnamed_file(what));
  return ScratchFile(std::move(file), std::move(what));
}

Status ScratchFile::append(std::string_view bytes) {
  waiting_ += bytes;
  return waiting_.size() >= kBlock ? flush() : Status();
}

Status ScratchFile::flush() {
  for (size_t done = 0; done < waiting_.size();) {
    const ssize_t wrote = ::write(file_.number(), waiting_.data() + done, waiting_.size() - done);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0)
      return fail("temporary file of {}: {}; TMPDIR names the directory for such files", what_,
                  system_message(errno));
    done += static_cast<size_t>(wrote);
  }
  written_ += waiting_.size();
  waiting_.clear();
  return {};
}

Status ScratchFile::read(uint64_t offset, size_t size, void* out) const {
  for (size_t done = 0; done < size;) {
    const ssize_t got = ::pread(file_.number(), static_cast<char*>(out) + done, size - done,
                                static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0)
      return fail("temporary file of {}: {}", what_,
                  got < 0 ? system_message(errno) : std::string("it was cut off"));
    done += static_cast<size_t>(got);
  }
  return {};
}

Result<const char*> ScratchFile::Cursor::take(size_t size) {
  if (filled_ - used_ < size) {
    if (used_ == filled_ && offset_ == end_) return nullptr;
    if (filled_ > used_ && used_ > 0) std::memmove(buffer_.data(), buffer_.data() + used_, filled_ - used_);
    filled_ -= used_;
    used_ = 0;
    if (buffer_.size() < std::max(size, least_)) buffer_.resize(std::max(size, least_));
    const size_t more = std::min<uint64_t>(buffer_.size() - filled_, end_ - offset_);
    if (filled_ + more < size) return fail("temporary file of {}: it was cut off", file_->what_);
    ESPALIER_TRY(file_->read(offset_, more, buffer_.data() + filled_));
    filled_ += more;
    offset_ += more;
  }
  const char* const at = buffer_.data() + used_;
  used_ += size;
  return at;
}

}  // namespace espalier

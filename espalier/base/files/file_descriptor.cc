#include "espalier/base/files/file_descriptor.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace espalier {

int FileDescriptor::close() {
  const int number = std::exchange(number_, -1);
  if (number < 0 || !owned_) return 0;
  // Linux releases the number even when close is interrupted; a second call could close another file.
  if (::close(number) != 0 && errno != EINTR) return errno;
  return 0;
}

std::string system_message(int error_number) { return std::generic_category().message(error_number); }

Result<FileDescriptor> open_for_reading(const std::string& path) {
  // Without O_NONBLOCK, a named pipe is only opened when another program writes to it.
  int number;
  do number = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  while (number < 0 && errno == EINTR);
  if (number < 0) return fail("cannot open '{}': {}", path, system_message(errno));
  FileDescriptor file(number);
  struct stat info;
  if (::fstat(number, &info) != 0) return fail("cannot open '{}': {}", path, system_message(errno));
  if (S_ISDIR(info.st_mode)) return fail("cannot open '{}': {}", path, system_message(EISDIR));
  if (!S_ISREG(info.st_mode)) (void)::fcntl(number, F_SETFL, ::fcntl(number, F_GETFL) & ~O_NONBLOCK);
  return file;
}

}  // namespace espalier

#include "espalier/base/files/atomic_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <optional>
#include <utility>

#include "espalier/base/files/file_descriptor.h"
#include "espalier/base/files/unfinished_files.h"
#include "espalier/base/files/wait_scope.h"

namespace espalier {
namespace {

constexpr size_t kBufferSize = size_t{256} << 10;
// Further names to try if the first is taken: process numbers repeat, above all in containers,
// and two threads may write the same target.
constexpr int kNameAttempts = 100;

Error cannot_write(const std::string& name, const std::string& reason) {
  return fail("cannot write '{}': {}", name, reason);
}
Error cannot_write(const std::string& name, int error_number) {
  return cannot_write(name, system_message(error_number));
}

std::string directory_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

// The process number in the name of a partial file, after `.partial-`: digits, or digits, a hyphen and
// digits.
std::optional<pid_t> writer_of(std::string_view suffix) {
  pid_t process = 0;
  const auto [end, error] = std::from_chars(suffix.data(), suffix.data() + suffix.size(), process);
  if (error != std::errc() || process <= 0) return std::nullopt;
  std::string_view rest(end, static_cast<size_t>(suffix.data() + suffix.size() - end));
  if (rest.empty()) return process;
  if (rest.size() < 2 || rest[0] != '-' || rest.find_first_not_of("0123456789", 1) != rest.npos)
    return std::nullopt;
  return process;
}

// Partial files are made and swept by one thread at a time: one that was just made is not locked yet.
std::mutex partial_files;

// Removes what killed processes left of this target. Two things must say that the writer is dead: no process
// has its number (or we do: numbers repeat in containers), and nobody holds the lock that every writer has on
// its file, perhaps on another machine. What cannot be removed stays.
void remove_leftovers(const std::string& target) {
  const std::string directory = directory_of(target);
  const size_t slash = target.rfind('/');
  const std::string prefix = (slash == std::string::npos ? target : target.substr(slash + 1)) + ".partial-";
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(::opendir(directory.c_str()), ::closedir);
  if (entries == nullptr) return;
  while (const dirent* entry = ::readdir(entries.get())) {
    const std::string_view name = entry->d_name;
    if (!name.starts_with(prefix)) continue;
    const auto writer = writer_of(name.substr(prefix.size()));
    if (!writer || (*writer != ::getpid() && (::kill(*writer, 0) == 0 || errno != ESRCH))) continue;
    const std::string path = directory + "/" + std::string(name);
    const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    struct stat info;
    if (!file.is_open() || ::fstat(file.number(), &info) != 0 || !S_ISREG(info.st_mode)) continue;
    if (::flock(file.number(), LOCK_EX | LOCK_NB) == 0) ::unlink(path.c_str());
  }
}

// The path after following symbolic links, and what kind of file is there.
struct Target {
  std::string path;
  bool streamed = false;       // neither a regular file nor a place for one
  std::optional<mode_t> mode;  // of the file to be replaced
};

Result<Target> look_at(const std::string& path) {
  if (path.empty()) return cannot_write(path, "the file name is empty");
  Target target{path, false, std::nullopt};
  struct stat info;
  if (::stat(path.c_str(), &info) != 0) {
    if (errno != ENOENT) return cannot_write(path, errno);
    const std::string directory = directory_of(path);
    if (::stat(directory.c_str(), &info) != 0)
      return cannot_write(path, fmt::format("directory '{}': {}", directory, system_message(errno)));
    return target;
  }
  if (S_ISDIR(info.st_mode)) return cannot_write(path, EISDIR);
  // Renaming over a file does not need permission to write to it. Refuse anyway: its owner made it read-only.
  if (::access(path.c_str(), W_OK) != 0) return cannot_write(path, errno);
  target.streamed = !S_ISREG(info.st_mode);
  if (target.streamed) return target;
  target.mode = info.st_mode & 07777;
  if (::lstat(path.c_str(), &info) == 0 && S_ISLNK(info.st_mode)) {
    const std::unique_ptr<char, void (*)(void*)> resolved(::realpath(path.c_str(), nullptr), std::free);
    if (resolved == nullptr) return cannot_write(path, errno);
    target.path = resolved.get();
  }
  return target;
}

/// Opens a pipe or device. A named pipe can be opened when another program reads from it.
Result<FileDescriptor> open_stream(const std::string& path) {
  while (true) {
    const int number = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | (WaitScope::present() ? O_NONBLOCK : 0));
    if (number >= 0) {
      (void)::fcntl(number, F_SETFL, ::fcntl(number, F_GETFL) & ~O_NONBLOCK);
      return FileDescriptor(number);
    }
    if (errno != EINTR && !(errno == ENXIO && WaitScope::present())) return cannot_write(path, errno);
    if (WaitScope::wanted()) return cannot_write(path, "stopped before anybody read from it");
    wait_a_moment();
  }
}

}  // namespace

struct AtomicFile::State {
  std::string name;           ///< for messages
  std::string target;         ///< where the file goes; empty when streamed
  std::string temporary;      ///< what is written until then; empty when streamed or no longer there
  UnfinishedFile unfinished;  ///< the same, for programs that end at once
  FileDescriptor file;
  bool pauses = false;  ///< a pipe or terminal, which may take nothing for a while
  std::unique_ptr<std::byte[]> buffer = std::make_unique_for_overwrite<std::byte[]>(kBufferSize);
  size_t used = 0;
  bool committed = false;
  std::optional<Error> error;

  ~State() {
    if (target.empty() && !committed && !error) (void)flush();
    file.close();
    if (!temporary.empty()) ::unlink(temporary.c_str());
  }

  Status failed(int error_number) {
    error = cannot_write(name, error_number);
    return *error;
  }

  Status write_through(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
      size_t size = bytes.size();
      if (pauses && WaitScope::present()) {  // a pipe may be full, and nobody reading from it
        if (!wait_until_writable(file.number())) {
          error = cannot_write(name, "stopped while nobody reads from it");
          return *error;
        }
        size = std::min<size_t>(size, PIPE_BUF);
      }
      const ssize_t count = ::write(file.number(), bytes.data(), size);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return failed(errno);
      bytes = bytes.subspan(static_cast<size_t>(count));
    }
    return {};
  }

  Status flush() {
    if (error) return *error;
    return write_through({buffer.get(), std::exchange(used, 0)});
  }

  Status open_temporary(mode_t mode) {
    const std::scoped_lock lock(partial_files);
    remove_leftovers(target);
    const std::string first = fmt::format("{}.partial-{}", target, ::getpid());
    for (int attempt = 1;; ++attempt) {
      std::string path = attempt == 1 ? first : fmt::format("{}-{}", first, attempt);
      const int number = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
      if (number >= 0) {
        file = FileDescriptor(number);
        temporary = std::move(path);  // allocates nothing: the file must not be left behind
        unfinished = UnfinishedFile(temporary);
        (void)::flock(number, LOCK_EX | LOCK_NB);  // see remove_leftovers
        return {};
      }
      if (errno == EINTR || (errno == EEXIST && attempt < kNameAttempts)) continue;
      return failed(errno);
    }
  }

  // A rename is durable once the directory is synced. Not every file system supports that, and we may not be
  // allowed to open the directory; the file is complete either way.
  Status sync_directory() {
    const int number = ::open(directory_of(target).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (number < 0) return {};
    const FileDescriptor directory(number);
    if (::fsync(number) != 0 && errno != EINVAL && errno != EROFS && errno != ENOSYS) return failed(errno);
    return {};
  }

  Status commit() {
    ESPALIER_TRY(flush());
    if (target.empty()) {
      if (const int code = file.close(); code != 0) return failed(code);
      return {};
    }
    if (::fsync(file.number()) != 0) return failed(errno);
    const FileDescriptor locked(::fcntl(file.number(), F_DUPFD_CLOEXEC, 0));  // until it has its name
    if (const int code = file.close(); code != 0) return failed(code);
    if (::rename(temporary.c_str(), target.c_str()) != 0) return failed(errno);
    temporary.clear();
    unfinished.forget();
    return sync_directory();
  }
};

AtomicFile::AtomicFile(std::unique_ptr<State> state) : state_(std::move(state)) {}
AtomicFile::~AtomicFile() = default;
AtomicFile::AtomicFile(AtomicFile&&) noexcept = default;
AtomicFile& AtomicFile::operator=(AtomicFile&&) noexcept = default;

const std::string& AtomicFile::name() const { return state_->name; }
const std::string& AtomicFile::partial_path() const { return state_->temporary; }

Result<AtomicFile> AtomicFile::open(const std::string& path) {
  auto state = std::make_unique<State>();
  if (path == "-") {
    state->name = "standard output";
    state->file = FileDescriptor(STDOUT_FILENO, /*owned=*/false);
    struct stat info;
    state->pauses = ::fstat(STDOUT_FILENO, &info) == 0 && !S_ISREG(info.st_mode);
    return AtomicFile(std::move(state));
  }
  state->name = path;
  ESPALIER_ASSIGN(const Target target, look_at(path));
  if (target.streamed) {
    ESPALIER_ASSIGN(state->file, open_stream(path));
    state->pauses = true;
    return AtomicFile(std::move(state));
  }
  state->target = target.path;
  ESPALIER_TRY(state->open_temporary(0666));
  // Set the mode before writing, so that private data is never readable by others.
  if (target.mode && ::fchmod(state->file.number(), *target.mode) != 0) return cannot_write(path, errno);
  return AtomicFile(std::move(state));
}

Status AtomicFile::check_writable(const std::string& path) {
  if (path == "-") return {};
  ESPALIER_ASSIGN(const Target target, look_at(path));
  // Do not open a pipe just to check: its reader would wake up and then lose its writer.
  if (target.streamed) return {};
  ESPALIER_TRY(open(path));
  return {};
}

Status AtomicFile::write(std::span<const std::byte> bytes) {
  State& s = *state_;
  ESPALIER_CHECK(!s.committed);
  if (s.error) [[unlikely]]
    return *s.error;
  if (bytes.size() > kBufferSize - s.used) {
    ESPALIER_TRY(s.flush());
    if (bytes.size() >= kBufferSize) return s.write_through(bytes);
  }
  if (!bytes.empty()) std::memcpy(s.buffer.get() + s.used, bytes.data(), bytes.size());
  s.used += bytes.size();
  return {};
}

Status AtomicFile::flush() {
  ESPALIER_CHECK(!state_->committed);
  return state_->flush();
}

Status AtomicFile::commit() {
  ESPALIER_CHECK(!state_->committed);
  state_->committed = true;
  return state_->commit();
}

}  // namespace espalier

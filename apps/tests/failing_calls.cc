// A library for tests, loaded with LD_PRELOAD: makes the n-th call of one function of the C library fail, as
// if the disk were full or memory had run out. try_failures.cc sets the variables and judges the program.
// Tested in apps/tests/failures_test.sh.
//
//   ESPALIER_FAIL_CALL   write, fsync, rename, mmap, malloc, thread, read or close; otherwise nothing happens
//   ESPALIER_FAIL_AT     which call fails, 1 for the first; 0 counts only
//   ESPALIER_FAIL_ON     1: all calls after it fail, too
//   ESPALIER_FAIL_REPORT a file that receives "CALLS FAILED", two numbers, when main ends
//
// Calls are counted from the beginning of main to its end. Writes to standard error are not counted: no
// program has to report that it cannot report. `malloc` stands for all functions that allocate, operator new
// among them; memory that the C library takes for itself, and its own calls of mmap, are not seen.
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

extern "C" {
void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* block, size_t size);
void* __libc_memalign(size_t alignment, size_t size);
}

namespace {

enum class Call { kNone, kWrite, kFsync, kRename, kMmap, kMalloc, kThread, kRead, kClose };
constexpr const char* kNames[] = {"",       "write",  "fsync", "rename", "mmap",
                                  "malloc", "thread", "read",  "close"};

Call watched = Call::kNone;
long fail_at = 0;
bool fail_on = false;
std::atomic<bool> counting{false};
std::atomic<long> calls{0};
std::atomic<long> failures{0};

/// Counts a call, and says whether it is to fail.
bool fails(Call call) {
  if (call != watched || !counting.load(std::memory_order_relaxed)) return false;
  const long number = ++calls;
  const bool failing = fail_at > 0 && (number == fail_at || (fail_on && number > fail_at));
  if (failing) ++failures;
  return failing;
}

/// The function of this name that this library hides.
template <typename Function>
Function hidden(const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

void report() {
  const char* path = std::getenv("ESPALIER_FAIL_REPORT");
  if (path == nullptr) return;
  char text[64];
  const int size = std::snprintf(text, sizeof(text), "%ld %ld\n", calls.load(), failures.load());
  const int file = ::open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  (void)!::syscall(SYS_write, file, text, static_cast<size_t>(size));
  ::syscall(SYS_close, file);
}

using Main = int (*)(int, char**, char**);
Main program_main = nullptr;

int counted_main(int argc, char** argv, char** environment) {
  const char* call = std::getenv("ESPALIER_FAIL_CALL");
  for (size_t i = 1; call != nullptr && i < std::size(kNames); ++i)
    if (std::strcmp(call, kNames[i]) == 0) watched = static_cast<Call>(i);
  const char* at = std::getenv("ESPALIER_FAIL_AT");
  if (at != nullptr) fail_at = std::atol(at);
  const char* on = std::getenv("ESPALIER_FAIL_ON");
  fail_on = on != nullptr && std::strcmp(on, "1") == 0;
  counting = true;
  const int status = program_main(argc, argv, environment);
  counting = false;
  report();
  return status;
}

}  // namespace

extern "C" {

int __libc_start_main(Main main, int argc, char** argv, void (*init)(), void (*fini)(), void (*rtld_fini)(),
                      void* stack_end) {
  program_main = main;
  using Start = int (*)(Main, int, char**, void (*)(), void (*)(), void (*)(), void*);
  return hidden<Start>("__libc_start_main")(counted_main, argc, argv, init, fini, rtld_fini, stack_end);
}

void* malloc(size_t size) {
  if (!fails(Call::kMalloc)) return __libc_malloc(size);
  errno = ENOMEM;
  return nullptr;
}
void* calloc(size_t count, size_t size) {
  if (!fails(Call::kMalloc)) return __libc_calloc(count, size);
  errno = ENOMEM;
  return nullptr;
}
void* realloc(void* block, size_t size) {
  if (!fails(Call::kMalloc)) return __libc_realloc(block, size);
  errno = ENOMEM;
  return nullptr;
}
void* memalign(size_t alignment, size_t size) {
  if (!fails(Call::kMalloc)) return __libc_memalign(alignment, size);
  errno = ENOMEM;
  return nullptr;
}
void* aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }
int posix_memalign(void** block, size_t alignment, size_t size) {
  if (fails(Call::kMalloc)) return ENOMEM;
  *block = __libc_memalign(alignment, size);
  return *block == nullptr ? ENOMEM : 0;
}

ssize_t write(int file, const void* bytes, size_t size) {
  if (file == STDERR_FILENO || !fails(Call::kWrite)) return ::syscall(SYS_write, file, bytes, size);
  errno = ENOSPC;
  return -1;
}
ssize_t read(int file, void* bytes, size_t size) {
  if (!fails(Call::kRead)) return ::syscall(SYS_read, file, bytes, size);
  errno = EIO;
  return -1;
}
int close(int file) {
  const int status = static_cast<int>(::syscall(SYS_close, file));
  if (!fails(Call::kClose)) return status;
  errno = EIO;  // as network file systems do: closed, but what was written is lost
  return -1;
}
int fsync(int file) {
  if (!fails(Call::kFsync)) return static_cast<int>(::syscall(SYS_fsync, file));
  errno = EIO;
  return -1;
}
int rename(const char* from, const char* to) noexcept {
  if (!fails(Call::kRename)) return static_cast<int>(::syscall(SYS_rename, from, to));
  errno = EIO;
  return -1;
}
void* mmap(void* start, size_t size, int protection, int flags, int file, off_t offset) noexcept {
  if (!fails(Call::kMmap))
    return reinterpret_cast<void*>(::syscall(SYS_mmap, start, size, protection, flags, file, offset));
  errno = ENOMEM;
  return MAP_FAILED;
}
int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*run)(void*), void* argument) {
  if (fails(Call::kThread)) return EAGAIN;
  static const auto create = hidden<decltype(&pthread_create)>("pthread_create");
  return create(thread, attributes, run, argument);
}

}  // extern "C"

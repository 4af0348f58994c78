#include "apps/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <system_error>

#include "apps/other_program.h"

namespace espalier::apps {
namespace {

/// A descriptor that closes itself.
struct Descriptor {
  int number = -1;
  Descriptor() = default;
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { close(); }
  void close() {
    if (number >= 0) ::close(number);
    number = -1;
  }
};

struct Pipe {
  Descriptor read, write;
  bool open() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return false;
    read.number = ends[0];
    write.number = ends[1];
    return true;
  }
};

Error system_failure(std::string_view what) {
  return fail("{}: {}", what, std::generic_category().message(errno));
}

/// A file in memory with this text, at its beginning.
Status fill_memory_file(const std::string& text, Descriptor& file) {
  file.number = ::memfd_create("trial", MFD_CLOEXEC);
  if (file.number < 0) return system_failure("cannot make a file in memory");
  size_t done = 0;
  while (done < text.size()) {
    const ssize_t n = ::write(file.number, text.data() + done, text.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return system_failure("cannot write to memory");
    done += static_cast<size_t>(n);
  }
  ::lseek(file.number, 0, SEEK_SET);
  return {};
}

/// The child's side, after fork: nothing but system calls.
[[noreturn]] void become_child(const char* program, int input, int output, int messages, char* const* words) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::setpgid(0, 0);  // Ctrl-C reaches the parent alone, which then ends the child
  sigset_t none;    // InterruptGuard blocks signals, and what is blocked stays so over exec
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::dup2(input, STDIN_FILENO);
  ::dup2(output, STDOUT_FILENO);
  ::dup2(messages, STDERR_FILENO);
  ::execv(program, words);
  ::_exit(127);
}

/// Appends what can be read; false at the end.
bool read_some(int from, std::string& to) {
  char buffer[65536];
  const ssize_t n = ::read(from, buffer, sizeof buffer);
  if (n > 0) to.append(buffer, static_cast<size_t>(n));
  return n > 0 || (n < 0 && (errno == EINTR || errno == EAGAIN));
}

/// This program itself is not looked for: a new one may have been installed meanwhile.
Result<std::string> path_of(const std::string& program) {
  constexpr const char* kThisProgram = "/proc/self/exe";
  std::error_code code;
  if (std::filesystem::read_symlink(kThisProgram, code).filename() == program) return std::string(kThisProgram);
  return find_program(program);
}

std::string last_line(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  text.erase(0, text.rfind('\n') + 1);
  constexpr std::string_view kName = "espalier: ";
  return text.starts_with(kName) ? text.substr(kName.size()) : text;
}

}  // namespace

Result<std::string> run_child(const ChildJob& job, const std::atomic<bool>* stop) {
  ESPALIER_ASSIGN(const std::string program, path_of(job.program));
  Descriptor file;
  ESPALIER_TRY(fill_memory_file(job.input, file));
  Pipe output, messages;
  if (!output.open() || !messages.open()) return system_failure("cannot make a pipe");
  std::vector<std::string> words = {"espalier"};
  words.insert(words.end(), job.words.begin(), job.words.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);

  const auto start = std::chrono::steady_clock::now();
  const pid_t child = ::fork();
  if (child < 0) return system_failure("cannot start a process");
  if (child == 0)
    become_child(program.c_str(), file.number, output.write.number, messages.write.number, pointers.data());
  output.write.close();
  messages.write.close();

  std::string printed, said, killed;
  while (output.read.number >= 0 || messages.read.number >= 0) {
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    if (killed.empty() && stop != nullptr && *stop) killed = "stopped";
    if (killed.empty() && job.seconds > 0 && spent.count() > job.seconds)
      killed = fmt::format("given up after {:.0f} s", job.seconds);
    if (!killed.empty()) ::kill(child, SIGKILL);
    pollfd waiting[2] = {{output.read.number, POLLIN, 0}, {messages.read.number, POLLIN, 0}};
    if (::poll(waiting, 2, 100) <= 0) continue;
    if (waiting[0].revents != 0 && !read_some(output.read.number, printed)) output.read.close();
    if (waiting[1].revents != 0 && !read_some(messages.read.number, said)) messages.read.close();
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!killed.empty()) return Error{killed};
  if (WIFSIGNALED(status))
    return fail("ended by signal {}{}", WTERMSIG(status),
                WTERMSIG(status) == SIGKILL ? " (out of memory?)" : "");
  if (WEXITSTATUS(status) != 0)
    return Error{said.empty() ? fmt::format("ended with status {}", WEXITSTATUS(status)) : last_line(said)};
  return printed;
}

}  // namespace espalier::apps

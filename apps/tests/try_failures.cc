// Runs a command again and again, each time with another call of one function of the C library failing
// (failing_calls.cc), and checks what the command promises then: it ends with status 1 and a message; its
// output file is the older one or the complete new one, never a part; nothing else is left in the folder.
// Tested in apps/tests/failures_test.sh.
//
//   try_failures OPTIONS -- COMMAND...
//
//     --shim FILE     the library that makes calls fail
//     --call NAME     write, fsync, rename, mmap, malloc, thread, read, close
//     --out FILE      the command's output file in the current folder; - for standard output
//     --old FILE      what the output file is before each run; without it there is none
//     --on            all calls after the failing one fail, too
//     --tries N       at most N runs: the first calls, then a geometric series of later ones; default: every
//     call
//
// Where memory or a mapping fails, success is allowed if the output is right: some allocations are only for
// speed. Output to standard output may end early but must be a prefix of the right one. The command must be
// deterministic.
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace {

struct Request {
  std::string shim, call, out, old;
  bool on = false;
  long tries = 0;
  std::vector<std::string> command;
};

constexpr const char* kOutFile = "failures.stdout";
constexpr const char* kErrFile = "failures.stderr";
constexpr const char* kReportFile = "failures.report";
constexpr unsigned kSecondsPerRun = 120;

std::optional<std::string> contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
}

std::set<std::string> files_here() {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(".")) names.insert(entry.path().filename());
  return names;
}

struct Run {
  int status = 0;  ///< as wait() gives it
  long calls = 0, failures = 0;
  std::string said, printed;
};

Run run(const Request& request, long at) {
  std::vector<std::string> words = {"LD_PRELOAD=" + request.shim, "ESPALIER_FAIL_CALL=" + request.call,
                                    "ESPALIER_FAIL_AT=" + std::to_string(at),
                                    std::string("ESPALIER_FAIL_ON=") + (request.on ? "1" : "0"),
                                    std::string("ESPALIER_FAIL_REPORT=") + kReportFile};
  for (char** word = environ; *word != nullptr; ++word) words.push_back(*word);
  std::vector<char*> environment, arguments;
  for (std::string& word : words) environment.push_back(word.data());
  environment.push_back(nullptr);
  std::vector<std::string> command = request.command;
  for (std::string& word : command) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  std::remove(kReportFile);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, 1, kOutFile, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  ::posix_spawn_file_actions_addopen(&actions, 2, kErrFile, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  pid_t child = 0;
  const int error =
      ::posix_spawn(&child, arguments[0], &actions, nullptr, arguments.data(), environment.data());
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    std::fprintf(stderr, "try_failures: cannot start %s\n", arguments[0]);
    std::exit(2);
  }
  static pid_t running;
  running = child;
  ::signal(SIGALRM, [](int) { ::kill(running, SIGKILL); });
  ::alarm(kSecondsPerRun);
  Run result;
  while (::waitpid(child, &result.status, 0) < 0) {
  }
  ::alarm(0);
  std::ifstream(kReportFile) >> result.calls >> result.failures;
  result.said = contents(kErrFile).value_or("");
  result.printed = contents(kOutFile).value_or("");
  return result;
}

/// What the command left, compared with what it must leave.
class Judge {
 public:
  explicit Judge(const Request& request) : request_(request) {
    if (!request.old.empty()) old_ = contents(request.old);
    restore();
    sound_ = run(request, 0);
    if (!WIFEXITED(sound_.status) || WEXITSTATUS(sound_.status) != 0) {
      std::fprintf(stderr, "try_failures: the command fails by itself:\n%s", sound_.said.c_str());
      std::exit(2);
    }
    if (to_file()) new_ = contents(request.out);
    if (to_file() && !new_) {
      std::fprintf(stderr, "try_failures: the command does not write '%s'\n", request.out.c_str());
      std::exit(2);
    }
    restore();
    files_ = files_here();
  }

  long calls() const { return sound_.calls; }

  /// What is wrong after a run in which call `at` failed; empty if nothing is.
  std::string fault_at(long at) {
    const Run seen = run(request_, at);
    std::string fault = fault_of(seen);
    if (fault.empty()) {
      ++(seen.failures == 0 ? missed : WEXITSTATUS(seen.status) == 0 ? harmless : refused);
    }
    for (const std::string& name : files_here())
      if (!files_.contains(name) && name != request_.out) {
        fault += "left behind: " + name + "; ";
        std::filesystem::remove_all(name);
      }
    restore();
    return fault;
  }

  long refused = 0, harmless = 0, missed = 0;

 private:
  bool to_file() const { return request_.out != "-"; }

  std::string fault_of(const Run& seen) const {
    const std::string said = seen.said.substr(0, 200);
    if (WIFSIGNALED(seen.status)) {
      const int number = WTERMSIG(seen.status);
      return (number == SIGKILL ? "did not end" : "ended by signal " + std::to_string(number)) + ": " + said;
    }
    const int status = WEXITSTATUS(seen.status);
    const std::optional<std::string> now = to_file() ? contents(request_.out) : seen.printed;
    if (status == 0) {
      const bool may_succeed = request_.call != "write" && request_.call != "fsync" &&
                               request_.call != "rename" && request_.call != "thread";
      if (seen.failures > 0 && !may_succeed) return "status 0 although the call failed";
      if (now != (to_file() ? new_ : sound_.printed)) return "status 0, but the output is wrong";
      return "";
    }
    if (status != 1) return "status " + std::to_string(status) + ": " + said;
    if (seen.said.find("espalier: ") == std::string::npos) return "no message: " + said;
    if (!to_file())
      return sound_.printed.starts_with(*now) ? "" : "the output is not the beginning of the right one";
    if (now == old_ || now == new_) return "";
    return now ? "the output file is neither the old nor the new one" : "the old output file is lost";
  }

  void restore() {
    if (!to_file() || contents(request_.out) == old_) return;
    std::filesystem::remove_all(request_.out);
    if (old_) std::ofstream(request_.out, std::ios::binary) << *old_;
  }

  const Request& request_;
  Run sound_;
  std::optional<std::string> old_, new_;
  std::set<std::string> files_;
};

/// Which of `calls` calls to try: all; or a quarter of `tries` at the beginning, a quarter at the end, the
/// rest evenly between them.
std::vector<long> numbers(long calls, long tries) {
  std::set<long> chosen;
  const long dense = tries == 0 ? calls : std::max(1L, tries / 4);
  for (long n = 1; n <= calls && n <= dense; ++n) {
    chosen.insert(n);
    chosen.insert(calls + 1 - n);
  }
  const long rest = tries - 2 * dense;
  for (long i = 1; i <= rest; ++i)
    chosen.insert(std::clamp(dense + i * (calls - 2 * dense) / (rest + 1), 1L, calls));
  return {chosen.begin(), chosen.end()};
}

Request parse(int argc, char** argv) {
  Request request;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--") {
      request.command.assign(argv + i + 1, argv + argc);
      return request;
    }
    if (word == "--on") {
      request.on = true;
      continue;
    }
    const std::string value = i + 1 < argc ? argv[++i] : "";
    if (word == "--shim") request.shim = value;
    if (word == "--call") request.call = value;
    if (word == "--out") request.out = value;
    if (word == "--old") request.old = value;
    if (word == "--tries") request.tries = std::atol(value.c_str());
  }
  return request;
}

}  // namespace

int main(int argc, char** argv) {
  const Request request = parse(argc, argv);
  if (request.command.empty() || request.shim.empty() || request.call.empty() || request.out.empty()) {
    std::fprintf(stderr, "usage: try_failures --shim FILE --call NAME --out FILE [options] -- COMMAND...\n");
    return 2;
  }
  Judge judge(request);
  long faults = 0;
  const std::vector<long> tried = numbers(judge.calls(), request.tries);
  for (const long n : tried) {
    const std::string fault = judge.fault_at(n);
    if (fault.empty()) continue;
    if (++faults <= 10) std::printf("  FAULT at %s %ld: %s\n", request.call.c_str(), n, fault.c_str());
  }
  std::printf("%s%s: %ld calls, %zu tried: %ld refused, %ld harmless, %ld not reached, %ld faults\n",
              request.call.c_str(), request.on ? " and all after" : "", judge.calls(), tried.size(),
              judge.refused, judge.harmless, judge.missed, faults);
  return faults > 0 || tried.empty() ? 1 : 0;
}

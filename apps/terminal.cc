#include "apps/terminal.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <new>
#include <nlohmann/json.hpp>
#include <system_error>

#include "espalier/base/files/atomic_file.h"
#include "espalier/base/files/input.h"
#include "espalier/base/files/unfinished_files.h"

namespace espalier::apps {
namespace {

/// 0, or the error number.
int write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(descriptor, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno;
    text.remove_prefix(static_cast<size_t>(count));
  }
  return 0;
}

}  // namespace

namespace {
bool silent = false;
}
void be_silent() { silent = true; }
bool is_silent() { return silent; }

Status print(std::string_view text) {
  if (silent) return {};
  const int code = write_all(STDOUT_FILENO, text);
  if (code != 0) return fail("cannot write 'standard output': {}", std::generic_category().message(code));
  return {};
}

Status print_json(const Json& object) { return print(json_text(object, 2) + "\n"); }

bool in_colour(Stream stream) {
  const char* const refused = std::getenv("NO_COLOR");  // https://no-color.org: set and not empty
  const char* const terminal = std::getenv("TERM");
  if (refused != nullptr && *refused != '\0') return false;
  if (terminal == nullptr || std::string_view(terminal) == "dumb") return false;
  return ::isatty(stream == Stream::kOutput ? STDOUT_FILENO : STDERR_FILENO) != 0;
}

void say(std::string_view line) {
  if (silent) return;
  constexpr std::string_view kName = "espalier:", kWarning = " warning:";
  std::string text;
  if (line.starts_with(kName) && in_colour(Stream::kMessages)) {
    const std::string_view rest = line.substr(kName.size());
    const bool warning = rest.starts_with(kWarning);
    text = fmt::format("\x1b[1;{}m{}\x1b[0m{}", warning ? 33 : 31, warning ? "espalier: warning:" : kName,
                       warning ? rest.substr(kWarning.size()) : rest);
  } else {
    text = line;
  }
  text.push_back('\n');
  (void)write_all(STDERR_FILENO, text);
}

namespace {
/// The first byte of the character that the byte belongs to.
size_t start_of_character(std::string_view text, size_t byte) {
  while (byte > 0 && (static_cast<unsigned char>(text[byte]) & 0xC0) == 0x80) --byte;
  return byte;
}
}  // namespace

/// Words that are longer than any line lose their middle, so that what is said about them is still read.
std::string shortened_message(std::string_view message) {
  constexpr size_t kMost = 1000, kLongestWord = 250, kFirst = 120, kLast = 40;
  std::string text;
  while (!message.empty()) {
    const size_t space = std::min(message.find(' '), message.size() - 1);
    const std::string_view word = message.substr(0, space + 1);
    if (word.size() <= kLongestWord) {
      text += word;
    } else {
      text += word.substr(0, start_of_character(word, kFirst));
      text += "…";
      text += word.substr(start_of_character(word, word.size() - kLast));
    }
    message.remove_prefix(word.size());
  }
  if (text.size() <= kMost) return text;
  text.resize(start_of_character(text, kMost));
  return text + "…";
}

bool output_reader_has_gone() {
  pollfd output{STDOUT_FILENO, POLLOUT, 0};
  return ::poll(&output, 1, 0) > 0 && (output.revents & (POLLERR | POLLHUP)) != 0;
}

size_t terminal_width() {
  if (::isatty(STDERR_FILENO) == 0) return 0;
  winsize size{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

std::string duration_text(double seconds) {
  if (!(seconds >= 0)) return "?";
  if (seconds < 9.95) return fmt::format("{:.{}f} s", seconds, seconds < 0.0995 ? 3 : 1);
  const auto whole = static_cast<uint64_t>(std::llround(std::min(seconds, 1e15)));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole % 3600 / 60);
}

std::string bytes_text(double bytes) {
  constexpr std::string_view kUnits[] = {"B", "KB", "MB", "GB", "TB"};
  size_t unit = 0;
  // 999.5 would be printed as 1000: it belongs to the next unit.
  while (bytes >= 999.5 && unit + 1 < std::size(kUnits)) {
    bytes /= 1000;
    ++unit;
  }
  const int digits = unit == 0 || bytes >= 99.95 ? 0 : bytes >= 9.995 ? 1 : 2;
  return fmt::format("{:.{}f} {}", bytes, digits, kUnits[unit]);
}

Result<uint64_t> parse_size(std::string_view text) {
  constexpr std::string_view kUnits = "KMGT";
  std::string_view digits = text;
  if (digits.size() > 1 && (digits.back() == 'B' || digits.back() == 'b')) digits.remove_suffix(1);
  double factor = 1;
  if (!digits.empty()) {
    const size_t unit =
        kUnits.find(static_cast<char>(std::toupper(static_cast<unsigned char>(digits.back()))));
    if (unit != std::string_view::npos) {
      factor = std::pow(1000.0, static_cast<double>(unit + 1));
      digits.remove_suffix(1);
    }
  }
  const auto number = parse_number(digits);
  constexpr double kMost = 1e18;
  if (!number.ok() || !std::isfinite(*number) || *number < 0 || *number * factor > kMost)
    return fail("'{}' is not a size; write 512M or 2G", text);
  return static_cast<uint64_t>(*number * factor);
}

Result<std::string> read_text(const std::string& path) { return read_text_file(path); }

Status write_text(const std::string& path, std::string_view text) {
  ESPALIER_ASSIGN(AtomicFile file, AtomicFile::open(path));
  ESPALIER_TRY(file.write(text));
  return file.commit();
}

namespace {

[[noreturn]] void end_at_once(std::string_view message) {
  remove_unfinished_files();
  (void)!::write(STDERR_FILENO, message.data(), message.size());
  ::_exit(1);
}

/// A signal handler: only what is safe in one.
void on_lost_pages(int) {
  end_at_once(
      "espalier: a file that was being read was cut short by another program; start again with the whole "
      "file\n");
}

/// Libraries allocate in destructors, JSON's for example, where running out of memory cannot be reported
/// otherwise.
void on_terminate() {
  try {
    if (const std::exception_ptr thrown = std::current_exception()) std::rethrow_exception(thrown);
  } catch (const std::bad_alloc&) {
    end_at_once("espalier: not enough memory\n");
  } catch (...) {
    // A defect, as without any exception.
  }
  constexpr std::string_view kMessage =
      "espalier: this is a defect in espalier, not in your data; please report it\n";
  (void)!::write(STDERR_FILENO, kMessage.data(), kMessage.size());
  remove_unfinished_files();
  std::abort();  // with the core that whoever mends it needs
}

std::atomic<bool> memory_ran_out = false;

/// What operator new calls where there is no memory.
void on_no_memory() {
  memory_ran_out = true;
  throw std::bad_alloc();
}

/// A signal handler. Where memory runs out, the C library aborts when it cannot note that an object of a
/// thread must be destroyed, and JSON when a value became an object without one. Everything else is a defect,
/// and abort() goes on when this returns.
void on_abort(int) {
  if (memory_ran_out || errno == ENOMEM) end_at_once("espalier: not enough memory\n");
  remove_unfinished_files();
}

}  // namespace

void expect_sudden_ends() {
  ::signal(SIGBUS, on_lost_pages);
  ::signal(SIGABRT, on_abort);
  std::set_new_handler(on_no_memory);
  std::set_terminate(on_terminate);
}

size_t peak_resident_bytes() {
  // Not getrusage alone: its figure starts from that of the process that called exec.
  std::ifstream status("/proc/self/status");
  constexpr std::string_view kKey = "VmHWM:";
  for (std::string line; std::getline(status, line);) {
    if (!line.starts_with(kKey)) continue;
    const size_t digit = line.find_first_of("0123456789");
    size_t kilobytes = 0;
    if (digit != line.npos &&
        std::from_chars(line.data() + digit, line.data() + line.size(), kilobytes).ec == std::errc())
      return kilobytes * 1024;
  }
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<size_t>(usage.ru_maxrss) * 1024;
}

std::string named_twice(const std::vector<std::string>& files) {
  std::error_code none;
  for (size_t i = 0; i < files.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      if (files[i] != "-" && std::filesystem::is_regular_file(files[i], none) &&
          std::filesystem::equivalent(files[i], files[j], none))
        return files[i];
  return {};
}

void warn_of_repeats(const std::vector<std::string>& files) {
  if (const std::string twice = named_twice(files); !twice.empty())
    say(fmt::format("espalier: warning: '{}' is given twice, so that its sequences count twice", twice));
}

Status check_no_input(const std::string& output, const std::vector<std::string>& inputs) {
  if (output.empty() || output == "-") return {};
  for (const std::string& input : inputs) {
    std::error_code none;
    if (!input.empty() && input != "-" && std::filesystem::is_regular_file(output, none) &&
        std::filesystem::equivalent(input, output, none))
      return fail("'{}' is both an input and a file to be written; nothing was done", output);
  }
  return {};
}

}  // namespace espalier::apps

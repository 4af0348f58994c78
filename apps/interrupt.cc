#include "apps/interrupt.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "apps/command.h"

namespace espalier::apps {
namespace {

constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP};

// A signal handler can only use globals.
std::atomic<bool> stop_wanted{false};
std::atomic<int> signal_seen{0};
std::atomic<int> empty_input{-1};  ///< a descriptor of /dev/null, or -1 to leave standard input alone
bool installed = false;
std::array<struct sigaction, kSignals.size()> actions_before;

static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free);

void on_signal(int number) {
  const int error_number = errno;
  stop_wanted.store(true, std::memory_order_relaxed);
  signal_seen.store(number, std::memory_order_relaxed);
  // A read that this signal interrupts is repeated by its caller, and then finds the end of the file.
  if (const int empty = empty_input.load(std::memory_order_relaxed); empty >= 0) ::dup2(empty, STDIN_FILENO);
  errno = error_number;
}

}  // namespace

InterruptGuard::InterruptGuard(Input input) {
  ESPALIER_CHECK(!installed);
  installed = true;
  stop_wanted = false;
  signal_seen = 0;
  empty_input = input == Input::kEnd ? ::open("/dev/null", O_RDONLY | O_CLOEXEC) : -1;
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  ::sigemptyset(&action.sa_mask);
  for (size_t i = 0; i < kSignals.size(); ++i) {
    ::sigaction(kSignals[i], nullptr, &actions_before[i]);
    // Under nohup, SIGHUP stays ignored. An ignored SIGINT does not: shell scripts start background jobs with
    // SIGINT ignored, and a SIGINT sent to one of them is meant to stop it.
    if (kSignals[i] == SIGHUP && actions_before[i].sa_handler == SIG_IGN) continue;
    ::sigaction(kSignals[i], &action, nullptr);
  }
}

InterruptGuard::~InterruptGuard() {
  for (size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &actions_before[i], nullptr);
  if (const int empty = empty_input.exchange(-1); empty >= 0) ::close(empty);
  installed = false;
}

const std::atomic<bool>* InterruptGuard::flag() const { return &stop_wanted; }
int InterruptGuard::signal() const { return signal_seen; }

}  // namespace espalier::apps

#include "apps/interrupt.h"

#include <pthread.h>

#include <array>
#include <cerrno>
#include <system_error>

#include "apps/command.h"

namespace espalier::apps {
namespace {

constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP};
/// Sent between our own threads, to end a wait. By default it does nothing.
constexpr int kWake = SIGURG;

// A signal handler can only use globals.
std::atomic<bool> stop_wanted{false};
std::atomic<int> signal_seen{0};
bool installed = false;
std::array<struct sigaction, kSignals.size()> actions_before;
struct sigaction wake_before;

static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free);

/// Ends the process as the signal does where nobody listens.
void end_by(int number) {
  struct sigaction usual {};
  usual.sa_handler = SIG_DFL;
  ::sigaction(number, &usual, nullptr);
  sigset_t one;
  ::sigemptyset(&one);
  ::sigaddset(&one, number);
  ::pthread_sigmask(SIG_UNBLOCK, &one, nullptr);
  ::raise(number);
}

/// The first signal is a request to stop, the second the end.
void heed(int number) {
  int none = 0;
  if (!signal_seen.compare_exchange_strong(none, number)) return end_by(number);
  stop_wanted = true;
}

void on_signal(int number) {
  const int error_number = errno;
  heed(number);
  errno = error_number;
}

void on_wake(int) {}

/// Those that are not ignored on purpose: under nohup, SIGHUP stays ignored. An ignored SIGINT does not:
/// shell scripts start background jobs with SIGINT ignored, and a SIGINT sent to one of them is meant to stop
/// it.
sigset_t signals_to_heed() {
  sigset_t set;
  ::sigemptyset(&set);
  for (size_t i = 0; i < kSignals.size(); ++i)
    if (kSignals[i] != SIGHUP || actions_before[i].sa_handler != SIG_IGN) ::sigaddset(&set, kSignals[i]);
  return set;
}

/// Handlers are for threads that block nothing: those that a library starts when it is loaded, or MPI.
void install(const sigset_t& heeded) {
  installed = true;
  struct sigaction action {};
  ::sigemptyset(&action.sa_mask);
  action.sa_handler = on_wake;  // without SA_RESTART: calls that wait return
  ::sigaction(kWake, &action, &wake_before);
  action.sa_handler = on_signal;
  for (const int number : kSignals)
    if (::sigismember(&heeded, number) == 1) ::sigaction(number, &action, nullptr);
}

void uninstall(const sigset_t& mask_before) {
  for (size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &actions_before[i], nullptr);
  ::sigaction(kWake, &wake_before, nullptr);
  ::pthread_sigmask(SIG_SETMASK, &mask_before, nullptr);
  installed = false;
}

}  // namespace

InterruptGuard::InterruptGuard() {
  ESPALIER_CHECK(!installed);
  stop_wanted = false;
  signal_seen = 0;
  for (size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], nullptr, &actions_before[i]);
  const sigset_t heeded = signals_to_heed();
  ::pthread_sigmask(SIG_BLOCK, &heeded, &mask_before_);
  install(heeded);
  try {
    watcher_ = std::thread([this, heeded, caller = ::pthread_self()] {
      sigset_t awaited = heeded;
      ::sigaddset(&awaited, kWake);
      ::pthread_sigmask(SIG_BLOCK, &awaited, nullptr);
      while (!ending_) {
        int number = 0;
        if (::sigwait(&awaited, &number) != 0 || number == kWake) continue;
        heed(number);
        ::pthread_kill(caller, kWake);  // it may wait for input
      }
    });
  } catch (const std::system_error& error) {
    uninstall(mask_before_);
    throw std::system_error(error.code(), "cannot start a thread that waits for signals");
  }
}

InterruptGuard::~InterruptGuard() {
  ending_ = true;
  ::pthread_kill(watcher_.native_handle(), kWake);
  watcher_.join();
  uninstall(mask_before_);
}

const std::atomic<bool>* InterruptGuard::flag() const { return &stop_wanted; }
int InterruptGuard::signal() const { return signal_seen; }

}  // namespace espalier::apps

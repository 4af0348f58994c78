#include "espalier/base/files/wait_scope.h"

#include <poll.h>

#include <cerrno>
#include <chrono>
#include <thread>

namespace espalier {
namespace {

/// How often a wait looks whether it is still wanted.
constexpr std::chrono::milliseconds kMoment(100);

bool wait_for(int file, short event) {
  while (true) {
    pollfd waiting{file, event, 0};
    const int ready = ::poll(&waiting, 1, WaitScope::present() ? static_cast<int>(kMoment.count()) : -1);
    if (ready > 0 || (ready < 0 && errno != EINTR)) return true;
    if (WaitScope::wanted()) return false;
  }
}

}  // namespace

bool wait_until_readable(int file) { return wait_for(file, POLLIN); }
bool wait_until_writable(int file) { return wait_for(file, POLLOUT); }
void wait_a_moment() { std::this_thread::sleep_for(kMoment); }

}  // namespace espalier

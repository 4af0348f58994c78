#include "espalier/linear/run_until_stopped.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>

namespace espalier::linear {
namespace {

TEST(RunUntilStopped, ReturnsWhatTheWorkReturns) {
  std::atomic<bool> stop = false;
  Monitor monitor;
  EXPECT_EQ(run_until_stopped<int>(monitor, [] { return 7; }), 7);  // nobody can stop it
  monitor.stop = &stop;
  EXPECT_EQ(run_until_stopped<int>(monitor, [] { return 8; }), 8);
}

TEST(RunUntilStopped, DoesNotWaitForWorkThatIsStopped) {
  struct Gate {
    std::atomic<bool> begun = false, open = false, ended = false;
  };
  const auto gate = std::make_shared<Gate>();
  std::atomic<bool> stop = false;
  Monitor monitor;
  monitor.stop = &stop;
  std::thread somebody([&] {
    while (!gate->begun) std::this_thread::yield();
    stop = true;
  });
  const auto result = run_until_stopped<int>(monitor, [gate] {
    gate->begun = true;
    while (!gate->open) std::this_thread::yield();
    gate->ended = true;
    return 1;
  });
  EXPECT_FALSE(result);
  EXPECT_FALSE(gate->ended);
  gate->open = true;  // it ends by itself, with what it owns
  while (!gate->ended) std::this_thread::yield();
  somebody.join();
}

TEST(RunUntilStopped, ThrowsWhatTheWorkThrows) {
  std::atomic<bool> stop = false;
  Monitor monitor;
  monitor.stop = &stop;
  EXPECT_THROW(run_until_stopped<int>(monitor, []() -> int { throw std::runtime_error("no"); }),
               std::runtime_error);
}

}  // namespace
}  // namespace espalier::linear

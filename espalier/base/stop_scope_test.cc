#include "espalier/base/stop_scope.h"

#include <gtest/gtest.h>

#include <thread>

#include "espalier/base/deadline.h"

namespace espalier {
namespace {

TEST(StopScopeTest, OnlyWorkInsideIsToldAndOnlyOnceTheMonitorAsks) {
  std::atomic<bool> stop{true};
  Monitor monitor;
  monitor.stop = &stop;
  EXPECT_FALSE(StopScope::wanted());
  {
    const StopScope scope(monitor);
    EXPECT_FALSE(scope.told());  // nobody has asked
    EXPECT_TRUE(StopScope::wanted());
    EXPECT_TRUE(scope.told());
    const Monitor other;
    const StopScope inner(other);
    EXPECT_FALSE(StopScope::wanted());
    EXPECT_FALSE(inner.told());
    bool elsewhere = true;
    std::thread([&] { elsewhere = StopScope::wanted(); }).join();
    EXPECT_FALSE(elsewhere);
  }
  EXPECT_FALSE(StopScope::wanted());
}

TEST(StopScopeTest, DeadlinesPassAtAStop) {
  std::atomic<bool> stop{false};
  Monitor monitor;
  monitor.stop = &stop;
  const StopScope scope(monitor);
  const Deadline never, later = Deadline::after(1000);
  EXPECT_FALSE(never.passed());
  EXPECT_FALSE(later.passed());
  EXPECT_GT(later.left(), 900);
  stop = true;
  EXPECT_TRUE(never.passed());
  EXPECT_TRUE(later.passed());
  EXPECT_EQ(later.left(), 0);
  EXPECT_EQ(never.left(), 0);
  EXPECT_TRUE(scope.told());
}

}  // namespace
}  // namespace espalier

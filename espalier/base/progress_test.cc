#include "espalier/base/progress.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace espalier {
namespace {

TEST(Monitor, ADefaultOneIsSilentAndNeverStops) {
  const Monitor monitor;
  monitor.report({});
  EXPECT_FALSE(monitor.stop_requested());
}

TEST(Monitor, PassesReportsOnAndSeesTheWishToStop) {
  std::vector<std::string> phases;
  std::atomic<bool> stop = false;
  const Monitor monitor{[&](const Progress& progress) { phases.push_back(progress.phase); }, &stop};
  Progress progress;
  progress.phase = "reading";
  monitor.report(progress);
  EXPECT_EQ(phases, std::vector<std::string>{"reading"});
  EXPECT_FALSE(monitor.stop_requested());
  stop = true;
  EXPECT_TRUE(monitor.stop_requested());
}

}  // namespace
}  // namespace espalier

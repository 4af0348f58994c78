#include "apps/free_memory.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <memory>
#include <thread>
#include <vector>

namespace espalier::apps {
namespace {

size_t resident_bytes() {
  size_t all = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> all >> resident;
  return resident * static_cast<size_t>(::sysconf(_SC_PAGESIZE));
}

TEST(FreeMemory, GoesBackWhileTrainingReports) {
#if !defined(__GLIBC__) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "not the allocator of glibc";
#endif
  // 100 MB in pieces, of which one in a hundred stays in use.
  std::vector<std::unique_ptr<std::vector<char>>> pieces;
  for (size_t i = 0; i < 100'000; ++i) pieces.push_back(std::make_unique<std::vector<char>>(1000, 'x'));
  for (size_t i = 0; i < pieces.size(); ++i)
    if (i % 100 != 0) pieces[i].reset();
  const size_t before = resident_bytes();
  size_t passed_on = 0;
  const auto report = returning_free_memory([&](const Progress&) {
    ++passed_on;
    return passed_on < 3;
  });
  EXPECT_TRUE(report(Progress()));
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));  // once per second is enough
  EXPECT_TRUE(report(Progress()));
  EXPECT_LT(resident_bytes() + 80'000'000, before);
  EXPECT_FALSE(report(Progress()));
  EXPECT_EQ(passed_on, 3u);
  EXPECT_TRUE(returning_free_memory()(Progress()));
}

TEST(FreeMemory, LargePiecesGoBackAtOnce) {
#if !defined(__GLIBC__) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "not the allocator of glibc";
#endif
  const auto report = returning_free_memory();
  std::vector<char>(20'000'000, 'x').clear();
  const std::vector<char> pin(100'000, 'x');
  auto large = std::make_unique<std::vector<char>>(10'000'000, 'x');
  const std::vector<char> above(100'000, 'x');
  const size_t before = resident_bytes();
  large.reset();
  EXPECT_LT(resident_bytes() + 9'000'000, before);
}

}  // namespace
}  // namespace espalier::apps

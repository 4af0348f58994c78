#include "espalier/base/files/scratch_memory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <thread>

namespace espalier {
namespace {

size_t resident_files() {
  unsigned long long size = 0, all = 0, files = 0;
  FILE* const statm = std::fopen("/proc/self/statm", "r");
  const int read = statm == nullptr ? 0 : std::fscanf(statm, "%llu %llu %llu", &size, &all, &files);
  if (statm != nullptr) std::fclose(statm);
  return read == 3 ? files * 4096 : 0;
}

TEST(ScratchMemory, KeepsValuesWhenItsPagesLeave) {
  const auto memory = std::make_shared<ScratchMemory>(size_t{1} << 40);
  StoredVector<uint64_t> numbers(memory);
  numbers.resize(4'000'000);
  std::iota(numbers.begin(), numbers.end(), uint64_t{7});
  const size_t before = resident_files();
  memory->drop_pages();
  EXPECT_LT(resident_files() + (size_t{24} << 20), before) << "32 MB were resident";
  for (size_t i = 0; i < numbers.size(); ++i) ASSERT_EQ(numbers[i], i + 7);
}

TEST(ScratchMemory, PagesLeaveByThemselvesAboveTheLimit) {
  const auto memory = std::make_shared<ScratchMemory>(1);  // always above it
  StoredVector<uint8_t> bytes(memory);
  const size_t before = resident_files();
  bytes.resize(size_t{64} << 20, 5);
  // However busy the machine is, the thread that watches gets its turn.
  for (int look = 0; look < 3000 && resident_files() > before + (size_t{16} << 20); ++look)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_LE(resident_files(), before + (size_t{16} << 20));
  EXPECT_EQ(std::count(bytes.begin(), bytes.end(), uint8_t{5}), std::ptrdiff_t{64} << 20);
}

TEST(ScratchMemory, PagesStayBelowTheLimit) {
  const auto memory = std::make_shared<ScratchMemory>(size_t{1} << 40);
  StoredVector<uint8_t> bytes(memory);
  const size_t before = resident_files();
  bytes.resize(size_t{64} << 20, 5);
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_GE(resident_files(), before + (size_t{60} << 20));
}

TEST(ScratchMemory, VectorsGrowMoveAndCopyInIt) {
  const auto memory = std::make_shared<ScratchMemory>(size_t{1} << 40);
  StoredVector<uint32_t> grown(memory);
  for (uint32_t i = 0; i < 100'000; ++i) grown.push_back(i);
  StoredVector<uint32_t> ordinary;
  ordinary = grown;  // takes the memory along
  EXPECT_EQ(ordinary.get_allocator().memory, memory);
  StoredVector<uint32_t> moved;
  moved = std::move(grown);
  EXPECT_EQ(moved, ordinary);
  EXPECT_EQ(moved[99'999], 99'999u);
}

TEST(ScratchMemory, SaysThatADiskIsTooSmall) {
  const auto memory = std::make_shared<ScratchMemory>(size_t{1} << 40);
  StoredVector<uint8_t> bytes(memory);
  try {
    bytes.reserve(size_t{1} << 58);
    FAIL() << "there is no such disk";
  } catch (const ScratchFailure& failure) {
    EXPECT_NE(std::string(failure.what()).find("TMPDIR"), std::string::npos) << failure.what();
  }
  EXPECT_TRUE(bytes.empty());
}

}  // namespace
}  // namespace espalier

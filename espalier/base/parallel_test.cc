#include "espalier/base/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "espalier/base/random.h"

namespace espalier {
namespace {

class WorkersAtThreads : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Threads, WorkersAtThreads, ::testing::Values(1, 2, 4),
                         [](const auto& test) { return std::to_string(test.param); });

TEST_P(WorkersAtThreads, EveryPieceRunsOnce) {
  const Workers workers(GetParam());
  EXPECT_EQ(workers.threads(), GetParam());
  for (const size_t pieces : {0, 1, 2, 3, 64, 1000}) {
    std::vector<std::atomic<int>> runs(pieces);
    workers.for_each(pieces, [&](size_t i) { ++runs.at(i); });
    for (size_t i = 0; i < pieces; ++i) EXPECT_EQ(runs[i], 1) << i << " of " << pieces;
  }
}

TEST_P(WorkersAtThreads, SumsInTheOrderOfPiecesAreTheSameToTheBit) {
  const auto sum = [](int threads) {
    std::vector<float> parts(37);
    Workers(threads).for_each(parts.size(), [&](size_t piece) {
      Random random = Random(1).split(piece);
      for (int i = 0; i < 1000; ++i) parts[piece] += static_cast<float>(random.gaussian());
    });
    float total = 0;
    for (const float part : parts) total += part;
    return total;
  };
  EXPECT_EQ(sum(GetParam()), sum(1));
}

TEST_P(WorkersAtThreads, AnExceptionComesOutAndTheWorkersGoOn) {
  const Workers workers(GetParam());
  std::atomic<int> running = 0;
  const auto throwing = [&](size_t i) {
    ++running;
    if (i == 13) {
      --running;
      throw std::runtime_error("thirteen");
    }
    std::this_thread::sleep_for(std::chrono::microseconds(200));
    --running;
  };
  try {
    workers.for_each(50, throwing);
    FAIL() << "nothing thrown";
  } catch (const std::runtime_error& e) {
    EXPECT_STREQ(e.what(), "thirteen");
    EXPECT_EQ(running, 0) << "a piece was still running";
  }
  std::atomic<int> count = 0;
  workers.for_each(50, [&](size_t) { ++count; });
  EXPECT_EQ(count, 50);
}

TEST_P(WorkersAtThreads, PiecesMayCallForEachThemselves) {
  const Workers workers(GetParam());
  std::vector<std::atomic<int>> runs(64);
  workers.for_each(8, [&](size_t i) { workers.for_each(8, [&](size_t j) { ++runs[8 * i + j]; }); });
  for (const auto& count : runs) EXPECT_EQ(count, 1);
}

TEST_P(WorkersAtThreads, MayBeMoved) {
  Workers first(GetParam());
  Workers second(1);
  second = std::move(first);
  std::atomic<int> count = 0;
  second.for_each(20, [&](size_t) { ++count; });
  EXPECT_EQ(count, 20);
  EXPECT_EQ(second.threads(), GetParam());
}

TEST(Workers, OneThreadIsTheCallersAndKeepsTheOrder) {
  std::vector<size_t> order;
  const auto caller = std::this_thread::get_id();
  Workers(1).for_each(10, [&](size_t i) {
    EXPECT_EQ(std::this_thread::get_id(), caller);
    order.push_back(i);
  });
  for (size_t i = 0; i < 10; ++i) EXPECT_EQ(order.at(i), i);
}

TEST(Workers, SeveralThreadsDoShareTheWork) {
  const Workers workers(4);
  std::mutex guard;
  std::set<std::thread::id> seen;
  workers.for_each(200, [&](size_t) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    const std::lock_guard lock(guard);
    seen.insert(std::this_thread::get_id());
  });
  EXPECT_GT(seen.size(), 1u);
  EXPECT_LE(seen.size(), 4u);
}

TEST(Workers, ManyShortLoopsInARowLoseNoPiece) {
  const Workers workers(4);
  std::vector<uint64_t> counts(5);
  for (int loop = 0; loop < 20'000; ++loop) workers.for_each(counts.size(), [&](size_t i) { ++counts[i]; });
  for (const uint64_t count : counts) EXPECT_EQ(count, 20'000u);
}

TEST(Workers, SleepingThreadsAreWokenAgain) {
  const Workers workers(3);
  for (int loop = 0; loop < 20; ++loop) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));  // longer than they look for work
    std::atomic<int> count = 0;
    workers.for_each(6, [&](size_t) { ++count; });
    EXPECT_EQ(count, 6);
  }
}

TEST(Workers, SeveralThreadsMayUseThemAtOnce) {
  const Workers workers(2);
  std::vector<std::atomic<int>> runs(400);
  std::vector<std::thread> callers;
  for (size_t c = 0; c < 4; ++c)
    callers.emplace_back([&, c] { workers.for_each(100, [&](size_t i) { ++runs[100 * c + i]; }); });
  for (std::thread& caller : callers) caller.join();
  for (const auto& count : runs) EXPECT_EQ(count, 1);
}

TEST(Workers, ZeroTakesEveryCore) {
  EXPECT_EQ(Workers(0).threads(), static_cast<int>(std::max(1u, std::thread::hardware_concurrency())));
}

TEST(PieceOf, PiecesCoverEverythingOnceAndEvenly) {
  for (const size_t n : {0, 1, 5, 64, 1000}) {
    for (const size_t pieces : {1, 2, 3, 7, 64}) {
      size_t next = 0;
      for (size_t piece = 0; piece < pieces; ++piece) {
        const Range range = piece_of(n, pieces, piece);
        EXPECT_EQ(range.first, next);
        EXPECT_GE(range.last - range.first, n / pieces);
        EXPECT_LE(range.last - range.first, (n + pieces - 1) / pieces);
        next = range.last;
      }
      EXPECT_EQ(next, n);
    }
  }
}

}  // namespace
}  // namespace espalier

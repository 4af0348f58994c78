#include "espalier/linear/encoding/feature_counter.h"

#include <gtest/gtest.h>

#include "espalier/base/random.h"
#include "espalier/linear/encoding/feature_collector.h"

namespace espalier::linear {
namespace {

std::vector<uint64_t> skewed_hashes(size_t n, Random& random) {
  std::vector<uint64_t> hashes;
  for (size_t i = 0; i < n; ++i)
    hashes.push_back(Random(random.below(random.below(2) == 0 ? 50 : 5000)).next());
  return hashes;
}

TEST(FeatureCounter, CountsAsTheCollectorDoesHoweverOftenItSpills) {
  for (const size_t bytes : {size_t{1}, size_t{400'000}, size_t{1} << 30})
    for (const uint32_t cutoff : {1u, 2u, 5u}) {
      Random random(cutoff);
      const Workers workers(2);
      FeatureCounter counter(bytes);
      FeatureCollector collector;
      for (int block = 0; block < 5; ++block) {
        const std::vector<uint64_t> hashes = skewed_hashes(4000, random);
        std::vector<uint32_t> numbers(hashes.size());
        ASSERT_TRUE(counter.add(hashes, workers).ok());
        collector.add(hashes, numbers.data(), workers, nullptr);
      }
      EXPECT_EQ(counter.runs() > 0, bytes == 1);
      const size_t distinct = collector.size();
      const FeatureCollector::Features expected = collector.finish(cutoff, workers);
      const auto counted = counter.finish(cutoff, distinct, workers);
      ASSERT_TRUE(counted.ok());
      EXPECT_EQ(counted->hashes, expected.hashes);
      EXPECT_EQ(counted->counts, expected.counts);
      EXPECT_EQ(counted->distinct, distinct);
      uint64_t occurrences = 0;
      for (const uint32_t count : expected.counts) occurrences += count;
      EXPECT_EQ(counted->occurrences, occurrences);
    }
}

TEST(FeatureCounter, SaysWhichCutOffLeavesFewEnough) {
  FeatureCounter counter(1);
  const Workers workers(1);
  std::vector<uint64_t> hashes;
  for (uint64_t i = 0; i < 30; ++i)
    hashes.insert(hashes.end(), 1 + i / 10, i * 0x9E3779B97F4A7C15ull);  // 10 × 1, 2, 3 times
  ASSERT_TRUE(counter.add(hashes, workers).ok());
  const auto counted = counter.finish(1, 25, workers);
  ASSERT_FALSE(counted.ok());
  EXPECT_EQ(counted.error().message,
            "30 features were seen 1 times or more, and the memory allowed is enough for 25; -p cutoff=2 "
            "leaves 20");
}

}  // namespace
}  // namespace espalier::linear

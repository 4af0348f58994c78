#include "espalier/linear/encoding/feature_collector.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "espalier/base/random.h"
#include "espalier/linear/encoding/feature_map.h"

namespace espalier::linear {
namespace {

/// Hashes as text has them: few frequent ones, many rare ones.
std::vector<uint64_t> zipf(uint64_t seed, size_t n) {
  Random random(seed);
  std::vector<uint64_t> hashes(n);
  for (uint64_t& h : hashes) h = Random(static_cast<uint64_t>(1 / (random.uniform() + 1e-4))).next();
  return hashes;
}

struct Collected {
  FeatureCollector::Features features;
  std::vector<uint32_t> numbers;  ///< final, of every hash added
};
Collected collect(const std::vector<uint64_t>& hashes, size_t block, int threads, uint32_t cutoff,
                  bool names) {
  const Workers workers(threads);
  FeatureCollector collector;
  Collected result;
  result.numbers.resize(hashes.size());
  for (size_t begin = 0; begin < hashes.size(); begin += block) {
    const size_t size = std::min(block, hashes.size() - begin);
    FeatureCollector::Namer namer;
    if (names)
      namer = [&, begin](std::span<const uint32_t> positions, FeatureCollector::Names& out) {
        for (const uint32_t i : positions) {
          out.text.append("f" + std::to_string(hashes[begin + i]));
          out.close();
        }
      };
    collector.add(std::span(hashes).subspan(begin, size), result.numbers.data() + begin, workers, namer);
  }
  result.features = collector.finish(cutoff);
  for (uint32_t& number : result.numbers) number = result.features.renumber[number];
  EXPECT_EQ(collector.size(), 0u);
  return result;
}

TEST(FeatureCollectorTest, CountsEveryHashAndNumbersByFallingCount) {
  const std::vector<uint64_t> hashes = zipf(1, 20000);
  std::map<uint64_t, uint32_t> counts;
  for (const uint64_t h : hashes) ++counts[h];
  const Collected c = collect(hashes, 3000, 1, 1, false);
  ASSERT_EQ(c.features.size(), counts.size());
  for (size_t f = 0; f < c.features.size(); ++f) {
    EXPECT_EQ(c.features.counts[f], counts[c.features.hashes[f]]);
    if (f > 0) {
      EXPECT_LE(c.features.counts[f], c.features.counts[f - 1]);
    }
  }
  for (size_t i = 0; i < hashes.size(); ++i) ASSERT_EQ(c.features.hashes[c.numbers[i]], hashes[i]);
}

TEST(FeatureCollectorTest, TiesGoToTheFirstSeen) {
  const Collected c = collect({50, 7, 9, 7, 50, 9, 1}, 100, 1, 1, false);
  EXPECT_EQ(c.features.hashes, (std::vector<uint64_t>{50, 7, 9, 1}));
}

TEST(FeatureCollectorTest, NumbersDoNotDependOnThreadsOrBlocks) {
  const std::vector<uint64_t> hashes = zipf(2, 30000);
  const Collected one = collect(hashes, 4096, 1, 2, true);
  for (const int threads : {2, 3}) {
    const Collected many = collect(hashes, 4096, threads, 2, true);
    EXPECT_EQ(many.features.hashes, one.features.hashes);
    EXPECT_EQ(many.features.names, one.features.names);
    EXPECT_EQ(many.numbers, one.numbers);
  }
  EXPECT_EQ(collect(hashes, 100, 2, 2, true).numbers, one.numbers);
}

TEST(FeatureCollectorTest, FeaturesBelowTheCutoffGo) {
  const Collected c = collect({5, 5, 5, 6, 6, 7}, 100, 1, 2, true);
  EXPECT_EQ(c.features.hashes, (std::vector<uint64_t>{5, 6}));
  EXPECT_EQ(c.features.counts, (std::vector<uint32_t>{3, 2}));
  EXPECT_EQ(c.features.names, "f5\nf6\n");
  EXPECT_EQ(c.numbers, (std::vector<uint32_t>{0, 0, 0, 1, 1, kNoFeature}));
}

TEST(FeatureCollectorTest, NamesBelongToTheirFeatures) {
  const std::vector<uint64_t> hashes = zipf(3, 5000);
  const Collected c = collect(hashes, 700, 2, 1, true);
  std::string expected;
  for (const uint64_t h : c.features.hashes) expected += "f" + std::to_string(h) + "\n";
  EXPECT_EQ(c.features.names, expected);
  EXPECT_TRUE(collect(hashes, 700, 2, 1, false).features.names.empty());
}

TEST(FeatureCollectorTest, GrowsPastItsFirstTable) {
  std::vector<uint64_t> hashes(200000);
  Random random(4);
  for (uint64_t& h : hashes) h = random.next();
  const Collected c = collect(hashes, 1 << 15, 2, 1, false);
  EXPECT_EQ(c.features.size(), hashes.size());
  EXPECT_EQ(c.features.hashes, hashes) << "all seen once, in order of appearance";
}

TEST(FeatureCollectorTest, NothingAddedIsNothingFound) {
  FeatureCollector collector;
  EXPECT_EQ(collector.finish(1).size(), 0u);
}

}  // namespace
}  // namespace espalier::linear

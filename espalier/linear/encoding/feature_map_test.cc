#include "espalier/linear/encoding/feature_map.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "espalier/linear/random_rows.h"

namespace espalier::linear {
namespace {

std::vector<uint32_t> numbers(size_t n) {
  std::vector<uint32_t> values(n);
  std::iota(values.begin(), values.end(), 0);
  return values;
}

TEST(FeatureMapTest, FindsEveryFeatureAndNoOther) {
  for (const size_t n : {0, 1, 7, 8, 9, 1000, 50000}) {
    const std::vector<uint64_t> known = random_hashes(n, n), unknown = random_hashes(n + 1, 2000);
    std::vector<uint32_t> refused;
    const FeatureMap map = FeatureMap::build(known, numbers(n), &refused);
    EXPECT_TRUE(refused.empty());
    for (size_t i = 0; i < n; ++i) ASSERT_EQ(map.find(known[i]), i);
    for (const uint64_t hash : unknown) ASSERT_EQ(map.find(hash), kNoFeature);
    std::vector<uint32_t> found(known.size() + unknown.size());
    std::vector<uint64_t> all = known;
    all.insert(all.end(), unknown.begin(), unknown.end());
    map.find_all(all, found.data());
    for (size_t i = 0; i < all.size(); ++i) ASSERT_EQ(found[i], i < n ? i : kNoFeature);
  }
}

TEST(FeatureMapTest, FeaturesOfOneNeighbourhoodAreTakenRoundTheEnd) {
  // All hashes point at the last slot: probing must wrap.
  std::vector<uint64_t> hashes;
  for (uint64_t i = 0; i < 8; ++i) hashes.push_back(0xFFFFFFFF00000000ull | i);
  const FeatureMap map = FeatureMap::build(hashes, numbers(8), nullptr);
  for (size_t i = 0; i < 8; ++i) EXPECT_EQ(map.find(hashes[i]), i);
  EXPECT_EQ(map.find(0xFFFFFFFF00000099ull), kNoFeature);
}

TEST(FeatureMapTest, RefusesTheLaterOfTwoItCannotTellApart) {
  const std::vector<uint64_t> hashes = {0x0000000112345678ull, 0x0000000212345678ull, 0x1ull};
  std::vector<uint32_t> refused;
  const FeatureMap map = FeatureMap::build(hashes, numbers(3), &refused);
  EXPECT_EQ(refused, (std::vector<uint32_t>{1}));
  EXPECT_EQ(map.find(hashes[0]), 0u);
  EXPECT_EQ(map.find(hashes[2]), 2u);
}

TEST(FeatureMapTest, TheFilterLetsEveryKnownKeyPassAndFewOthers) {
  for (const size_t n : {0, 1, 100, 4096, 50000}) {
    KeyFilter filter(n);
    const std::vector<uint64_t> known = random_hashes(n, n), unknown = random_hashes(n + 1, 20000);
    for (const uint64_t hash : known) filter.add(static_cast<uint32_t>(hash));
    for (const uint64_t hash : known) ASSERT_TRUE(filter.may_have(static_cast<uint32_t>(hash)));
    const auto passed = std::count_if(unknown.begin(), unknown.end(), [&](uint64_t hash) {
      return filter.may_have(static_cast<uint32_t>(hash));
    });
    std::vector<uint32_t> likely(21);
    for (size_t first = 0; first + 21 <= std::min<size_t>(n, 500); ++first)
      for (const auto* hashes : {&known, &unknown})
        for (const size_t size : {0, 1, 3, 4, 21}) {
          const auto some = std::span(*hashes).subspan(first, size);
          std::vector<uint32_t> expected;
          for (uint32_t i = 0; i < size; ++i)
            if (filter.may_have(static_cast<uint32_t>(some[i]))) expected.push_back(i);
          const auto count = static_cast<ptrdiff_t>(filter.likely(some, likely.data()));
          ASSERT_EQ(std::vector<uint32_t>(likely.begin(), likely.begin() + count), expected);
        }
    EXPECT_LT(passed, 2000) << "of 20,000, with " << n << " keys";
  }
}

TEST(FeatureMapTest, AnEmptyMapKnowsNothing) {
  const FeatureMap map;
  EXPECT_EQ(map.find(1), kNoFeature);
  EXPECT_FALSE(map.may_have(1));
  const uint64_t hashes[] = {1, 2};
  uint32_t found[] = {7, 7};
  map.find_all(hashes, found);
  EXPECT_EQ(found[0], kNoFeature);
  EXPECT_EQ(found[1], kNoFeature);
  map.prefetch(1);
}

TEST(FeatureMapTest, IsAtMostThreeQuartersFull) {
  for (const size_t n : {1, 8, 9, 100, 4096, 4097}) {
    const FeatureMap map = FeatureMap::build(random_hashes(n, n), numbers(n), nullptr);
    EXPECT_LE(4 * n, 3 * map.slots().size() + 3);
  }
}

TEST(FeatureMapTest, AViewOfTheSlotsFindsTheSame) {
  const std::vector<uint64_t> hashes = random_hashes(3, 500);
  const FeatureMap built = FeatureMap::build(hashes, numbers(500), nullptr);
  const std::vector<FeatureMap::Slot> slots(built.slots().begin(), built.slots().end());
  const Result<FeatureMap> view = FeatureMap::view(slots, 500);
  ASSERT_TRUE(view.ok());
  for (size_t i = 0; i < 500; ++i) EXPECT_EQ(view->find(hashes[i]), i);
  EXPECT_FALSE(FeatureMap::view(slots, 499).ok()) << "a value past the limit";
}

TEST(FeatureMapTest, AMovedMapStillFinds) {
  const std::vector<uint64_t> hashes = random_hashes(3, 50);
  FeatureMap first = FeatureMap::build(hashes, numbers(50), nullptr);
  const FeatureMap second = std::move(first);
  for (size_t i = 0; i < 50; ++i) EXPECT_EQ(second.find(hashes[i]), i);
}

TEST(FeatureMapTest, DoctoredSlotsAreRefused) {
  const FeatureMap::Slot empty{0, kNoFeature};
  EXPECT_FALSE(FeatureMap::view(std::vector<FeatureMap::Slot>(8, empty), 1).ok()) << "too small";
  EXPECT_FALSE(FeatureMap::view(std::vector<FeatureMap::Slot>(24, empty), 1).ok()) << "no power of two";
  EXPECT_FALSE(FeatureMap::view({}, 1).ok());
  EXPECT_FALSE(FeatureMap::view(std::vector<FeatureMap::Slot>(16, {1, 0}), 1).ok())
      << "a search would never end";
  EXPECT_TRUE(FeatureMap::view(std::vector<FeatureMap::Slot>(16, empty), 1).ok());
}

}  // namespace
}  // namespace espalier::linear

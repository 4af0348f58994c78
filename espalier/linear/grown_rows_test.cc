#include "espalier/linear/grown_rows.h"

#include <gtest/gtest.h>

#include "espalier/linear/encoding/number_map.h"
#include "espalier/linear/random_rows.h"

namespace espalier::linear {
namespace {

TEST(GrownTable, FindsOldAndNewEntriesHoweverMuchItGrows) {
  for (const size_t n : {12, 1000, 49000})
    for (const size_t more : {size_t{0}, size_t{1}, n / 2, 3 * n}) {
      const std::vector<uint64_t> old = random_hashes(n, n), fresh = random_hashes(n + 7, more);
      const FeatureMap before = number_map(old);
      std::vector<uint32_t> values(more);
      for (size_t i = 0; i < more; ++i) values[i] = static_cast<uint32_t>(5 * n + i);
      const auto slots = grow_table(
          before, [](uint32_t value) { return 3 * value; }, fresh, values);
      const auto grown = FeatureMap::view(slots, kNoFeature);
      ASSERT_TRUE(grown.ok()) << grown.error().message;
      for (size_t i = 0; i < n; ++i) ASSERT_EQ(grown->find(old[i]), 3 * i) << n << " and " << more;
      for (size_t i = 0; i < more; ++i) ASSERT_EQ(grown->find(fresh[i]), 5 * n + i) << n << " and " << more;
      for (const uint64_t other : random_hashes(99, 3000)) ASSERT_EQ(grown->find(other), kNoFeature);
    }
}

TEST(GrownTable, HasNoRoomForManyTimesItsSize) {
  const FeatureMap before = number_map(random_hashes(1, 1000));
  EXPECT_TRUE(has_room(before, 0));
  EXPECT_TRUE(has_room(before, 3000));
  EXPECT_FALSE(has_room(before, 100000));
  EXPECT_TRUE(has_room(FeatureMap(), 100000)) << "there is no table yet";
}

TEST(GrownTable, GrowsAgainAndAgain) {
  std::vector<uint64_t> all = random_hashes(1, 700);
  const FeatureMap first = number_map(all);
  std::vector<FeatureMap::Slot> slots(first.slots().begin(), first.slots().end());
  for (uint64_t round = 2; round < 20; ++round) {
    const std::vector<uint64_t> fresh = random_hashes(round, 300);
    std::vector<uint32_t> values(fresh.size());
    for (size_t i = 0; i < fresh.size(); ++i) values[i] = static_cast<uint32_t>(all.size() + i);
    const auto map = FeatureMap::view(slots, kNoFeature);
    ASSERT_TRUE(map.ok());
    slots = grow_table(
        *map, [](uint32_t value) { return value; }, fresh, values);
    all.insert(all.end(), fresh.begin(), fresh.end());
  }
  const auto map = FeatureMap::view(slots, kNoFeature);
  ASSERT_TRUE(map.ok()) << map.error().message;
  for (size_t i = 0; i < all.size(); ++i) ASSERT_EQ(map->find(all[i]), i);
}

TEST(GrownRows, HoldTheNewDataAndAllOfTheOldModel) {
  // Old: feature 11 with labels 0 and 2, feature 22 with label 1. New data: 22 with labels 0 and 3, and 33
  // with 3.
  const StateRows old_layout{3, {0, 2, 3}, {0, 2, 1}};
  const std::vector<float> old_weights = {0.5f, -2, 4};
  std::vector<uint32_t> offsets;
  const PackedRows packed = PackedRows::pack(old_layout, old_weights.data(), 32, offsets);
  const std::vector<uint64_t> hashes = random_hashes(4, 3);
  const uint64_t a = hashes[0], b = hashes[1], c = hashes[2];
  const FeatureMap old = FeatureMap::build(std::vector<uint64_t>{a, b}, offsets, nullptr);
  const OldRow row = [&](uint32_t value, const auto& visit) { packed.for_each(value, visit); };
  StateRows layout{4, {0, 2, 3}, {0, 3, 3}};
  FeatureSpace features{{b, c}, {5, 6}, "b\nc\n"};
  std::vector<uint32_t> old_value;
  join_rows(layout, features, old, "a\nb\n", row, old_value);
  EXPECT_EQ(features.size(), 3u);
  EXPECT_EQ(features.names, "b\nc\na\n");
  EXPECT_EQ(old_value, (std::vector<uint32_t>{offsets[1], kNoFeature, offsets[0]}));
  EXPECT_EQ(layout.begin, (std::vector<uint32_t>{0, 3, 4, 6}));
  EXPECT_EQ(layout.column, (std::vector<uint16_t>{0, 1, 3, 3, 0, 2}));
  std::vector<float> weights(6, 0.0f);
  copy_rows(layout, old_value, row, weights.data());
  EXPECT_EQ(weights, (std::vector<float>{0, 4, 0, 0, 0.5f, -2}));
}

TEST(GrownRows, KeepEveryOldFeatureEvenWhereItsWeightsVanish) {
  const std::vector<uint64_t> hashes = random_hashes(5, 3);
  const StateRows layout{2, {0, 2, 4, 6}, {0, 1, 0, 1, 0, 1}};
  const FeatureMap old =
      FeatureMap::build(std::vector<uint64_t>{hashes[0], hashes[1]}, std::vector<uint32_t>{7, 9}, nullptr);
  const FeatureSpace features{hashes, {1, 1, 1}, "a\nb\nc\n"};
  for (const int bits : {16, 32}) {
    const GrownRows grown =
        pack_grown(layout, {0, 0, 1e-9f, -2e-9f, 5, 0, 0, 0}, features, old, {7, 9, kNoFeature}, bits);
    EXPECT_EQ(grown.features, 3u) << bits;
    EXPECT_EQ(grown.names, features.names);
    const auto map = FeatureMap::view(grown.table, grown.rows.offset_limit());
    ASSERT_TRUE(map.ok()) << map.error().message;
    for (const uint64_t hash : hashes) {
      const uint32_t offset = map->find(hash);
      ASSERT_NE(offset, kNoFeature) << bits;
      grown.rows.for_each(offset, [&](uint32_t, float w) {
        EXPECT_TRUE(std::abs(w - 5) < 1e-3f || std::abs(w) < 2e-4f) << bits << ": " << w;
      });
    }
  }
}

}  // namespace
}  // namespace espalier::linear

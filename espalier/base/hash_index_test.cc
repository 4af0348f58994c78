#include "espalier/base/hash_index.h"

#include <gtest/gtest.h>

#include <unordered_map>

#include "espalier/base/random.h"

namespace espalier {
namespace {

/// A map from keys to the order of their insertion, kept by a HashIndex.
struct IndexedKeys {
  HashIndex index;
  std::vector<uint64_t> keys;
  uint64_t (*hash)(uint64_t);

  uint32_t find(uint64_t key) const {
    return index.find(hash(key), [&](uint32_t e) { return keys[e] == key; });
  }
  uint32_t add(uint64_t key) {
    const uint32_t entry = index.find_or_add(
        hash(key), keys.size(), [&](uint32_t e) { return keys[e] == key; },
        [&](uint32_t e) { return hash(keys[e]); });
    if (entry == keys.size()) keys.push_back(key);
    return entry;
  }
};

uint64_t itself(uint64_t key) { return key; }
uint64_t high_bits_only(uint64_t key) { return key << 40; }
uint64_t nearly_constant(uint64_t key) { return key % 3; }

TEST(HashIndex, DoesWhatAnUnorderedMapDoes) {
  for (uint64_t (*hash)(uint64_t) : {itself, high_bits_only, nearly_constant})
    for (const uint64_t distinct : {3u, 100u, 3000u}) {
      Random random(distinct);
      IndexedKeys mine{HashIndex(2), {}, hash};
      std::unordered_map<uint64_t, uint32_t> theirs;
      for (int step = 0; step < 20000; ++step) {
        const uint64_t key = random.below(distinct) * 977;
        if (random.below(2) == 0) {
          const auto [it, added] = theirs.emplace(key, static_cast<uint32_t>(theirs.size()));
          ASSERT_EQ(mine.add(key), it->second);
        } else {
          const auto it = theirs.find(key);
          ASSERT_EQ(mine.find(key), it == theirs.end() ? HashIndex::kNone : it->second);
        }
        ASSERT_EQ(mine.keys.size(), theirs.size());
        if (random.below(5000) == 0) {
          mine.index.clear();
          mine.keys.clear();
          theirs.clear();
        }
      }
    }
}

TEST(HashIndex, RoomMadeBeforehandChangesNothing) {
  IndexedKeys mine{HashIndex(), {}, itself};
  mine.index.reserve(1000);
  for (uint64_t key = 0; key < 3000; ++key) EXPECT_EQ(mine.add(key * 64), key);
  for (uint64_t key = 0; key < 3000; ++key) EXPECT_EQ(mine.find(key * 64), key);
  EXPECT_EQ(mine.find(1), HashIndex::kNone);
}

}  // namespace
}  // namespace espalier

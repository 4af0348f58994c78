#include "espalier/linear/row_sums.h"

#include <gtest/gtest.h>

#include <map>

#include "espalier/linear/feature_map.h"
#include "espalier/linear/random_rows.h"

namespace espalier::linear {
namespace {

TEST(RowSumsTest, ScoresAreThoseOfAddedRowsToTheLastBit) {
  for (uint32_t width = 1; width <= 64; ++width) {
    const RandomRows rows(width, 60, width);
    std::vector<uint32_t> offsets;
    const PackedRows packed = PackedRows::pack(rows.layout, rows.weights.data(), 16, offsets);
    ASSERT_TRUE(packed.sums_exactly());
    std::vector<uint32_t> places;
    for (const uint32_t f : rows.draw_features(230)) places.push_back(offsets[f]);
    // Three positions with 10 features, none and 220, padded by something else in between.
    const std::vector<uint32_t> begin = {0, 10, 10, 230};
    const size_t stride = padded(width), step = stride + 2 * kLanes;
    AlignedVector<float> expected(3 * stride, 0.0f), found(3 * stride, 7.0f);
    packed.add(places, begin, nullptr, stride, expected.data());
    AlignedVector<int32_t> sums(3 * step, 0);
    // In two parts, the later first.
    add_to_sums(packed, std::span(places).subspan(5), std::vector<uint32_t>{0, 5, 5, 225}, step, sums.data());
    add_to_sums(packed, places, std::vector<uint32_t>{0, 5}, step, sums.data());
    scores_of_sums(sums.data(), 3, step, packed.scale(), stride, found.data());
    EXPECT_EQ(found, expected) << width << " wide";
  }
}

TEST(RowSumsTest, OnlyNarrowRowsOfSixteenBitsSumExactly) {
  std::vector<uint32_t> offsets;
  const RandomRows wide(1, 60, 65), narrow(1, 60, 64);
  EXPECT_FALSE(PackedRows::pack(wide.layout, wide.weights.data(), 16, offsets).sums_exactly());
  EXPECT_FALSE(PackedRows::pack(narrow.layout, narrow.weights.data(), 32, offsets).sums_exactly());
}

TEST(RowSumsTest, TheTableGivesWhatWasPutUnderAKeyOrNothing) {
  Random random(4);
  SumTable table(kLanes, 64, 1 << 20);
  EXPECT_LE(table.entries(), 64u);
  size_t found = 0, frequent_found = 0, frequent = 0;
  for (size_t i = 0; i < 20000; ++i) {
    const bool usual = random.below(2) == 0;
    const uint64_t key = usual ? random.below(8) : random.below(100000);  // key 0 is a key like others
    const int32_t* known = table.find(key);
    frequent += usual;
    if (known != nullptr) {
      ASSERT_EQ(known[0], static_cast<int32_t>(key));
      ASSERT_EQ(known[kLanes - 1], static_cast<int32_t>(key) + 1);
      ++found;
      frequent_found += usual;
    } else {
      int32_t* const place = table.insert(key);
      place[0] = static_cast<int32_t>(key);
      place[kLanes - 1] = static_cast<int32_t>(key) + 1;
    }
  }
  EXPECT_LT(found, 12000u);
  EXPECT_GT(frequent_found, frequent * 8 / 10) << "rare keys push out frequent ones";
}

TEST(RowSumsTest, TheTableKeepsToItsBounds) {
  EXPECT_LE(SumTable(kLanes, 1000, 1 << 30).entries(), 1000u);
  EXPECT_LE(SumTable(1024, 1 << 20, 1 << 20).entries() * 1024 * sizeof(int32_t), size_t{1} << 20);
}

}  // namespace
}  // namespace espalier::linear

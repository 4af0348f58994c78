#include "espalier/linear/row_sums.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "espalier/linear/encoding/feature_map.h"
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

TEST(RowSumsTest, SumsOfPositionsAreThoseOfTheirParts) {
  Random random(3);
  for (uint32_t width = 1; width <= 64; ++width) {
    const RandomRows rows(width, 60, width);
    std::vector<uint32_t> offsets;
    const PackedRows packed = PackedRows::pack(rows.layout, rows.weights.data(), 16, offsets);
    const size_t stride = padded(width), T = 7, kept = 5;
    // Kept sums of two places each; an entry per position and place, as tables give them.
    AlignedVector<int32_t> sums(kept * 2 * stride);
    for (int32_t& x : sums) x = static_cast<int32_t>(random.below(2'000'000)) - 1'000'000;
    std::vector<const int32_t*> entries;
    for (size_t t = 0; t <= T; ++t) entries.push_back(sums.data() + random.below(kept) * 2 * stride);
    const PositionSums::Place places[] = {{entries.data() + 1, 0}, {entries.data(), stride}};
    const PositionSums::Run fresh[] = {{entries.data() + 1, 0, 2 * stride}};
    std::vector<uint32_t> found, begin{0};
    for (const size_t count : {3, 0, 1, 200, 0, 40, 16}) {
      for (const uint32_t f : rows.draw_features(count)) found.push_back(offsets[f]);
      begin.push_back(static_cast<uint32_t>(found.size()));
    }
    AlignedVector<int32_t> expected(T * stride, 0), got(T * stride, 7);
    add_to_sums(packed, found, begin, stride, expected.data());
    for (size_t t = 0; t < T; ++t)
      for (const PositionSums::Place& place : places)
        for (size_t c = 0; c < stride; ++c) expected[t * stride + c] += (place.entries[t] + place.offset)[c];
    sum_positions(packed, {places, fresh, found, begin}, stride, got.data());
    EXPECT_EQ(got, expected) << width << " wide";
    // Of some columns: one, a few and all.
    std::vector<uint16_t> columns;
    std::vector<uint32_t> column_begin{0};
    for (size_t t = 0; t < T; ++t) {
      for (uint16_t c = 0; c < width; ++c)
        if (t % 3 == 0 ? c == width / 2 : t % 3 == 1 ? c % 9 == 0 : true) columns.push_back(c);
      column_begin.push_back(static_cast<uint32_t>(columns.size()));
    }
    std::vector<float> scores(columns.size());
    column_scores(packed, {places, found, begin, columns, column_begin}, scores.data());
    for (size_t t = 0; t < T; ++t)
      for (uint32_t i = column_begin[t]; i < column_begin[t + 1]; ++i)
        ASSERT_EQ(scores[i], packed.scale() * static_cast<float>(expected[t * stride + columns[i]]))
            << width << " wide, column " << columns[i];
  }
}

TEST(RowSumsTest, BestsAndRegretsAreThoseOfPlainLoops) {
  Random random(7);
  for (size_t width = 1; width <= 64; ++width) {
    const size_t stride = padded(width), T = 5;
    AlignedVector<float> scores(T * stride, 1e9f);  // padding is not looked at
    for (size_t t = 0; t < T; ++t)
      for (size_t c = 0; c < width; ++c)
        scores[t * stride + c] = static_cast<float>(3 * random.gaussian()) - (t == 1 ? 100 : 0);
    std::vector<float> best(T);
    const double sum = find_bests(scores.data(), T, width, stride, best.data());
    const float most = static_cast<float>(4 * random.uniform());
    std::vector<uint64_t> sets(T);
    find_near(scores.data(), T, width, stride, best.data(), most, sets.data());
    double expected = 0;
    for (size_t t = 0; t < T; ++t) {
      const float* const row = scores.data() + t * stride;
      const float top = *std::max_element(row, row + width);
      EXPECT_EQ(best[t], top);
      float lane[kLanes] = {};
      uint64_t set = 0;
      for (size_t c = 0; c < width; ++c) {
        lane[c % kLanes] += top - row[c];
        if (top - row[c] <= most) set |= uint64_t{1} << c;
      }
      expected += sum_of_lanes(lane);
      EXPECT_EQ(sets[t], set) << width << " wide";
    }
    EXPECT_EQ(sum, expected) << width << " wide";
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
    table.begin();
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

TEST(RowSumsTest, WhatWasAskedForStaysUntilTheNextBegin) {
  Random random(5);
  SumTable table(kLanes, 64, 1 << 20);
  size_t refused = 0;
  for (size_t round = 0; round < 50; ++round) {
    table.begin();
    std::map<uint64_t, const int32_t*> places;
    for (size_t i = 0; i < 60; ++i) {
      const uint64_t key = random.below(500);
      const int32_t* found = table.find(key);
      if (places.contains(key)) {
        EXPECT_EQ(found, places[key]);
      }
      if (found == nullptr) {
        int32_t* const place = table.insert(key);
        refused += place == nullptr;
        if (place == nullptr) continue;
        place[0] = static_cast<int32_t>(key);
        found = place;
      }
      places[key] = found;
    }
    for (const auto& [key, place] : places) EXPECT_EQ(place[0], static_cast<int32_t>(key));
  }
  EXPECT_GT(refused, 0u) << "some sets should be full";
}

TEST(RowSumsTest, TheTableKeepsToItsBounds) {
  EXPECT_LE(SumTable(kLanes, 1000, 1 << 30).entries(), 1000u);
  EXPECT_LE(SumTable(1024, 1 << 20, 1 << 20).entries() * 1024 * sizeof(int32_t), size_t{1} << 20);
}

}  // namespace
}  // namespace espalier::linear

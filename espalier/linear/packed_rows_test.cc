#include "espalier/linear/packed_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <map>

#include "espalier/linear/encoding/feature_map.h"
#include "espalier/linear/random_rows.h"

namespace espalier::linear {
namespace {

std::map<uint32_t, float> row_of(const PackedRows& rows, uint32_t offset) {
  std::map<uint32_t, float> found;
  if (offset != kNoFeature)
    rows.for_each(offset, [&](uint32_t column, float weight) { found[column] = weight; });
  return found;
}

TEST(PackedRowsTest, SumsAreThoseOfTheRowsPacked) {
  for (uint32_t width = 1; width <= 75; ++width)
    for (const int bits : {32, 16}) {
      const RandomRows rows(width, 60, width);
      std::vector<uint32_t> offsets;
      const PackedRows packed = PackedRows::pack(rows.layout, rows.weights.data(), bits, offsets);
      const std::vector<uint32_t> features = rows.draw_features(30);
      const std::vector<float> values = rows.draw_values(30);
      std::vector<uint32_t> places;
      for (const uint32_t f : features) places.push_back(offsets[f]);
      for (const float* v : {static_cast<const float*>(nullptr), values.data()}) {
        // A sequence of three positions: 10 features, none, 20.
        const std::vector<uint32_t> begin = {0, 10, 10, 30};
        const size_t stride = padded(width);
        AlignedVector<float> plain(3 * stride, 0.0f), fast(3 * stride, 0.0f);
        for (size_t t = 0; t < 3; ++t)
          add_rows_plain(rows.layout, rows.weights.data(),
                         std::span<const uint32_t>(features).subspan(begin[t], begin[t + 1] - begin[t]),
                         v == nullptr ? nullptr : v + begin[t], plain.data() + t * stride);
        packed.add(places, begin, v, stride, fast.data());
        float error = 1e-4f;  // and in 16 bits half a step for each of the 30, times its value
        if (bits == 16)
          for (size_t i = 0; i < 30; ++i) error += packed.scale() / 2 * (v == nullptr ? 1 : std::abs(v[i]));
        for (size_t t = 0; t < 3; ++t)
          for (uint32_t c = 0; c < width; ++c)
            ASSERT_NEAR(fast[t * stride + c], plain[t * stride + c], error) << width << " wide, " << bits;
        for (const float x : fast) EXPECT_TRUE(std::isfinite(x));
      }
    }
}

TEST(PackedRowsTest, SixteenBitsKeepEveryWeightWithinHalfAStep) {
  const RandomRows rows(5, 200, 20);
  std::vector<uint32_t> offsets;
  const PackedRows packed = PackedRows::pack(rows.layout, rows.weights.data(), 16, offsets);
  EXPECT_GT(packed.scale(), 0);
  for (size_t r = 0; r < rows.layout.rows(); ++r) {
    std::map<uint32_t, float> kept = row_of(packed, offsets[r]);
    for (uint32_t i = rows.layout.begin[r]; i < rows.layout.begin[r + 1]; ++i)
      EXPECT_NEAR(kept[rows.layout.column[i]], rows.weights[i], packed.scale() * 0.501f);
  }
}

TEST(PackedRowsTest, ZerosAndEmptyRowsTakeNoRoom) {
  StateRows layout;
  layout.width = 4;
  layout.column = {0, 2, 1, 3, 0, 1, 2, 3};
  layout.begin = {0, 2, 4, 4, 8};
  AlignedVector<float> weights = make_weights(8);
  weights[1] = 5;                                  // row 0: one of two
  weights[4] = 1, weights[5] = 2, weights[6] = 3;  // row 3: three of four
  std::vector<uint32_t> offsets;
  const PackedRows packed = PackedRows::pack(layout, weights.data(), 32, offsets);
  EXPECT_EQ(row_of(packed, offsets[0]), (std::map<uint32_t, float>{{2, 5.0f}}));
  EXPECT_EQ(offsets[1], kNoFeature) << "all its weights are 0";
  EXPECT_EQ(offsets[2], kNoFeature) << "it has none";
  EXPECT_EQ(row_of(packed, offsets[3]), (std::map<uint32_t, float>{{0, 1.0f}, {1, 2.0f}, {2, 3.0f}}));
}

TEST(PackedRowsTest, RowsOfManyColumnsStayFullWhereThatIsSmaller) {
  StateRows layout;
  layout.width = 100;
  layout.begin = {0, 100};
  AlignedVector<float> weights = make_weights(100);
  for (uint16_t c = 0; c < 100; ++c) {
    layout.column.push_back(c);
    weights[c] = c % 10 == 0 ? 0.0f : 1.0f;
  }
  std::vector<uint32_t> offsets;
  const PackedRows packed = PackedRows::pack(layout, weights.data(), 32, offsets);
  EXPECT_EQ(row_of(packed, offsets[0]).size(), 100u);
}

TEST(PackedRowsTest, ManyWeightsOfSixteenBitsDoNotOverflow) {
  StateRows layout;
  layout.width = 3;
  layout.column = {0, 2};
  layout.begin = {0, 2};
  AlignedVector<float> weights = make_weights(2);
  weights[0] = 1, weights[1] = -1;  // the largest there are: ±32767 steps
  std::vector<uint32_t> offsets;
  const PackedRows packed = PackedRows::pack(layout, weights.data(), 16, offsets);
  const std::vector<uint32_t> often(200'000, offsets[0]);
  const std::vector<uint32_t> begin = {0, 200'000};
  AlignedVector<float> scores(padded(3), 0.0f);
  packed.add(often, begin, nullptr, padded(3), scores.data());
  EXPECT_NEAR(scores[0], 200'000, 1);
  EXPECT_EQ(scores[1], 0);
  EXPECT_NEAR(scores[2], -200'000, 1);
}

TEST(PackedRowsTest, AViewOfTheWordsIsTheSame) {
  for (const int bits : {32, 16}) {
    const RandomRows rows(6, 100, 13);
    std::vector<uint32_t> offsets, starts;
    const PackedRows packed = PackedRows::pack(rows.layout, rows.weights.data(), bits, offsets);
    const Result<PackedRows> view = PackedRows::view(packed.words(), 13, bits, packed.scale(), &starts);
    ASSERT_TRUE(view.ok()) << view.error().message;
    std::vector<uint32_t> expected;
    std::copy_if(offsets.begin(), offsets.end(), std::back_inserter(expected),
                 [](uint32_t offset) { return offset != kNoFeature; });
    EXPECT_EQ(starts, expected);
    for (const uint32_t offset : expected) EXPECT_EQ(row_of(*view, offset), row_of(packed, offset));
    EXPECT_EQ(view->offset_limit(), packed.offset_limit());
  }
}

TEST(PackedRowsTest, KnowsWhatBeginsARow) {
  const RandomRows rows(3, 200, 13);
  std::vector<uint32_t> offsets, starts;
  const PackedRows packed = PackedRows::pack(rows.layout, rows.weights.data(), 16, offsets);
  ASSERT_TRUE(PackedRows::view(packed.words(), 13, 16, packed.scale(), &starts).ok());
  EXPECT_TRUE(packed.all_begin_rows(starts, offsets.data(), offsets.size(), 1));
  for (const uint32_t wrong : {starts[7] + 1, static_cast<uint32_t>(packed.offset_limit()), 0xFFFFFFFEu}) {
    std::vector<uint32_t> others = offsets;
    others[20] = wrong;
    EXPECT_FALSE(packed.all_begin_rows(starts, others.data(), others.size(), 1)) << wrong;
    EXPECT_TRUE(packed.all_begin_rows(starts, others.data() + 1, others.size() / 2, 2)) << "every second";
    EXPECT_FALSE(packed.all_begin_rows(starts, others.data(), others.size() / 2, 2));
  }
}

TEST(PackedRowsTest, MoreThan65536ColumnsAreNamedIn32Bits) {
  EdgeRows layout;
  layout.width = 300 * 300;
  layout.column = {5, 70000, 89999};
  layout.begin = {0, 3};
  AlignedVector<float> weights = make_weights(3);
  weights[0] = 1, weights[1] = 2, weights[2] = 3;
  for (const int bits : {32, 16}) {
    std::vector<uint32_t> offsets;
    const PackedRows packed = PackedRows::pack(layout, weights.data(), bits, offsets);
    const Result<PackedRows> view =
        PackedRows::view(packed.words(), layout.width, bits, packed.scale(), nullptr);
    ASSERT_TRUE(view.ok()) << view.error().message;
    const std::map<uint32_t, float> row = row_of(*view, offsets[0]);
    ASSERT_EQ(row.size(), 3u);
    EXPECT_NEAR(row.at(5), 1, 1e-3);
    EXPECT_NEAR(row.at(70000), 2, 1e-3);
    EXPECT_NEAR(row.at(89999), 3, 1e-3);
  }
}

TEST(PackedRowsTest, NothingToPackIsAValidStream) {
  StateRows layout;
  layout.width = 3;
  std::vector<uint32_t> offsets;
  const PackedRows packed = PackedRows::pack(layout, nullptr, 16, offsets);
  EXPECT_EQ(packed.offset_limit(), 0u);
  EXPECT_TRUE(PackedRows::view(packed.words(), 3, 16, packed.scale(), nullptr).ok());
}

/// A stream with one sparse row (columns 1 and 3), to be damaged.
struct Doctored {
  uint64_t width;
  std::vector<uint32_t> words;
  explicit Doctored(uint32_t columns) : width(columns) {
    StateRows layout;
    layout.width = columns;
    layout.column = {1, 3};
    layout.begin = {0, 2};
    AlignedVector<float> weights = make_weights(2);
    weights[0] = 1, weights[1] = -1;
    std::vector<uint32_t> offsets;
    const PackedRows packed = PackedRows::pack(layout, weights.data(), 32, offsets);
    words.assign(packed.words().begin(), packed.words().end());
  }
  bool accepted(int bits = 32, float scale = 1) const {
    return PackedRows::view(words, width, bits, scale, nullptr).ok();
  }
  bool accepted_with(size_t word, uint32_t value) const {
    Doctored damaged = *this;
    damaged.words[word] = value;
    return damaged.accepted();
  }
};

TEST(PackedRowsTest, DoctoredWordsAreRefused) {
  for (const uint32_t width : {5u, 40u, 70u}) {
    const Doctored sound(width);
    EXPECT_TRUE(sound.accepted());
    EXPECT_FALSE(sound.accepted(8)) << "bits";
    EXPECT_FALSE(sound.accepted(32, std::numeric_limits<float>::infinity())) << "scale";
    const size_t weights = width == 5 ? 1 : 2;
    EXPECT_FALSE(
        sound.accepted_with(weights, std::bit_cast<uint32_t>(std::numeric_limits<float>::quiet_NaN())));
    EXPECT_FALSE(
        sound.accepted_with(weights + 1, std::bit_cast<uint32_t>(std::numeric_limits<float>::infinity())));
    EXPECT_FALSE(sound.accepted_with(0, 0)) << "a row of nothing";
    EXPECT_FALSE(sound.accepted_with(0, 0xFFFFFFFF)) << "runs past the end";
    Doctored cut = sound;
    cut.words.resize(3);
    EXPECT_FALSE(cut.accepted()) << "no slack behind the rows";
  }
  EXPECT_FALSE(Doctored(5).accepted_with(0, 1 << 1 | 1 << 5)) << "a column past the last";
  EXPECT_FALSE(Doctored(40).accepted_with(1, 1 << 8)) << "a column past the last";
  EXPECT_FALSE(Doctored(70).accepted_with(0, 71)) << "more weights than columns";
  EXPECT_FALSE(Doctored(70).accepted_with(0, 4)) << "runs past the end";
  EXPECT_FALSE(Doctored(70).accepted_with(1, 3 | 1u << 16)) << "columns out of order";
  EXPECT_FALSE(Doctored(70).accepted_with(1, 1 | 1u << 16)) << "a column twice";
  EXPECT_FALSE(Doctored(70).accepted_with(1, 1 | 70u << 16)) << "a column past the last";
}

TEST(PackedRowsTest, RandomWordsNeverLeadOutOfBounds) {
  Random random(11);
  for (const uint64_t width : {5, 40, 64, 70})
    for (int trial = 0; trial < 1000; ++trial) {
      std::vector<uint32_t> words(8 + random.below(30));
      for (uint32_t& word : words)
        word = static_cast<uint32_t>(random.below(3) == 0 ? random.next() : random.below(6));
      const int bits = random.below(2) == 0 ? 16 : 32;
      std::vector<uint32_t> starts;
      const Result<PackedRows> view = PackedRows::view(words, width, bits, 1, &starts);
      if (!view.ok()) continue;
      AlignedVector<float> scores(padded(width), 0.0f);
      const std::vector<uint32_t> begin = {0, static_cast<uint32_t>(starts.size())};
      view->add(starts, begin, nullptr, padded(width), scores.data());  // the sanitizers watch
      for (const uint32_t start : starts)
        for (const auto& [column, weight] : row_of(*view, start)) {
          EXPECT_LT(column, width);
          EXPECT_TRUE(std::isfinite(weight));
        }
    }
}

}  // namespace
}  // namespace espalier::linear
